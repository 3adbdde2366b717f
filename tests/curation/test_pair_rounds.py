"""Two rounds of votes on pairs: what is doubted, what stays, and which files are refused."""

import json
from collections import Counter
from itertools import product

import pandas as pd
import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.curation import pair_rounds
from robust_lib.curation.pair_rounds import first_round, second_round, shares, verdict
from robust_lib.curation.review_sheet import ROUND_1
from robust_lib.curation.video_frames import Drawn, FrameRecord
from robust_lib.errors import DataError, InputError
from tests.curation.pairs import decided, names, record
from tests.curation.sheets import data

VID = load_classes("imagenet_vid")


def test_a_pair_is_an_anchor_and_a_neighbour(tmp_path):
    found = record(b=[9, 12], a=[20])
    assert [(one.anchor, one.neighbour) for one in pair_rounds.pairs(found)] == [
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
        with pytest.raises(InputError, match="Expected 1 to 2 sheets"):
            shares(whole, count, each, 0)


FOUND = record(a=[8, 9, 11, 12], b=[13])
FIRST = {"Ada": {8: "motion"}, "Bob": {8: "blur", 12: "unsure"}, "Cleo": {8: "motion", 9: "wrong"}}
SECOND = {"Ada": {8: "motion"}, "Bob": {8: "motion", 12: "blur"}, "Cleo": {9: "wrong", 12: "other"}}


@pytest.fixture
def first(tmp_path):
    sheet = first_round(tmp_path, FOUND, VID)
    return [decided(tmp_path / f"1-{who}.json", sheet, who, said) for who, said in FIRST.items()]


@pytest.fixture
def second(tmp_path):
    names_ = names(FOUND)
    sheet = second_round(tmp_path, FOUND, VID, [names_[0], names_[1], names_[3]])
    return [decided(tmp_path / f"2-{who}.json", sheet, who, said) for who, said in SECOND.items()]


def read(tmp_path, paths):
    return pair_rounds.read(tmp_path, FOUND, VID, paths)


def test_what_anybody_doubted_goes_to_the_second_round(tmp_path, first):
    told = read(tmp_path, first)
    every = names(FOUND)
    assert told.doubted == (every[0], every[1], every[3])
    assert not told.is_complete


def test_a_strict_majority_of_the_second_round_keeps_a_pair(tmp_path, first, second):
    told = read(tmp_path, [second[0], *first, *second[1:]])  # in any order
    assert told.is_complete
    # 8: motion, motion, similar; 9: similar twice; 12: similar, blur, other.
    expected = ["motion", "similar", "similar", "mixed", "similar"]
    assert list(told.verdicts.values()) == expected
    told.save(tmp_path / "reviewed.csv")
    table = pd.read_csv(tmp_path / "reviewed.csv")
    assert table["verdict"].tolist() == expected
    assert table["round_1_similar"].tolist() == [0, 2, 3, 2, 3]
    assert table["round_1_motion"].tolist() == [2, 0, 0, 0, 0]
    assert table["round_2_similar"].tolist() == [1, 2, 0, 1, 0]
    assert table["neighbour"][0] == "val/a/000008.JPEG"
    assert len(table.columns) == 2 + 2 * len(ROUND_1.words) + 1


def test_agreement_takes_all_reasons_for_one(tmp_path, first, second):
    lines = read(tmp_path, [*first, *second]).summary().splitlines()
    assert lines[1] == (
        "round 1, Bob: 3 similar, 0 motion, 0 background, 1 blur, 0 other, 1 unsure, 0 wrong of 5"
    )
    # Of five pairs with three votes each, three are unanimous and two agree in one of three pairs
    # of votes: (3 + 2 / 3) / 5. Shares: 10 similar, 3 dissimilar, 1 unsure, 1 wrong of 15.
    chance = (100 + 9 + 1 + 1) / 225
    kappa = (11 / 15 - chance) / (1 - chance)
    assert lines[3] == (
        f"round 1, agreement: 73.3 % of pairs of votes, Fleiss' kappa {kappa:.3f}, "
        "on 5 pairs of 3 votes each"
    )
    assert len(lines) == 8


def test_if_nothing_is_doubted_there_is_no_second_round(tmp_path):
    sheet = first_round(tmp_path, FOUND, VID)
    told = read(tmp_path, [decided(tmp_path / "a.json", sheet, "Ada", {})])
    assert told.is_complete
    assert set(told.verdicts.values()) == {"similar"}
    assert "agreement" not in told.summary()


def test_shares_of_the_first_round_are_put_together(tmp_path):
    sheet = first_round(tmp_path, FOUND, VID)
    ours = decided(tmp_path / "a.json", sheet, "Ada", {8: "similar", 9: "blur"}, default=None)
    with pytest.raises(DataError, match=r"5 pairs.*3.*none"):
        read(tmp_path, [ours])
    rest = {11: "similar", 12: "similar", 13: "similar", 8: "similar"}
    told = read(tmp_path, [ours, decided(tmp_path / "b.json", sheet, "Bob", rest, default=None)])
    assert told.doubted == (names(FOUND)[1],)
    assert told.summary().endswith("on 1 pairs of 2 votes each")


@pytest.mark.parametrize("votes", [*product(("similar", "motion", "unsure"), repeat=4)])
def test_the_verdict_is_that_of_counting(votes):
    others = {word: votes.count(word) for word in ("motion", "unsure")}
    if votes.count("similar") in (3, 4):
        expected = "similar"
    elif others["motion"] == others["unsure"]:
        expected = "mixed"
    else:
        expected = max(others, key=others.get)
    assert verdict(votes) == expected


def test_no_votes_have_no_verdict():
    with pytest.raises(InputError, match="at least one vote"):
        verdict([])


def test_all_reviewers_decide_on_all_pairs_of_the_second_round(tmp_path, first, second):
    with pytest.raises(DataError, match=r"3 reviewers.*Cleo.*among"):
        read(tmp_path, [*first, *second[:2]])
    saved = json.loads(second[1].read_text())
    saved["decisions"].popitem()
    second[1].write_text(json.dumps(saved))
    with pytest.raises(DataError, match=r"decide.*3.*1.*open \(val/a/0"):
        read(tmp_path, [*first, *second])


def test_files_of_another_sheet_are_refused(tmp_path, first, second):
    with pytest.raises(DataError, match="is from a sheet with a different list"):
        read(tmp_path, second)
    sheet = first_round(tmp_path, FOUND, VID)
    # Ada changes her mind after the sheet of the second round was written.
    first[0] = decided(tmp_path / "1-Ada.json", sheet, "Ada", {8: "motion", 11: "blur"})
    with pytest.raises(DataError, match="is from a sheet with a different list"):
        read(tmp_path, [*first, *second])
    other = first_round(tmp_path, record(c=[9]), VID)
    with pytest.raises(DataError, match="decides on 1 others"):
        read(tmp_path, [decided(tmp_path / "o.json", other, "Ada", {})])
    twice = decided(tmp_path / "again.json", sheet, "Ada", {})
    with pytest.raises(DataError, match="both by Ada"):
        read(tmp_path, [*first, twice])
    odd = decided(tmp_path / "odd.json", sheet, "Dan", {8: "keep"})
    with pytest.raises(DataError, match=r"its decision on .* is not one of"):
        read(tmp_path, [odd])
