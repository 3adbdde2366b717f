"""The run of a chapter on a profile: names are resolved to images and networks."""
