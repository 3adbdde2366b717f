"""Types of arrays, with the names of their axes and the kind of their numbers.

Rates are fractions in [0, 1], boxes are xyxy pixels, images are RGB.
"""

import numpy as np
from jaxtyping import Bool, Float, Float32, Int, UInt8

Picture = UInt8[np.ndarray, "height width 3"]
AnyPicture = UInt8[np.ndarray, "_ _ 3"]  # one of several, each of its own size
Pictures = UInt8[np.ndarray, "images height width 3"]
Logits = Float32[np.ndarray, "images classes"]
Probabilities = Float[np.ndarray, "images classes"]
Labels = Int[np.ndarray, " images"]
Scores = Float[np.ndarray, " images"]
Correct = Bool[np.ndarray, " images"]
SeverityErrors = Float[np.ndarray, " severities"]
Boxes = Float[np.ndarray, "boxes 4"]

UNKNOWN = -1
"""The label of an image of unknown class."""
