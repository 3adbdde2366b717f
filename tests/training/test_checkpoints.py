"""Checkpoints: what is saved comes back, and what is none is refused."""

import pytest
import torch

from robust_lib.errors import CacheError
from robust_lib.training import checkpoints
from tests.lessons import bits, network


def made(seed=0):
    module = network(seed)
    return module, torch.optim.SGD(module.parameters(), 0.1, momentum=0.9)


def test_what_is_saved_comes_back(tmp_path):
    file, (module, optimiser) = tmp_path / "deep" / "it.pt", made()
    module(torch.rand(2, 3, 16, 16)).sum().backward()
    optimiser.step()
    checkpoints.save(file, module, optimiser, 3, {"loss": [1.0, 0.5]})
    other, its = made(seed=1)
    assert checkpoints.resume(file, other, its, "cpu") == (3, {"loss": [1.0, 0.5]})
    assert bits(other) == bits(module)
    assert its.state_dict()["state"].keys() == optimiser.state_dict()["state"].keys()
    assert [path.name for path in file.parent.iterdir()] == ["it.pt"]


@pytest.mark.parametrize("content", [b"", b"nothing of the kind"])
def test_a_file_that_is_no_checkpoint(tmp_path, content):
    file = tmp_path / "it.pt"
    file.write_bytes(content)
    with pytest.raises(CacheError, match="training then starts again"):
        checkpoints.resume(file, *made(), "cpu")


def test_a_checkpoint_of_another_network(tmp_path):
    file, (module, optimiser) = tmp_path / "it.pt", made()
    checkpoints.save(file, module, optimiser, 1, {})
    other = torch.nn.Linear(2, 1)
    with pytest.raises(CacheError, match="Expected a checkpoint of this network"):
        checkpoints.resume(file, other, torch.optim.SGD(other.parameters(), 0.1), "cpu")
