"""A camera for composed images: the effects of a lens, a sensor and a file on a photograph.

Composed art is too clean: on its uniform backgrounds, any noise stands out. A photograph has a
slight blur, an exposure, a colour cast, grain and compression; with these, the benchmark's
severities give graded curves.
"""

import io

import cv2
import numpy as np
from jaxtyping import Float32
from PIL import Image

from robust_lib.types import Picture

BLUR = 0.3  # largest lens blur, standard deviation in pixels
EXPOSURE = 0.35  # largest exposure error, in stops either way
CAST = 0.06  # standard deviation of a channel's gain
GRAIN = 0.015  # scale of the grain's standard deviation, of full range; half-normal over pictures
QUALITY = (70, 96)  # JPEG quality, uniform


def expose(scene: Float32[np.ndarray, "height width 3"], rng: np.random.Generator) -> Picture:
    """Return the 8-bit photograph of a scene in [0, 1]: blur, exposure, cast, grain, JPEG."""
    sigma = BLUR * rng.random()
    if sigma > 0.2:
        scene = cv2.GaussianBlur(scene, (0, 0), sigma)
    gain = 2.0 ** rng.uniform(-EXPOSURE, EXPOSURE) * (1 + CAST * rng.standard_normal(3))
    grain = GRAIN * abs(rng.standard_normal())
    # Shot noise makes a sensor's grain grow with the light; read noise stays.
    light = scene * gain.astype(np.float32)
    noise = rng.standard_normal(light.shape, dtype=np.float32)
    light = light + grain * np.sqrt(0.35 + np.clip(light, 0, 1)) * noise
    return compress(np.clip(light, 0, 1), int(rng.integers(*QUALITY)))


def compress(scene: Float32[np.ndarray, "height width 3"], quality: int) -> Picture:
    """Return an image after it is stored as JPEG and read back.

    >>> compress(np.full((8, 8, 3), 0.5, np.float32), 85)[0, 0]
    array([128, 128, 128], dtype=uint8)
    """
    file = io.BytesIO()
    Image.fromarray((scene * 255 + 0.5).astype(np.uint8)).save(file, "JPEG", quality=quality)
    return np.asarray(Image.open(file))
