import importlib.util
from pathlib import Path

import cv2
import pytest
import torch


def reference(name):
    path = Path(__file__).parent.parent / "reference" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"reference_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
def agreement():
    return reference("agreement")


@pytest.fixture(scope="session")
def theirs():
    """The peer package's functions."""
    if importlib.util.find_spec("imagecorruptions") is None:
        pytest.skip("needs the imagecorruptions package")
    return reference("peer").load()


@pytest.fixture(scope="session")
def pictures():
    """Nine photographs of mixed content, uint8 (9, 224, 224, 3)."""
    return reference("photographs").photographs()


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
