"""Anchors by lot and the frames around them: which ones, whole or not at all, once and again."""

import json
from collections import Counter

import pytest

from robust_lib import atomic
from robust_lib.config.class_lists import load_classes
from robust_lib.curation import video_frames
from robust_lib.curation.pool import Candidate
from robust_lib.curation.video_frames import Drawn, FrameRecord, drawn, write
from robust_lib.datasets.video_files import Video
from robust_lib.errors import DataError, InputError
from tests import trees, videos
from tests.tiny import files

ROW = Drawn(
    name="a",
    source="dog/a.mp4",
    bytes=9,
    rate=29.97,
    anchor=3,
    frames={12: (8,), 2: (8,), 3: (6, 8)},
)
RECORD = FrameRecord(k=10, seed=0, classes="imagenet_vid", videos=(ROW,))


def test_a_record_is_read_as_it_was_written(tmp_path):
    assert video_frames.begin(tmp_path / "out", RECORD) == RECORD
    assert video_frames.read(tmp_path / "out") == RECORD
    assert RECORD.frames == ("val/a/000002.JPEG", "val/a/000003.JPEG", "val/a/000012.JPEG")
    assert ROW.neighbours == (2, 12)


def test_frames_that_are_missing_are_named(tmp_path):
    video_frames.begin(tmp_path, RECORD)
    (tmp_path / "val/a").mkdir(parents=True)
    (tmp_path / "val/a/000003.JPEG").touch()
    with pytest.raises(DataError, match=r"2 are missing \(val/a/000002.JPEG, val/a/000012.JPEG\)"):
        video_frames.require_complete(tmp_path, RECORD)


def test_folders_of_other_things(tmp_path):
    with pytest.raises(DataError, match=r"frames.json. Run `robust frames`"):
        video_frames.read(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="is a file"):
        video_frames.begin(tmp_path / "file", RECORD)
    with pytest.raises(DataError, match=r"contains file.*frames.json"):
        video_frames.begin(tmp_path, RECORD)
    (tmp_path / "stopped").mkdir()
    (tmp_path / "stopped" / ".frames.json.0a1b2c3d").touch()
    video_frames.begin(tmp_path / "stopped", RECORD)


@pytest.mark.parametrize("changes", [{"format": 2}, {"k": "many"}, {"more": 1}, {"videos": [3]}])
def test_records_that_are_refused(tmp_path, changes):
    content = json.loads(RECORD.model_dump_json())
    (tmp_path / "frames.json").write_text(json.dumps(content | changes))
    with pytest.raises(DataError, match="what `robust frames` writes"):
        video_frames.read(tmp_path)
    (tmp_path / "frames.json").write_text(json.dumps(content)[:-9])
    with pytest.raises(DataError, match="what `robust frames` writes"):
        video_frames.read(tmp_path)


VID = load_classes("imagenet_vid")


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "videos"
    videos.write(folder / "dog" / "long.mp4", 29)
    videos.write(folder / "dog" / "short.mp4", 4)
    videos.pictures(folder / "car" / "red", range(2, 26, 2))
    return folder


def candidate(numbers, labels=lambda _: (0,), name="a"):
    return Candidate(name, name, Video(path_of(name), numbers, 25.0, 9), labels)


def path_of(name):
    return video_frames.Path(name)


def test_frames_show_the_numbers_that_they_are_called_by(source, tmp_path):
    told = write(source, tmp_path / "out", VID, k=3, seed=5)
    record = video_frames.read(tmp_path / "out")
    assert record == told.record
    assert (record.k, record.seed, record.classes) == (3, 5, "imagenet_vid")
    assert told.made == len(record.frames) == len(set(record.frames))
    assert told.sentence == f"{told.made} frames written and 0 kept, around 3 anchors."
    by_name = {one.name: one for one in record.videos}
    assert list(by_name) == ["car_red", "dog_long", "dog_short"]
    for row, numbers in zip(by_name.values(), (range(2, 26, 2), range(29), range(4)), strict=True):
        assert row.anchor in numbers
        assert set(row.frames) == {n for n in numbers if abs(n - row.anchor) <= 3}
        for number in row.frames:
            assert videos.number_of(tmp_path / "out" / row.path(number)) == number
    assert {labels for row in record.videos for labels in row.frames.values()} == {(6,), (8,)}
    assert [row.rate for row in record.videos] == [None, 25.0, 25.0]
    red = by_name["car_red"]
    for number in red.frames:
        copied = (tmp_path / "out" / red.path(number)).read_bytes()
        assert copied == (source / "car" / "red" / f"{number:06d}.JPEG").read_bytes()
    video_frames.require_complete(tmp_path / "out", record)


def test_the_anchor_is_drawn_evenly_and_by_seed_and_name_alone():
    many = Counter(drawn(candidate(range(4), name=f"v{n}"), 1, 0).anchor for n in range(2000))
    assert all(abs(many[place] - 500) < 100 for place in range(4))  # five standard deviations
    one = drawn(candidate(range(1000)), 10, 7)
    assert one == drawn(candidate(range(1000)), 10, 7)
    assert one.anchor == drawn(candidate(range(1000)), 2, 7).anchor
    assert one.anchor != drawn(candidate(range(1000)), 10, 8).anchor
    assert len(one.frames) == 21
    assert one.neighbours == tuple(n for n in sorted(one.frames) if n != one.anchor)


