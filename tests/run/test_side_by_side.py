"""Images shown by several processes: the same predictions, and no process or error is lost."""

import os
import time
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import robust_lib
from robust_book.chapters import chapter
from robust_lib import paths
from robust_lib.datasets.archive_writer.files import processes
from robust_lib.errors import InputError, ModelError, RunError
from robust_lib.run import corrupted_sets, side_by_side
from robust_lib.run.network import Network
from robust_lib.run.side_by_side import Part, fill, parts
from robust_lib.run.start import start
from tests import tiny

NETS = """
import os

import torch

from robust_lib import Preprocessing, TorchClassifier


class Net(torch.nn.Module):
    def forward(self, images):
        if os.environ.get("DIES"):
            os._exit(3)
        if os.environ.get("FAILS") and len(images) == 16:
            return images.mean((2, 3))[:, [0, 0, 1, 2]] / 0
        return images.mean((2, 3))[:, [0, 0, 1, 2]]


def one():
    return TorchClassifier(module=Net(), name="one", classes="scenes", outputs=4,
                           preprocessing=Preprocessing(None, 64))
"""
CORRUPTIONS = ("fog", "gaussian_noise", "contrast")


@pytest.fixture
def project(tmp_path_factory, tmp_path, monkeypatch):
    """A project with a network of a user's file, and a store of this test's own."""
    tiny.enter(tiny.drawn(tmp_path_factory), monkeypatch)
    monkeypatch.setenv("ROBUST_CACHE_BEHIND", str(paths.cache()))
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path / "build"))
    (tmp_path / "nets.py").write_text(NETS)
    monkeypatch.chdir(tmp_path)


def begun(**settings):
    """A run of that network alone."""
    begun = start(chapter("inc_2_mce"), "tiny", models=[], severities=[2], **settings)
    return replace(begun, networks=(Network("nets.py:one"),))


def names(run):
    return [(part.kind, part.name, part.network) for part in parts(run)]


def test_a_run_is_shown_by_the_corruption_or_by_role_and_network(project):
    run = begun(corruptions=["fog", "contrast"])
    assert names(run) == [("corruption", "fog", ""), ("corruption", "contrast", ""),
                          ("clean", "", "")]  # fmt: skip
    run = start(chapter("nae_2_imagenet_a"), "tiny", models=["nets.py:one"])
    shown = names(run)
    assert shown
    assert {("images", "one")} == {(kind, network) for kind, _, network in shown}
    assert {"imagenet_a", "imagenet_val_a"} <= {role for _, role, _ in shown}


def test_two_processes_predict_what_one_does_bit_by_bit(project, monkeypatch):
    make = partial(begun, corruptions=list(CORRUPTIONS))
    run = make()
    given = (run.profile, run.images, run.models, run.corruptions)
    alone = corrupted_sets.grid(*given, None)
    with processes(2) as each:
        fill(run, make, each)
        monkeypatch.setattr("robust_lib.predict.classify.ask", lambda *_: pytest.fail("predicted"))
        found = make().grid()
    assert found.corruptions == CORRUPTIONS
    assert found.cells.keys() == alone.cells.keys()
    pairs = [(found.cells[key][0], alone.cells[key][0]) for key in alone.cells]
    pairs.append((found.clean["one"][0], alone.clean["one"][0]))
    for one, other in pairs:
        np.testing.assert_array_equal(one.predicted, other.predicted)
        np.testing.assert_array_equal(one.confidence, other.confidence)


def test_an_error_of_a_process_is_one_of_this_and_ends_the_work(project, monkeypatch):
    make = partial(begun, corruptions=["fog", "contrast"])
    run = make()
    assert run.models
    monkeypatch.setenv("FAILS", "1")
    with processes(2) as each, pytest.raises(ModelError, match="NaN or infinity for image") as told:
        fill(run, make, each)
    assert "\n" not in str(told.value)
    monkeypatch.setenv("DIES", "1")
    with processes(2) as each, pytest.raises(RunError, match="ended in the middle of its work"):
        fill(run, make, each)


def test_a_process_ends_when_its_parent_does(monkeypatch):
    ended = []
    monkeypatch.setattr(side_by_side, "_made", lambda _: time.sleep(1))
    monkeypatch.setattr(side_by_side, "_shown", lambda *_: None)
    monkeypatch.setattr(os, "_exit", ended.append)
    monkeypatch.setattr(side_by_side, "LOOK", 0.01)
    side_by_side._show(b"", Part("clean"), lambda: True)
    assert ended
    ended.clear()
    monkeypatch.setattr(side_by_side, "_made", lambda _: None)
    for _ in range(3):
        side_by_side._show(b"", Part("clean"), lambda: False)
    assert not ended


def test_what_several_jobs_cannot_do_is_refused(project):
    run = begun(corruptions=["fog"])
    with pytest.raises(InputError, match="device cpu for several jobs, but got cuda"):
        side_by_side.require_processor("cuda")
    with pytest.raises(InputError, match="for several jobs, since each job loads it, but got Net"):
        robust_lib.evaluate(run.models["one"][0].module, profile="tiny", jobs=2)
