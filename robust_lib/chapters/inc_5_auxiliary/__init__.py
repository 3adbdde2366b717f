"""Auxiliary experiments on surface variation [inc, app. E]."""