def test_frames_without_a_label_are_neither_anchors_nor_neighbours():
    odd = lambda number: (1, 3) if number % 2 else ()  # noqa: E731
    for seed in range(20):
        row = drawn(candidate(range(30), odd), 4, seed)
        assert row.anchor % 2 == 1
        assert set(row.frames) == {n for n in range(30) if n % 2 and abs(n - row.anchor) <= 4}
        assert set(row.frames.values()) == {(1, 3)}
    assert drawn(candidate(range(30), lambda _: ()), 4, 0) is None


def test_videos_without_labels_are_told(tmp_path):
    root = trees.vid_frames(tmp_path, videos=2, frames=4) / "ILSVRC2015"
    for number in range(4):
        trees.vid_annotation(root, f"val/ILSVRC2015_val_00000000/{number:06d}", [])
    told = write(root, tmp_path / "out", VID)
    assert told.sentence.endswith("1 anchors; without labelled frames: ILSVRC2015_val_00000000.")
    (row,) = told.record.videos
    assert set(row.frames) == {0, 1, 2}
    for number in range(4):
        trees.vid_annotation(root, f"val/ILSVRC2015_val_00000001/{number:06d}", [])
    with pytest.raises(DataError, match="none has an object"):
        write(root, tmp_path / "other", VID)


@pytest.mark.parametrize("after", [0, 1, 9, 17])
def test_a_stopped_run_goes_on_and_ends_as_one_that_was_not(source, tmp_path, monkeypatch, after):
    write(source, tmp_path / "whole", VID)
    wrote = []

    def stops(path, content, **more):
        if len(wrote) == after:
            with atomic.temporary(path) as made:
                made.write_bytes(content[:50])
                raise KeyboardInterrupt
        wrote.append(path)
        atomic_write(path, content, **more)

    atomic_write = atomic.write_bytes
    with monkeypatch.context() as patched:
        patched.setattr(video_frames.atomic, "write_bytes", stops)
        with pytest.raises(KeyboardInterrupt):
            write(source, tmp_path / "out", VID)
    assert len(list((tmp_path / "out").rglob("*.JPEG"))) == after - (after > 0)  # the record, too
    if after:
        record = video_frames.read(tmp_path / "out")
        with pytest.raises(DataError, match="resumes where it stopped"):
            video_frames.require_complete(tmp_path / "out", record)
    told = write(source, tmp_path / "out", VID)
    assert told.kept == max(0, after - 1)
    assert files(tmp_path / "out") == files(tmp_path / "whole")


def test_what_is_there_is_kept_and_videos_may_be_added(source, tmp_path):
    first = write(source, tmp_path / "out", VID)
    before = files(tmp_path / "out")
    assert write(source, tmp_path / "out", VID).made == 0
    assert files(tmp_path / "out") == before
    videos.write(source / "dog" / "new.avi", 12)
    told = write(source, tmp_path / "out", VID)
    assert told.kept == first.made
    assert [one for one in told.record.videos if one.name != "dog_new"] == [*first.record.videos]


def test_other_settings_or_videos_are_refused_and_nothing_is_written(source, tmp_path):
    out = tmp_path / "out"
    write(source, out, VID)
    before = files(out)
    for more, told in (
        ({"k": 3}, r"these differ: k \(10 there, 3 now\)"),
        ({"k": 3, "seed": 1}, r"k \(10 there, 3 now\), seed \(0 there, 1 now\)"),
    ):
        with pytest.raises(DataError, match=told):
            write(source, out, VID, **more)
    videos.write(source / "dog" / "short.mp4", 5)
    with pytest.raises(DataError, match=r"1.*gone.*changed \(dog/short.mp4\)"):
        write(source, out, VID)
    (source / "dog" / "short.mp4").unlink()
    with pytest.raises(DataError, match="1 are gone"):
        write(source, out, VID)
    assert files(out) == before


def test_what_cannot_be_begun(source, tmp_path):
    for k in (0, 11):
        with pytest.raises(InputError, match=f"k from 1 to 10 frames, but got {k}"):
            write(source, tmp_path / "out", VID, k=k)
    with pytest.raises(DataError, match="two separate folders"):
        write(source, source / "out", VID)
    trees.save(source / "car" / "red" / "000010.JPEG", 0, 20, 20)
    with pytest.raises(DataError, match="to be of one size"):
        write(source, tmp_path / "out", VID)
    assert not (tmp_path / "out").exists()


def test_before_a_frame_is_written_all_may_be_other(tmp_path):
    video_frames.begin(tmp_path, RECORD)
    other = RECORD.model_copy(update={"k": 2})
    assert video_frames.begin(tmp_path, other) == other
    (tmp_path / "val/a").mkdir(parents=True)
    (tmp_path / "val/a/000003.JPEG").touch()
    with pytest.raises(DataError, match=r"k \(2 there, 10 now\)"):
        video_frames.begin(tmp_path, RECORD)


def test_what_is_neither_a_video_nor_a_frame_is_named(tmp_path):
    source = tmp_path / "videos"
    for number in (1, 2):
        trees.save(source / "dog" / "rex" / f"{number}.png", number)
    for name in ("dog/ben.rm", "dog/loose.png", "dog/rex/notes.txt"):
        (source / name).touch()
    said = write(source, tmp_path / "out", load_classes("imagenet_vid"))
    assert said.left_out == ("dog/ben.rm", "dog/loose.png", "dog/rex/notes.txt")
    assert "; left out: 3 other files (dog/ben.rm, dog/loose.png," in said.sentence
