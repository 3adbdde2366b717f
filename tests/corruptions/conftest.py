import importlib.util
from pathlib import Path

import cv2
import numpy as np
import pytest
import skimage.data
import torch
from PIL import Image


def reference(name):
    path = Path(__file__).parent.parent / "reference" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"reference_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def standard(photograph):
    """The benchmark's own preparation: shorter side to 256, middle 224."""
    image = Image.fromarray(photograph).convert("RGB")
    factor = 256 / min(image.size)
    size = tuple(round(side * factor) for side in image.size)
    image = image.resize(size, Image.Resampling.BILINEAR)
    left, top = ((side - 224) // 2 for side in image.size)
    return np.asarray(image.crop((left, top, left + 224, top + 224)))


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def oracle():
    return reference("corruptions")


@pytest.fixture(scope="session")
def theirs():
    """The peer package's functions."""
    if importlib.util.find_spec("imagecorruptions") is None:
        pytest.skip("needs the imagecorruptions package")
    return reference("peer").load()


@pytest.fixture(scope="session")
def pictures():
    """Nine photographs of mixed content, uint8 (9, 224, 224, 3); all come with scikit-image."""
    names = ("astronaut", "coffee", "chelsea", "rocket", "hubble_deep_field", "retina", "brick")
    photographs = [getattr(skimage.data, name)() for name in names]
    photographs += [skimage.data.stereo_motorcycle()[0], skimage.data.immunohistochemistry()]
    return np.stack([standard(photograph) for photograph in photographs])


@pytest.fixture(scope="session")
def images(pictures):
    """The same as float32 fractions (9, 3, 224, 224)."""
    return torch.from_numpy(pictures.transpose(0, 3, 1, 2).copy()).float() / 255


@pytest.fixture(scope="session")
def frost_folder():
    """The six original textures, as a peer package brings them."""
    spec = importlib.util.find_spec("imagecorruptions")
    if spec is None or spec.origin is None:
        pytest.skip("needs the imagecorruptions package, which holds the frost textures")
    return Path(spec.origin).parent / "frost"
