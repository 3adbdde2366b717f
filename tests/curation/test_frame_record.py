"""The record of drawn frames: read back as it was written, and refused if it is something else."""

import json

import pytest

from robust_lib.curation import frame_record
from robust_lib.curation.frame_record import Drawn, FrameRecord
from robust_lib.errors import DataError

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
    assert frame_record.begin(tmp_path / "out", RECORD) == RECORD
    assert frame_record.read(tmp_path / "out") == RECORD
    assert RECORD.frames == ("val/a/000002.JPEG", "val/a/000003.JPEG", "val/a/000012.JPEG")
    assert ROW.neighbours == (2, 12)


def test_frames_that_are_missing_are_named(tmp_path):
    frame_record.begin(tmp_path, RECORD)
    (tmp_path / "val/a").mkdir(parents=True)
    (tmp_path / "val/a/000003.JPEG").touch()
    with pytest.raises(DataError, match=r"2 are missing \(val/a/000002.JPEG, val/a/000012.JPEG\)"):
        frame_record.require_complete(tmp_path, RECORD)


def test_folders_of_other_things(tmp_path):
    with pytest.raises(DataError, match=r"it has no frames.json. `robust frames` writes"):
        frame_record.read(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="is a file"):
        frame_record.begin(tmp_path / "file", RECORD)
    with pytest.raises(DataError, match=r"it holds file and no frames.json"):
        frame_record.begin(tmp_path, RECORD)
    (tmp_path / "stopped").mkdir()
    (tmp_path / "stopped" / ".frames.json.0a1b2c3d").touch()
    frame_record.begin(tmp_path / "stopped", RECORD)


@pytest.mark.parametrize("changes", [{"format": 2}, {"k": "many"}, {"more": 1}, {"videos": [3]}])
def test_records_that_are_refused(tmp_path, changes):
    content = json.loads(RECORD.model_dump_json())
    (tmp_path / "frames.json").write_text(json.dumps(content | changes))
    with pytest.raises(DataError, match="is not what `robust frames` writes"):
        frame_record.read(tmp_path)
    (tmp_path / "frames.json").write_text(json.dumps(content)[:-9])
    with pytest.raises(DataError, match="is not what `robust frames` writes"):
        frame_record.read(tmp_path)
