"""How the detectors of a run learned, under their titles."""

import pytest

from robust_book.chapters import vid_3_detection as chapter
from robust_book.chapters.vid_3_detection import own
from tests.chapters.pages import page as page_of


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    return page_of(chapter).run


def test_losses_stand_under_the_detectors_titles(run, monkeypatch):
    class Made:
        class model:  # noqa: N801
            name = "rfcn_resnet101_mini~1"

        class curves:  # noqa: N801
            loss = (2.0, 1.0)

    monkeypatch.setattr(own, "trained_detectors", lambda *_: [Made, Made])
    assert own.losses(run) == {"R-FCN, ResNet-101-like": [[2.0, 1.0]] * 2}
