"""Candidates and their file: some of the images, what is saved is read back, errors are told."""

import json

import pytest

from robust_lib.curation import candidate_set
from robust_lib.errors import DataError
from tests.curation.annotating import FILES, found


def test_what_is_saved_is_read_back(tmp_path):
    path = tmp_path / "made" / "candidates.json"
    candidate_set.save(found(), path)
    assert candidate_set.load(path) == found()
    first = json.loads(path.read_text("utf-8"))["pictures"][0]
    assert first["candidates"][0]["bbox"] == [10.0, 20.0, 40.5, 40.0]
    assert [one["truth"] for one in first["candidates"]] == ["cat", None]


def broken(path, change):
    candidate_set.save(found(), path)
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
        candidate_set.load(broken(tmp_path / "candidates.json", change))
    assert "Write it anew with `robust candidates`" in str(error.value)


def test_no_file_and_no_json(tmp_path):
    with pytest.raises(DataError, match="there is no such file"):
        candidate_set.load(tmp_path / "absent.json")
    (tmp_path / "torn.json").write_text('{"format": 1, "pic')
    with pytest.raises(DataError, match="it is no such file: Invalid JSON"):
        candidate_set.load(tmp_path / "torn.json")


def test_some_pictures_are_numbered_anew():
    second = found().only([1])
    assert [one.file for one in second.photographs] == [FILES[1]]
    assert [(one.image, one.score) for one in second.candidates] == [(0, 0.9)]
    assert second.proposals == ((),)
    assert found().only([]).candidates == ()
    assert found().only([0, 1]) == found()


def test_names_that_occur_twice_and_boxes_inside_of_an_image():
    assert candidate_set.repeated(["a", "b", "a"]) == "a"
    assert candidate_set.repeated("ab") is None
    for box, within in (
        ((0.0, 0.0, 64.0, 48.0), True),
        ((-0.01, 0.0, 64.01, 48.0), True),
        ((0.0, 0.0, 64.1, 48.0), False),
        ((0.0, -0.1, 64.0, 48.0), False),
        ((0.0, 0.0, 64.0, 48.1), False),
    ):
        assert candidate_set.inside(box, 64, 48) == within, box
