"""`robust candidates` and `robust annotate`, as a user types them: from pictures to objects."""

import json
from dataclasses import replace

import pytest

from robust_lib.curation import (
    annotation_files,
    annotation_sheet,
    box_agreement,
    candidate_file,
    object_file,
)
from robust_lib.curation.candidate_file import Photograph
from tests import tiny, trees
from tests.curation.annotating import FAIR, MISTAKE, answered, boxed

# A dog of which it is sure in every picture, and a person of which it is not; nothing is learnt.
DETECTOR = """
import numpy as np

class Dogs:
    name, classes, outputs, fingerprint = "dogs", "{classes}", {outputs}, "none"
    least_score, most = 0.1, 100

    def __call__(self, images):
        return [self.look(*image.shape[1:]) for image in images]

    def look(self, height, width):
        boxes = np.array([[0, 0, width / 2, height / 2], [0, 0, width, height]], np.float32)
        return boxes, np.array([16, 0]), np.array([0.9, 0.6], np.float32)

def build():
    return Dogs()
"""
TRUTH = {
    "images": [
        {"id": number, "file_name": f"{name}.jpg", "width": 40, "height": 30}
        for number, name in enumerate(("cat", "dog", "fox", "sub/empty"))
    ],
    "annotations": [
        {"id": number, "image_id": number, "category_id": number, "bbox": [0, 0, 20, 15]}
        for number in range(3)
    ],
    "categories": [{"id": at, "name": name} for at, name in enumerate(("cat", "dog", "fox"))],
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "my_detector.py").write_text(DETECTOR.format(classes="coco", outputs=80))
    (folder / "odd.py").write_text(DETECTOR.format(classes="zoo", outputs=80))
    (folder / "truth.json").write_text(json.dumps(TRUTH))
    for number, name in enumerate(("cat", "dog", "fox", "sub/empty")):
        trees.save(folder / "pool" / f"{name}.jpg", number)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path / "build"))
    return folder


@pytest.fixture
def robust(project, monkeypatch, capsys):
    return lambda *words: tiny.command(monkeypatch, capsys, *words)


SEARCH = ("candidates", "pool", "--detector", "my_detector.py:build")


def kinds(path):
    found = candidate_file.load(path)
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
    assert "Without --truth every sure box is a candidate" in printed
    assert set(kinds(project / "candidates.json").values()) == {("hard", None)}
    found = candidate_file.load(project / "candidates.json")
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
    assert "none of 4 pictures has one" in complaint


def test_from_candidates_to_objects(robust, project):
    assert robust(*SEARCH, "--truth", "truth.json")[0] == 0
    asks = ("annotate", "pool", "--candidates", "candidates.json", "--annotators", "3")
    status, printed, _ = robust(*asks)
    assert (status, printed) == (
        0,
        "3 boxes to ask 3 people about: open pool/stage-1.html in a browser.\n",
    )
    found = candidate_file.load(project / "candidates.json")
    asked = annotation_sheet.of_questions(found, "pool")
    assert asked.digest in (project / "pool" / "stage-1.html").read_text("utf-8")

    # All see the cat; two of three see a dog where there is a fox; the empty one shows no object.
    votes = {
        "ada": (FAIR, FAIR, MISTAKE | {"box": "no"}),
        "bob": (FAIR, FAIR, MISTAKE | {"box": "no"}),
        "cleo": (FAIR, MISTAKE, MISTAKE),
    }
    files = [
        str(answered(project / f"answers-{name}.json", asked, name, *said))
        for name, said in votes.items()
    ]
    status, printed, _ = robust(*asks, "--read", *files)
    assert status == 0
    counts = [line.split(maxsplit=1) for line in printed.splitlines()[:3]]
    assert counts == [["4", "pictures"], ["3", "with a candidate"], ["1", "confirmed"]]
    assert "class: 1 of 3 candidates fall; agreement 77.8 %" in printed
    confirmed = candidate_file.load(project / "pool" / "confirmed.json")
    assert [one.file for one in confirmed.photographs] == ["cat.jpg"]
    assert (project / "pool" / "answers.csv").read_text().count("\n") == 4

    draws = ("annotate", "pool", "--candidates", "pool/confirmed.json", "--stage", "2")
    status, printed, _ = robust(*draws)
    assert printed == "1 pictures to put boxes in: open pool/stage-2.html in a browser.\n"
    drawn = annotation_sheet.of_boxes(confirmed, "pool")
    boxes = {"ada": [(0, 17, 0, 0, 20, 15)], "bob": [(0, 17, 0, 0, 20, 12), (0, 18, 25, 5, 9, 9)]}
    files = [
        str(boxed(project / f"boxes-{name}.json", drawn, name, said))
        for name, said in boxes.items()
    ]
    status, printed, _ = robust(*draws, "--read", *files)
    assert status == 0
    assert (
        "agreement: 66.7 % of 3 boxes have a partner of the same class, of mean IoU 0.8" in printed
    )
    assert "let one person open pool/review.html" in printed

    by_annotator = [
        annotation_files.read_boxes(drawn, project / f"boxes-{name}.json").boxes for name in boxes
    ]
    review = annotation_sheet.of_boxes(
        replace(confirmed, proposals=box_agreement.together(by_annotator)), "pool"
    )
    assert review.digest in (project / "pool" / "review.html").read_text("utf-8")
    cleo = boxed(project / "boxes-cleo.json", review, "cleo", [(0, 17, 0, 0, 20, 14)])
    status, printed, _ = robust(*draws, "--read", *files, str(cleo))
    assert status == 0
    assert "1 objects in 1 pictures, as cleo says" in printed
    (told,) = object_file.objects(
        project / "pool" / "objects.json", confirmed.photographs, ("cat", "dog")
    )
    assert told.boxes.tolist() == [[0, 0, 20, 14]]


