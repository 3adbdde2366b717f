"""Both copies from small real layouts: an archive that was written with other random numbers."""

import pytest

from robust_book.chapters import inc_2_mce
from robust_lib.datasets.archive_writer import write
from robust_lib.errors import InputError
from robust_lib.preprocessing import Preprocessing
from robust_lib.run import regenerated
from robust_lib.run.start import start
from tests import tiny, trees

CORRUPTIONS = ("gaussian_noise", "contrast")


def project(folder):
    """Validation images and an archive of two corruptions, made of them with another seed."""
    tiny.real_layouts(folder)
    source = trees.class_folders(folder / "data" / "imagenet_val" / "val", per_class=1)
    write.write(
        source, folder / "data" / "imagenet_c", corruptions=CORRUPTIONS, severities=[1, 2, 3, 4, 5],
        geometry=Preprocessing(256, 224), seed=5, workers=1, progress=False,
    )  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return project(tmp_path_factory.mktemp("copies"))


def run(**settings):
    given = {"corruptions": CORRUPTIONS, "severities": [2, 4], "device": "cpu"}
    return start(inc_2_mce.CHAPTER, "full", models=["squeezenet1_1"], **given | settings)


@pytest.fixture
def entered(made, monkeypatch):
    return tiny.enter(made, monkeypatch)


@pytest.mark.slow
def test_both_copies_show_the_same_pictures(entered):
    both = regenerated.copies(run())
    assert both.archive.cells.keys() == both.generated.cells.keys()
    assert len(both.archive.cells) == 2 * 2
    for cell, (old,) in both.archive.cells.items():
        assert old.ids == both.generated.cells[cell][0].ids
    assert both.archive.storage == "archive"
    assert both.generated.storage == "jpeg85 of 224 pixels, made as the archive"
    # What draws nothing is the same to the bit, as one library wrote both; noise is drawn anew.
    assert both.levels["contrast", 2] == both.levels["contrast", 4] == 0
    assert both.levels["gaussian_noise", 4] > both.levels["gaussian_noise", 2] > 5
    for severity in (2, 4):
        old, new = (
            grid.cells["squeezenet1_1", "contrast", severity][0]
            for grid in (both.archive, both.generated)
        )
        assert old.predicted.tolist() == new.predicted.tolist()
        assert old.confidence == pytest.approx(new.confidence, abs=1e-5)


def test_what_no_archive_has_is_refused_before_anything_runs(entered):
    with pytest.raises(InputError, match="it lacks border"):
        regenerated.copies(run(corruptions=["border"]))
    with pytest.raises(InputError, match="nothing to compare them with"):
        regenerated.copies(start(inc_2_mce.CHAPTER, "mini", models=["resnet18"]))
