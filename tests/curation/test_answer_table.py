"""What annotators answered, in words and as a table."""

import pandas as pd

from robust_lib.curation import annotation_sheet, answer_table, questions
from robust_lib.curation.object_filtration import ObjectFiltration
from tests.curation.annotating import found

FAIR = {"class": True, "box": True, "blurry": False, "occluded": False, "depiction": False}
MISTAKE = FAIR | {"class": False}


def made(*answers):
    return ObjectFiltration(
        pictures=10, candidates=found().candidates, answers=answers, settings={}
    )


def test_votes_and_what_becomes_of_each_box(tmp_path):
    told = made(
        (FAIR, FAIR, FAIR | {"blurry": True}),
        (MISTAKE, FAIR, FAIR),
        (MISTAKE, MISTAKE, MISTAKE | {"box": False}),
    )
    sheet = annotation_sheet.of_questions(found(), "toys")
    answer_table.save(told, sheet, tmp_path / "answers.csv")
    table = pd.read_csv(tmp_path / "answers.csv", index_col="box")
    assert table["falls_by"].tolist() == ["confirmed", "class", "confirmed"]
    assert table.loc["one.jpg 1"].tolist() == ["cat", 3, 3, 3, 1, 0, 0, "confirmed"]
    assert table.loc["sub folder/two #1.png 1", "box_yes"] == 2
    lines = answer_table.summary(told).splitlines()
    assert len(lines) == len(questions.NAMES)
    assert lines[0].startswith("class: 1 of 3 candidates fall; agreement 77.8 %")
    assert lines[3].endswith("Fleiss' kappa not defined, all votes alike")


def test_one_annotator_has_nobody_to_agree_with():
    assert "agreement" not in answer_table.summary(made((FAIR,), (FAIR,), (FAIR,)))
