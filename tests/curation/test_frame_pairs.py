"""Pairs of frames on sheets: all of them, in shares, and those of the second round."""

from collections import Counter

import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.curation import frame_pairs
from robust_lib.curation.frame_pairs import first_round, second_round, shares
from robust_lib.curation.frame_record import Drawn, FrameRecord
from robust_lib.errors import DataError, InputError
from tests.curation.pairs import record
from tests.curation.sheets import data

VID = load_classes("imagenet_vid")


def test_a_pair_is_an_anchor_and_a_neighbour(tmp_path):
    found = record(b=[9, 12], a=[20])
    assert [(one.anchor, one.neighbour) for one in frame_pairs.pairs(found)] == [
        ("val/a/000010.JPEG", "val/a/000020.JPEG"),
        ("val/b/000010.JPEG", "val/b/000009.JPEG"),
        ("val/b/000010.JPEG", "val/b/000012.JPEG"),
    ]
    sheet = first_round(tmp_path / "out", found, VID)
    sheet.write(tmp_path / "out" / "round-1.html")
    told = data((tmp_path / "out" / "round-1.html").read_text("utf-8"))
    assert told["title"] == "out, round 1"
    assert told["mode"]["page"] == 1
    assert told["mode"]["shuffled"]
    assert told["files"][1] == {
        "file": "val/b/000010.JPEG 000009.JPEG",
        "pictures": [
            {"address": "val/b/000010.JPEG", "caption": "anchor, frame 10"},
            {"address": "val/b/000009.JPEG", "caption": "frame 9, 1 earlier"},
        ],
        "truth": "dog",
    }
    assert told["files"][2]["pictures"][1]["caption"] == "frame 12, 2 later"


def test_labels_that_differ_are_told_apart(tmp_path):
    one = Drawn(
        name="a", source="a", bytes=9, rate=None, anchor=1, frames={1: (6, 8), 2: (6, 8), 3: (6,)}
    )
    found = FrameRecord(k=10, seed=0, classes="imagenet_vid", videos=(one,))
    assert [thing.truth for thing in first_round(tmp_path, found, VID).shown] == [
        "car, dog",
        "anchor: car, dog; other frame: car",
    ]


@pytest.mark.parametrize(("count", "each"), [(1, 1), (4, 1), (4, 2), (3, 3)])
def test_shares_are_even_and_hold_each_pair_so_often(tmp_path, count, each):
    found = record(**{f"v{n:02}": range(1, 10) for n in range(7)})
    whole = first_round(tmp_path, found, VID)
    dealt = shares(whole, count, each, seed=0)
    assert len(dealt) == count
    often = Counter(name for share in dealt for name in share.files)
    assert often == dict.fromkeys(whole.files, each)
    sizes = [len(share.files) for share in dealt]
    assert max(sizes) - min(sizes) <= each
    assert {share.digest for share in dealt} == {whole.digest}
    assert len({share.title for share in dealt}) == count
    assert [share.files for share in dealt] == [s.files for s in shares(whole, count, each, 0)]
    if each < count:
        assert [share.files for share in dealt] != [s.files for s in shares(whole, count, each, 1)]


def test_the_second_round_is_another_sheet_even_of_the_same_pairs(tmp_path):
    found = record(a=[9, 12], b=[11])
    whole = first_round(tmp_path, found, VID)
    again = second_round(tmp_path, found, VID, whole.files)
    assert again.files == whole.files
    assert again.digest != whole.digest
    assert second_round(tmp_path, found, VID, whole.files[1:2]).files == whole.files[1:2]


def test_what_is_refused(tmp_path):
    with pytest.raises(DataError, match="no anchor has a neighbour"):
        first_round(tmp_path, record(a=[]), VID)
    whole = first_round(tmp_path, record(a=[9, 12]), VID)
    for count, each in ((0, 1), (2, 0), (1, 2), (3, 1)):
        with pytest.raises(InputError, match="Expected 1 to 2 shares"):
            shares(whole, count, each, 0)
