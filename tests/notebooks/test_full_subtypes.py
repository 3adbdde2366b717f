"""The chapter on auxiliary experiments on CIFAR-100's own pickles, with its own Wide ResNet."""

import json

import pytest

from robust_book.chapters import inc_5_auxiliary as chapter
from robust_book.chapters.inc_5_auxiliary import cifar_100
from robust_book.page import Page
from robust_lib.protocols import cifar_100_subtypes as protocol
from robust_lib.run.start import start
from tests import tiny
from tests.datasets.test_cifar100 import written


def layouts(folder):
    """The three pickles where the archive unpacks them: ten pictures of each broad class."""
    tiny.real_layouts(folder)
    root = folder / "data" / "cifar100" / "cifar-100-python"
    root.parent.mkdir(parents=True)
    written(root)
    (root / "test").write_bytes((root / "train").read_bytes())
    told = {"files": [], "instructions": "made for a test", "access": "terms"}
    tiny.change(folder / "data_manifests" / "datasets" / "cifar100.yaml", **told)


@pytest.fixture
def run(tmp_path_factory, monkeypatch):
    released = tiny.shared(tmp_path_factory, "subtypes", layouts)
    tiny.enter(released, monkeypatch)
    return start(chapter.CHAPTER, "full_trained", device="cpu", epochs=1)


@pytest.mark.slow
def test_the_papers_network_meets_subtypes_that_it_was_not_trained_on(run):
    page, settings = Page(run), cifar_100.settings(run, [4])
    assert cifar_100.settings(run) == (1, 2, 3, 4)
    held = cifar_100.unseen(run, settings)
    said = cifar_100.predictions(run, settings)
    rows = protocol.results(said, held, run.images.name, samples=50)
    rows += protocol.facts(cifar_100.pictures(run), settings)
    cifar_100.errors(page, rows)
    assert rows.row(dataset="cifar100_unseen", model="wrn40_2", severity=4).n == 160
    assert rows.row(dataset="cifar100_seen", model="wrn40_2", severity=4).n == 40
    cifar_100.worst(page, said, held)
    cifar_100.by_class(page, said, held)
    page.save(rows, cifar_100.key_numbers(rows, run.images.name))
    saved = json.loads((run.folder / "results" / "inc_5_auxiliary.json").read_text("utf-8"))
    ((*verdicts,),) = (item["verdicts"] for item in saved["items"])
    printed = [one["verdict"] for one in verdicts if one["model"] == "wrn40_2"]
    assert len(printed) == 2
    assert set(printed) == {"not comparable"}  # other subclasses are held out than the paper did
