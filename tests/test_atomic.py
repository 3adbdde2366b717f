"""Files that appear whole or not at all."""

import errno
import json
import os
import time
from pathlib import Path

import pytest

from robust_lib import atomic
from robust_lib.atomic import write_bytes, write_json


def test_a_file_appears_with_its_folders(tmp_path):
    write_bytes(tmp_path / "a" / "b" / "file", b"whole")
    assert (tmp_path / "a" / "b" / "file").read_bytes() == b"whole"
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["file"]


def test_nothing_is_there_before_the_end(tmp_path):
    target = tmp_path / "file"
    with atomic.file(target) as temporary:
        temporary.write_bytes(b"half")
        assert not target.exists()
        assert temporary.parent == target.parent  # a rename across disks would copy
    assert target.read_bytes() == b"half"


def test_an_error_leaves_the_old_file_and_no_other(tmp_path):
    target = tmp_path / "file"
    target.write_bytes(b"old")

    def stop_halfway():
        with atomic.file(target) as temporary:
            temporary.write_bytes(b"half of the n")
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        stop_halfway()
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_json_is_text_that_people_can_read(tmp_path):
    write_json(tmp_path / "one.json", {"name": "Gauß", "value": 0.5})
    text = (tmp_path / "one.json").read_text("utf-8")
    assert text == '{\n "name": "Gauß",\n "value": 0.5\n}\n'


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_json_has_no_nan(tmp_path, value):
    path = tmp_path / "one.json"
    write_json(path, {"value": 1})
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(path, {"value": value})
    assert json.loads(path.read_text("utf-8")) == {"value": 1}


def test_several_files_take_their_places_at_the_end(tmp_path):
    write_bytes(tmp_path / "figures" / "old.svg", b"old")
    with atomic.folder(tmp_path) as temporary:
        write_bytes(temporary / "figures" / "new.svg", b"new")
        write_json(temporary / "results" / "new.json", {})
        assert [path.name for path in (tmp_path / "figures").iterdir()] == ["old.svg"]
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {"old.svg", "new.svg"}
    assert {path.name for path in tmp_path.iterdir()} == {"figures", "results"}


def test_several_files_or_none(tmp_path):
    for name in ("a", "b"):
        write_bytes(tmp_path / name, b"old")

    def stop_halfway():
        with atomic.folder(tmp_path) as temporary:
            write_bytes(temporary / "a", b"new")
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        stop_halfway()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "a": b"old",
        "b": b"old",
    }


def test_files_can_be_read_by_others(tmp_path):
    """A folder made for one run alone must not make its files private."""
    (tmp_path / "plain").write_bytes(b"")
    with atomic.folder(tmp_path) as temporary:
        write_bytes(temporary / "moved", b"")
    modes = {path.stat().st_mode for path in (tmp_path / "plain", tmp_path / "moved")}
    assert len(modes) == 1
    assert Path(tmp_path, "moved").read_bytes() == b""


def test_a_file_of_no_name_yet_is_gone_unless_it_is_moved(tmp_path):
    with atomic.temporary(tmp_path / "entry") as one, atomic.temporary(tmp_path / "entry") as other:
        assert one != other  # two writers of one file do not meet
        one.write_bytes(b"moved")
        other.write_bytes(b"left")
        one.replace(tmp_path / "entry.1")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"entry.1": b"moved"}


def test_what_is_synced_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr("os.fsync", lambda number: synced.append((tmp_path / "file").exists()))
    write_bytes(tmp_path / "file", b"whole", synced=True)
    assert synced == [False]
    write_bytes(tmp_path / "file", b"whole")
    assert synced == [False]


class Refused(type(Path())):
    """A file whose target somebody else has open for some time, as Windows has it."""

    times = 0

    def replace(self, target):
        Refused.times -= 1
        if Refused.times >= 0:
            raise PermissionError("in use")
        target.write_text("new", "utf-8")


def test_where_open_files_are_not_replaced_it_is_tried_again(tmp_path, monkeypatch):
    monkeypatch.setattr(atomic, "WINDOWS", True)
    monkeypatch.setattr(atomic, "PAUSE", 0.001)
    monkeypatch.setattr(Refused, "times", 3)
    atomic.move(Refused(tmp_path / "made"), tmp_path / "file")
    assert (tmp_path / "file").read_text("utf-8") == "new"


@pytest.mark.parametrize("windows", [True, False])
def test_what_stays_refused_is_an_error(tmp_path, monkeypatch, windows):
    monkeypatch.setattr(atomic, "WINDOWS", windows)
    monkeypatch.setattr(atomic, "PATIENCE", 0.01)
    monkeypatch.setattr(atomic, "PAUSE", 0.001)
    monkeypatch.setattr(Refused, "times", 10**9)
    with pytest.raises(PermissionError):
        atomic.move(Refused(tmp_path / "made"), tmp_path / "file")
    # Elsewhere a refusal is no matter of time.
    assert (10**9 - Refused.times > 1) == windows


def test_what_killed_processes_left_goes_after_a_week(tmp_path):
    left = [tmp_path / f"{atomic.NEW}{name}" for name in ("old", "busy", "young")]
    for folder in left:
        folder.mkdir()
        (folder / "half.ipynb").write_text("{")
    then = time.time() - atomic.ABANDONED - 60
    for path in (left[0] / "half.ipynb", left[0], left[1]):
        os.utime(path, (then, then))
    with atomic.folder(tmp_path) as made:
        write_bytes(made / "whole.ipynb", b"{}")
    assert {path.name for path in tmp_path.iterdir()} == {"whole.ipynb", left[1].name, left[2].name}


def test_a_record_of_nothing_is_told_from_one_of_something(tmp_path):
    (tmp_path / "about.json").touch()
    (tmp_path / "fog" / "1").mkdir(parents=True)
    (tmp_path / "fog" / "1" / ".a.JPEG.0a1b2c3d").touch()
    assert atomic.cleared(tmp_path, "about.json")
    assert [path.name for path in tmp_path.iterdir()] == ["about.json"]
    (tmp_path / "fog").mkdir()
    (tmp_path / "fog" / "about.json").touch()  # another one of this name
    assert not atomic.cleared(tmp_path, "about.json")
    assert (tmp_path / "fog").exists()
