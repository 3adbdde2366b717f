"""Reviews: what several people decided, and what is refused."""

import re
from pathlib import Path

import pandas as pd
import pytest

from robust_lib import paths
from robust_lib.curation import decisions, review_sheet, reviews
from robust_lib.errors import DataError
from tests.curation.sheets import decided, filtration


def test_what_several_people_decided(folder, tmp_path):
    sheet = review_sheet.of_folder(folder)
    told = reviews.read(
        sheet,
        [
            decided(tmp_path / "a.json", sheet, "Ada", "keep", "keep", "drop", "keep"),
            decided(tmp_path / "b.json", sheet, "Bob", "keep", "drop", "drop"),
        ],
    )
    assert told.majority == dict(zip(sheet.files, ["keep", "unsure", "drop", "keep"], strict=True))
    assert told.seen_by_all == sheet.files[:3]
    lines = told.summary().splitlines()
    assert lines[0] == "Ada: 3 keep, 1 drop, 0 unsure of 4"
    assert lines[2] == "majority: 2 keep, 1 drop, 1 unsure of 4"
    # Two of three pairs agree; by chance 1/4 + 1/4: (2/3 - 1/2) / (1/2).
    assert lines[3].startswith("agreement: 66.7 % of pairs of votes, Fleiss' kappa 0.333, on 3")
    told.save(tmp_path / "reviewed.csv")
    table = pd.read_csv(tmp_path / "reviewed.csv", index_col="file")
    assert table.loc["a/two <b>.png"].tolist() == [1, 1, 0, "unsure"]
    assert table["majority"].tolist() == ["keep", "unsure", "drop", "keep"]


def test_one_reviewer_alone_and_one_category_alone(folder, tmp_path):
    sheet = review_sheet.of_folder(folder)
    ada = decided(tmp_path / "a.json", sheet, "Ada", "keep", "keep")
    assert "agreement" not in reviews.read(sheet, [ada]).summary()
    bob = decided(tmp_path / "b.json", sheet, "Bob", "keep", "keep")
    told = reviews.read(sheet, [ada, bob])
    assert "100.0 % of pairs of votes, Fleiss' kappa not defined" in told.summary()
    told.save(tmp_path / "reviewed.csv")
    assert (tmp_path / "reviewed.csv").read_text().splitlines()[-1].endswith("0,0,0,")


def test_decisions_go_back_into_the_filtration_as_the_page_says(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (paths.book() / "filter_and_review.md").read_text("utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    decisions.save(filtration(), Path("manifest.csv"))
    Path("candidates").symlink_to(folder)
    sheet = review_sheet.of_filtration(folder, filtration())
    for name in ("Ada", "Bob"):
        decided(Path(f"decisions-{name.lower()}.json"), sheet, name, "keep", "drop")
    scope: dict[str, object] = {}
    exec(compile(block, "filter_and_review.md", "exec"), scope)
    assert scope["final"].shortlisted == ("a/one.jpg",)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"sheet": "of another"}, "a sheet with a different list"),
        ({"decisions": {"gone.jpg": "keep"}}, r"decides on 1 others \(gone.jpg\)"),
        ({"decisions": {"four.jpg": "yes"}}, "its decision on four.jpg is not one of"),
        ({"decisions": ["keep"]}, "it is of format 1"),
        ({"format": 2}, "it is of format 2"),
        ({"reviewer": ""}, "it does not name its reviewer"),
        ({"more": 1}, "its fields differ"),
    ],
)
def test_decisions_that_are_refused(folder, tmp_path, changes, told):
    sheet = review_sheet.of_folder(folder)
    path = decided(tmp_path / "a.json", sheet, "Ada", "keep", **changes)
    with pytest.raises(DataError, match=told):
        reviews.read(sheet, [path])


def test_files_that_are_refused(folder, tmp_path):
    sheet = review_sheet.of_folder(folder)
    with pytest.raises(DataError, match="no such file"):
        reviews.read(sheet, [tmp_path / "none.json"])
    (tmp_path / "torn.json").write_text('{"format": 1,')
    with pytest.raises(DataError, match="it contains none"):
        reviews.read(sheet, [tmp_path / "torn.json"])
    twice = [decided(tmp_path / f"{n}.json", sheet, "Ada", "keep") for n in "ab"]
    with pytest.raises(DataError, match=r"a.json.*b.json.*Ada"):
        reviews.read(sheet, twice)
