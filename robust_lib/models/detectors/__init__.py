"""Detectors: networks that say where things are in an image, and what they are."""
