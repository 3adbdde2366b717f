"""The file of candidates: what is saved is read back, and what is wrong is told."""

import json

import pytest

from robust_lib.curation import candidate_file
from robust_lib.errors import DataError
from tests.curation.annotating import found


def test_what_is_saved_is_read_back(tmp_path):
    path = tmp_path / "made" / "candidates.json"
    candidate_file.save(found(), path)
    assert candidate_file.load(path) == found()
    first = json.loads(path.read_text("utf-8"))["pictures"][0]
    assert first["candidates"][0]["bbox"] == [10.0, 20.0, 40.5, 40.0]
    assert [one["truth"] for one in first["candidates"]] == ["cat", None]


def broken(path, change):
    candidate_file.save(found(), path)
    saved = json.loads(path.read_text("utf-8"))
    change(saved)
    path.write_text(json.dumps(saved), "utf-8")
    return path


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda of: of.update(format=2), "format: Input should be 1"),
        (lambda of: of.pop("searched"), "searched: Field required"),
        (lambda of: of.update(more=1), "more: Extra inputs are not permitted"),
        (lambda of: of["categories"].append({"id": 9, "name": "cat"}), "a category stands twice"),
        (lambda of: of["pictures"].append(of["pictures"][0]), r"one\.jpg stands twice"),
        (
            lambda of: of["pictures"][0]["candidates"][0].update(predicted="bear"),
            r"one\.jpg has a box of bear, which is no category",
        ),
        (
            lambda of: of["pictures"][0]["candidates"][0].update(bbox=[100, 0, 30, 9]),
            r"one\.jpg is 120 x 90 pixels, and \[100.*\] is no box in it",
        ),
        (lambda of: of["pictures"][0]["candidates"][0].update(bbox=[9, 0, -3, 9]), "is no box"),
        (lambda of: of["pictures"][0]["candidates"][0].update(score=80), "less than or equal to 1"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path, change, told):
    with pytest.raises(DataError, match=told) as error:
        candidate_file.load(broken(tmp_path / "candidates.json", change))
    assert "Write it anew with `robust candidates`" in str(error.value)


def test_no_file_and_no_json(tmp_path):
    with pytest.raises(DataError, match="there is no such file"):
        candidate_file.load(tmp_path / "absent.json")
    (tmp_path / "torn.json").write_text('{"format": 1, "pic')
    with pytest.raises(DataError, match="it is no such file: Invalid JSON"):
        candidate_file.load(tmp_path / "torn.json")
