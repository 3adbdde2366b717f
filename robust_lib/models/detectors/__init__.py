"""Detectors: networks that say where things are in a picture, and what they are."""
