"""A small project, and the passports of two networks of a user's file in it."""

from pathlib import Path
from typing import Any

import pytest

from robust_book.passport.files import write
from robust_lib.passport.evaluation import evaluate
from tests import tiny

NETS = '''
import numpy as np
import torch

from robust_lib import Preprocessing, TorchClassifier


def bare(seed=0):
    torch.manual_seed(seed)
    return torch.nn.Sequential(
        torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(), torch.nn.Linear(48, 4)
    )


def one():
    return TorchClassifier(module=bare(0), name="one", classes="scenes", outputs=4,
                           preprocessing=Preprocessing(None, 64))


def two():
    return TorchClassifier(module=bare(1), name="two", classes="scenes", outputs=4,
                           preprocessing=Preprocessing(None, 64))


class Nothing:
    """A detector that never finds anything."""

    name, classes, outputs, fingerprint = "nothing", "layouts", 4, "first"
    least_score, most = 0.05, 100

    def __call__(self, images):
        none = np.zeros((0, 4), np.float32), np.zeros(0, np.int64), np.zeros(0, np.float32)
        return [none for _ in images]


def nothing():
    return Nothing()
'''


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the project's folder, and name of a network -> (evaluation, folder of its files)."""
    folder = tiny.begun(tmp_path_factory, tmp_path_factory.mktemp("passport") / "project")
    (folder / "nets.py").write_text(NETS)
    profiles = folder / "data_manifests" / "profiles"
    tiny_profile = (profiles / "tiny.yaml").read_text("utf-8")
    (profiles / "published.yaml").write_text(tiny_profile, "utf-8")
    tiny.change(profiles / "published.yaml", name="published", normaliser="published",
                geometry="network")  # fmt: skip
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        tiny.enter(folder, patch)
        patch.chdir(folder)
        for name in ("one", "two"):
            keys = ["imagenet_c", "imagenet_a", "nao"] if name == "one" else ["imagenet_c"]
            evaluation = evaluate(f"nets.py:{name}", profile="tiny", benchmarks=keys)
            write(evaluation, folder / name)
            found[name] = evaluation, folder / name
    return folder, found


@pytest.fixture
def project(made: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in the project, as a user does."""
    tiny.enter(made[0], monkeypatch)
    monkeypatch.chdir(made[0])
    return Path(made[0])


@pytest.fixture
def passports(made: Any) -> Any:
    """Return name of a network -> (evaluation, folder of its files)."""
    return made[1]
