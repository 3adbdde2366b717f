"""Explanations: how predictions change if one property of an image changes, and attributions."""
