"""Style transfer: an image's features get the statistics of a style image's features."""
