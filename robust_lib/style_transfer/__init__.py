"""Images in another image's style: features are given the statistics of the style's."""
