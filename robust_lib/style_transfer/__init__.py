"""Pictures in another picture's style: features are given the statistics of the style's."""
