"""Explanations: images changed in one respect, and the change of a network's predictions."""
