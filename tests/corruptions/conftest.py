import cv2
import pytest
import torch

from tests.reference import agreement, peer, photographs


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def theirs(frost_folder):
    """The peer package's functions."""
    return peer.load()


@pytest.fixture(scope="session")
def pictures():
    """Nine photographs of mixed content, uint8 (9, 224, 224, 3)."""
    return photographs.photographs()


@pytest.fixture(scope="session")
def images(pictures):
    """The same as float32 fractions (9, 3, 224, 224)."""
    return agreement.tensors(pictures)


@pytest.fixture(scope="session")
def frost_folder():
    """The six original textures, as a peer package brings them."""
    folder = peer.frost_folder()
    if folder is None:
        pytest.skip("needs the imagecorruptions package, which holds the frost textures")
    return folder


@pytest.fixture(scope="session")
def noise():
    """Three pictures of uniform noise, float32 (3, 3, 40, 56)."""
    return torch.rand(3, 3, 40, 56, generator=torch.Generator().manual_seed(0))
