"""Explanations: pictures changed in one respect, and the change of a network's answers."""
