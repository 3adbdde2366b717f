"""`robust candidates`, as a user types it: from pictures to those with sure mistakes."""

import pytest

from robust_lib.curation import candidate_set
from robust_lib.curation.candidate_set import Photograph
from tests.commands.searching import SEARCH, project, robust

__all__ = ["project", "robust"]


def kinds(path):
    found = candidate_set.load(path)
    names = [one.name for one in found.categories]
    return {
        found.photographs[one.image].file: (
            one.kind.split()[0],
            names[one.truth] if one.truth >= 0 else None,
        )
        for one in found.candidates
    }


def test_without_truth_every_sure_box_is_a_candidate(robust, project):
    status, printed, _ = robust(*SEARCH)
    assert status == 0
    assert "4 with a candidate" in printed
    assert "Without --truth, every confident box is a candidate" in printed
    assert set(kinds(project / "candidates.json").values()) == {("hard", None)}
    found = candidate_set.load(project / "candidates.json")
    assert found.photographs[0] == Photograph("cat.jpg", 40, 30)
    assert found.categories[16].id == 18  # COCO's own
    assert [len(of) for of in found.proposals] == [2] * 4


def test_truth_tells_mistakes_from_right_boxes(robust, project):
    words = ("--truth", "truth.json", "-o", "made/found.json")
    status, printed, _ = robust(*SEARCH, *words)
    assert status == 0
    assert "1 with egregious misclassifications" in printed
    assert "2 with hard false positives" in printed
    assert kinds(project / "made" / "found.json") == {
        "cat.jpg": ("egregious", "cat"),
        "fox.jpg": ("hard", None),
        "sub/empty.jpg": ("hard", None),
    }
    assert robust(*SEARCH, *words, "--foreign")[0] == 0
    assert kinds(project / "made" / "found.json")["fox.jpg"] == ("egregious", None)
    status, printed, _ = robust(*SEARCH, *words, "--score", "0.95")
    assert "0 with a candidate" in printed
    status, _, complaint = robust("annotate", "pool", "--candidates", "made/found.json")
    assert status == 1
    assert "none of 4 images has one" in complaint


def test_a_second_search_asks_no_detector(robust, project, monkeypatch):
    assert robust(*SEARCH)[0] == 0
    before = (project / "candidates.json").read_bytes()
    monkeypatch.setattr("robust_lib.predict.detect._detect_piece", lambda *_: pytest.fail("asked"))
    assert robust(*SEARCH)[0] == 0
    assert (project / "candidates.json").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("candidates", "nowhere", *SEARCH[2:]), "Expected a folder of images at nowhere"),
        ((*SEARCH[:3], "resnet18_mini"), "it returns classes, not boxes"),
        ((*SEARCH[:3], "odd.py:build"), "but they are called zoo. Set --classes to one of"),
        ((*SEARCH[:3], "odd.py:build", "--classes", "imagenet_vid"), "to have 30 classes"),
        ((*SEARCH, "--score", "80"), "of at least 0 and below 1"),
        ((*SEARCH, "--truth", "absent.json"), "there is no such file"),
        ((*SEARCH, "--truth", "my_detector.py"), "but the file differs"),
        ((*SEARCH, "--foreign"), "omit --foreign"),
    ],
)
def test_what_is_refused_with_one_paragraph(robust, project, words, told):
    status, _, complaint = robust(*words)
    assert status == 1
    assert told in complaint
    assert complaint.count("\n") == 1
    assert not (project / "candidates.json").exists()