def test_the_second_stage_takes_any_folder(robust, project):
    status, printed, _ = robust("annotate", "pool", "--stage", "2")
    assert status == 0
    assert "4 pictures to put boxes in" in printed
    page = (project / "pool" / "stage-2.html").read_text("utf-8")
    assert '"name": "toothbrush"' in page


def test_a_second_search_asks_no_detector(robust, project, monkeypatch):
    assert robust(*SEARCH)[0] == 0
    before = (project / "candidates.json").read_bytes()
    monkeypatch.setattr("robust_lib.predict.detect._detect_piece", lambda *_: pytest.fail("asked"))
    assert robust(*SEARCH)[0] == 0
    assert (project / "candidates.json").read_bytes() == before


ANNOTATE = ("annotate", "pool", "--candidates", "made.json")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("candidates", "nowhere", *SEARCH[2:]), "Expected a folder of pictures at nowhere"),
        ((*SEARCH[:3], "resnet18_mini"), "it returns classes, no boxes"),
        ((*SEARCH[:3], "odd.py:build"), "but they are called zoo. Say --classes, one of coco"),
        ((*SEARCH[:3], "odd.py:build", "--classes", "imagenet_vid"), "to have 30 classes"),
        ((*SEARCH, "--score", "80"), "from 0 up to, but not, 1"),
        ((*SEARCH, "--truth", "absent.json"), "there is no such file"),
        ((*SEARCH, "--truth", "my_detector.py"), "it is no such file"),
        ((*SEARCH, "--foreign"), "leave --foreign out"),
        (("annotate", "pool"), "Expected --candidates for stage 1"),
        ((*ANNOTATE, "--stage", "3"), "Expected stage 1 or 2, but got 3"),
        ((*ANNOTATE, "--annotators", "4"), "an odd number of annotators"),
        (ANNOTATE, "Expected candidates at made.json, but there is no such file"),
        (("annotate", "nowhere", "--stage", "2"), "Expected a folder of pictures at nowhere"),
        (("annotate", "pool", "--stage", "2", "--classes", "zoo"), "class list to be one of"),
        (("annotate", "pool", "--stage", "2", "--read", "no.json"), "there is no such file"),
    ],
)
def test_what_is_refused_with_one_paragraph(robust, project, words, told):
    status, _, complaint = robust(*words)
    assert status == 1
    assert told in complaint
    assert complaint.count("\n") == 1
    assert not (project / "candidates.json").exists()


def test_files_of_other_sheets_and_too_few_answers_are_refused(robust, project):
    assert robust(*SEARCH)[0] == 0
    found = candidate_file.load(project / "candidates.json")
    asked = annotation_sheet.of_questions(found, "pool")
    ada = str(answered(project / "a.json", asked, "ada", *[FAIR] * 4))
    asks = ("annotate", "pool", "--candidates", "candidates.json")
    status, _, complaint = robust(*asks, "--read", ada)
    assert status == 1
    assert "answers of 5 annotators, but got 1 files" in complaint
    drawn = annotation_sheet.of_boxes(found.only([0]), "pool")
    other = str(boxed(project / "b.json", drawn, "ada", []))
    status, _, complaint = robust(*asks, "--stage", "2", "--read", other)
    assert status == 1
    assert "0 are of the sheet and 1 of another" in complaint
    whole = annotation_sheet.of_boxes(found, "pool")
    files = [str(boxed(project / name, whole, "ada", [])) for name in ("c.json", "d.json")]
    status, _, complaint = robust(*asks, "--stage", "2", "--read", *files)
    assert status == 1
    assert "one file an annotator, but got ada, ada" in complaint
