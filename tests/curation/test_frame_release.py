"""What is left after a review: sets, labels, the funnel, and the files that the release has."""

import json

import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.curation import frame_release
from robust_lib.curation.pair_rounds import Rounds, first_round, pairs, second_round
from robust_lib.curation.reviews import Review
from robust_lib.curation.video_frames import Drawn, FrameRecord
from robust_lib.datasets.vid_robust import read_frame_sets
from robust_lib.errors import DataError
from tests.curation.pairs import record

VID = load_classes("imagenet_vid")


def rounds(found, words):
    """Return two rounds in which one person says the same twice: number or (video, number)."""

    def said(pair):
        return words.get((pair.video.name, pair.number), words.get(pair.number, "similar"))

    first = {pair.name: said(pair) for pair in pairs(found)}
    doubted = {name: word for name, word in first.items() if word != "similar"}
    reviews = [Review("Ada", one, "", frame_release.Path("a.json")) for one in (first, doubted)]
    return Rounds(pairs(found), (reviews[0],), (reviews[1],) if doubted else ())


def test_pairs_that_fell_leave_the_sets_and_labels():
    found = record(a=[8, 9, 11, 12], b=[9, 11])
    told = frame_release.of_rounds(found, rounds(found, {9: "blur", 12: "unsure"}))
    assert told.sets == {
        "val/a/000010.JPEG": ("val/a/000008.JPEG", "val/a/000011.JPEG"),
        "val/b/000010.JPEG": ("val/b/000011.JPEG",),
    }
    assert list(told.labels) == [
        *("val/a/000008.JPEG", "val/a/000010.JPEG", "val/a/000011.JPEG"),
        *("val/b/000010.JPEG", "val/b/000011.JPEG"),
    ]
    assert set(told.labels.values()) == {(8,)}
    assert told.funnel == {
        "pairs": 6,
        "similar to all in round 1": 3,
        "similar to most in round 2": 0,
        "dropped: motion": 0,
        "dropped: background": 0,
        "dropped: blur": 2,
        "dropped: other": 0,
        "dropped: don't know": 1,
        "dropped: wrong label": 0,
        "dropped: reasons that differ": 0,
        "dropped with their anchor": 0,
        "pairs left": 3,
        "anchors": 2,
        "of a wrong label": 0,
        "without a similar frame": 0,
        "anchors left": 2,
    }


def test_an_anchor_whose_label_is_wrong_in_most_pairs_goes_with_its_set():
    found = record(half=[9, 11], most=[9, 11, 12], all=[9], alone=[9, 11], single=[])
    words = {
        ("half", 9): "wrong",
        ("most", 9): "wrong",
        ("most", 11): "wrong",
        ("all", 9): "wrong",
        ("alone", 9): "motion",
        ("alone", 11): "wrong",
    }
    told = frame_release.of_rounds(found, rounds(found, words))
    assert told.sets == {"val/half/000010.JPEG": ("val/half/000011.JPEG",)}
    funnel = told.funnel
    assert (funnel["of a wrong label"], funnel["without a similar frame"]) == (2, 2)
    assert (funnel["dropped: wrong label"], funnel["dropped with their anchor"]) == (5, 1)
    fell = [count for step, count in funnel.items() if step.startswith("dropped")]
    assert funnel["pairs"] - sum(fell) == funnel["pairs left"] == 1
    lost = funnel["of a wrong label"] + funnel["without a similar frame"]
    assert funnel["anchors"] - lost == funnel["anchors left"] == 1


@pytest.mark.parametrize("name", ["imagenet_vid", "coco"])
def test_the_files_are_read_as_those_of_the_release(tmp_path, name):
    classes = load_classes(name)
    one = Drawn(
        name="a", source="a", bytes=9, rate=None, anchor=3, frames={1: (8,), 3: (6, 8), 4: (6,)}
    )
    found = FrameRecord(k=10, seed=0, classes=name, videos=(one,))
    told = frame_release.of_rounds(found, rounds(found, {}))
    frame_release.write(tmp_path, told, classes)
    sets = read_frame_sets(tmp_path, classes)
    assert sets.frames == tuple(f"val/a/{n:06d}.JPEG" for n in (1, 3, 4))
    assert sets.labels == ((8,), (6, 8), (6,))
    assert sets.offsets.tolist() == [[-2, 0, 1]]
    text = json.loads((tmp_path / "metadata" / "pmsets.json").read_text())
    assert text == {"val/a/000003.JPEG": ["val/a/000001.JPEG", "val/a/000004.JPEG"]}
    index = json.loads((tmp_path / "misc" / "imagenet_vid_class_index.json").read_text())
    if name == "imagenet_vid":
        assert index["9"] == ["n02121808", "domestic_cat"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["metadata", "misc"]


def test_nothing_is_written_if_nothing_is_left(tmp_path):
    found = record(a=[9])
    told = frame_release.of_rounds(found, rounds(found, {9: "motion"}))
    with pytest.raises(DataError, match="every anchor was rejected"):
        frame_release.write(tmp_path, told, VID)
    assert list(tmp_path.iterdir()) == []


def test_sheets_and_release_speak_of_the_same_pairs(tmp_path):
    found = record(a=[8, 9], b=[13])
    whole = first_round(tmp_path, found, VID)
    told = rounds(found, {9: "blur"})
    assert tuple(told.verdicts) == whole.files
    assert second_round(tmp_path, found, VID, told.doubted).files == told.doubted
