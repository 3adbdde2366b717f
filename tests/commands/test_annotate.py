"""`robust annotate`, as a user types it: from candidates to objects that people drew."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from robust_lib.curation import (
    annotation,
    annotation_files,
    annotation_sheet,
    candidate_set,
    object_file,
)
from tests.commands.searching import SEARCH, project, robust
from tests.curation.annotating import FAIR, MISTAKE, answered, boxed

__all__ = ["project", "robust"]

REPOSITORY = Path(__file__).resolve().parents[2]
ANNOTATE = ("annotate", "pool", "--candidates", "made.json")


def test_from_candidates_to_objects(robust, project):
    assert robust(*SEARCH, "--truth", "truth.json")[0] == 0
    asks = ("annotate", "pool", "--candidates", "candidates.json", "--annotators", "3")
    status, printed, _ = robust(*asks)
    assert (status, printed) == (
        0,
        "3 boxes for 3 annotators to judge: open pool/stage-1.html in a browser.\n",
    )
    found = candidate_set.load(project / "candidates.json")
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
    assert "class: 1 of 3 candidates rejected; agreement 77.8 %" in printed
    confirmed = candidate_set.load(project / "pool" / "confirmed.json")
    assert [one.file for one in confirmed.photographs] == ["cat.jpg"]
    assert (project / "pool" / "answers.csv").read_text().count("\n") == 4

    # The page of the book goes on from here.
    page = (REPOSITORY / "book" / "filter_and_review.md").read_text("utf-8")
    (block,) = re.findall(r"```\{code-block\} python\n:class: objects\n(.*?)```", page, re.DOTALL)
    space = {}
    exec(compile(block.replace('"pictures"', '"pool"'), "block", "exec"), space)
    assert space["made"].funnel() == {"pictures": 4, "with a candidate": 3, "confirmed": 1}

    draws = ("annotate", "pool", "--candidates", "pool/confirmed.json", "--stage", "2")
    status, printed, _ = robust(*draws)
    assert printed == "1 images in which to draw boxes: open pool/stage-2.html in a browser.\n"
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
    assert "ask one person to open pool/review.html" in printed

    by_annotator = [
        annotation_files.read_boxes(drawn, project / f"boxes-{name}.json").boxes for name in boxes
    ]
    review = annotation_sheet.of_boxes(
        replace(confirmed, proposals=annotation.together(by_annotator)), "pool"
    )
    assert review.digest in (project / "pool" / "review.html").read_text("utf-8")
    cleo = boxed(project / "boxes-cleo.json", review, "cleo", [(0, 17, 0, 0, 20, 14)])
    status, printed, _ = robust(*draws, "--read", *files, str(cleo))
    assert status == 0
    assert "1 objects in 1 images, as decided by cleo" in printed
    (told,) = object_file.objects(
        project / "pool" / "objects.json", confirmed.photographs, ("cat", "dog")
    )
    assert told.boxes.tolist() == [[0, 0, 20, 14]]


def test_the_second_stage_takes_any_folder(robust, project):
    status, printed, _ = robust("annotate", "pool", "--stage", "2")
    assert status == 0
    assert "4 images in which to draw boxes" in printed
    page = (project / "pool" / "stage-2.html").read_text("utf-8")
    assert '"name": "toothbrush"' in page


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("annotate", "pool"), "Expected --candidates for stage 1"),
        ((*ANNOTATE, "--stage", "3"), "Expected stage 1 or 2, but got 3"),
        ((*ANNOTATE, "--annotators", "4"), "an odd number of annotators"),
        (ANNOTATE, "Expected candidates at made.json, but there is no such file"),
        (("annotate", "nowhere", "--stage", "2"), "Expected a folder of images at nowhere"),
        (("annotate", "pool", "--stage", "2", "--classes", "zoo"), "class list to be one of"),
        (("annotate", "pool", "--stage", "2", "--read", "no.json"), "there is no such file"),
    ],
)
def test_what_is_refused_with_one_paragraph(robust, project, words, told):
    status, _, complaint = robust(*words)
    assert status == 1
    assert told in complaint
    assert complaint.count("\n") == 1
    assert not (project / "pool/stage-1.html").exists()


def test_files_of_other_sheets_and_too_few_answers_are_refused(robust, project):
    assert robust(*SEARCH)[0] == 0
    found = candidate_set.load(project / "candidates.json")
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
    assert "0 are from the former and 1 from other sheets" in complaint
    whole = annotation_sheet.of_boxes(found, "pool")
    files = [str(boxed(project / name, whole, "ada", [])) for name in ("c.json", "d.json")]
    status, _, complaint = robust(*asks, "--stage", "2", "--read", *files)
    assert status == 1
    assert "one file per annotator, but got ada, ada" in complaint
