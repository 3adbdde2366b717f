"""Detectors: networks that locate and classify the objects in an image."""
