"""Runs of chapters on profiles: names are resolved to images and networks."""
