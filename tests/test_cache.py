"""The store: whole entries or errors that name the file, whatever happens around it."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from robust_lib.cache import Store, content_key
from robust_lib.errors import CacheError, InputError

WHAT = {"what": "a test", "images": 3}
KEY = content_key(WHAT)
ARRAYS = {"x": np.arange(6.0).reshape(2, 3), "names": np.array(["a", "bé"])}


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def files(store):
    return sorted(path.name for path in store.folder.rglob("*") if path.is_file())


def arrays_file(store):
    (path,) = store.folder.rglob("*.npz")
    return path


def test_what_was_put_comes_back(store):
    store.put(KEY, ARRAYS, WHAT)
    back = store.get(KEY, expect=WHAT)
    assert back.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert back[name].dtype == array.dtype
        assert np.array_equal(back[name], array)
    assert (store.folder / KEY[:2] / f"{KEY}.json").is_file()


def test_an_absent_entry(store):
    assert not store.has(KEY)
    assert store.find(KEY) is None
    with pytest.raises(CacheError, match="there is none"):
        store.get(KEY)


def test_keys_depend_on_content_alone():
    assert content_key({"a": 1, "b": [1, 2]}) == content_key({"b": [1, 2], "a": 1})
    assert content_key({"a": 1}) != content_key({"a": "1"})
    with pytest.raises(InputError, match="description"):
        content_key({"a": np.zeros(2)})
    with pytest.raises(InputError, match="description"):
        content_key({"a": float("nan")})


def test_a_key_may_not_lead_out_of_the_folder(store):
    for key in ("../../escape", "short", "a/b/c/d/e/f"):
        with pytest.raises(InputError, match="key"):
            store.put(key, ARRAYS, WHAT)


def test_objects_are_refused_and_nothing_is_written(store):
    with pytest.raises(InputError, match="'bad' holds Python objects"):
        store.put(KEY, {"bad": np.array([{}])}, WHAT)
    assert not store.folder.exists()


@pytest.mark.parametrize("kept", [0, 10, -1])
def test_a_truncated_entry_is_an_error_that_names_the_file(store, kept):
    store.put(KEY, ARRAYS, WHAT)
    path = arrays_file(store)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(CacheError, match=rf"{path.name}.*truncated.*Delete it.*recompute it"):
        store.get(KEY)


def test_every_single_changed_bit_is_noticed(store):
    store.put(KEY, ARRAYS, WHAT)
    path = arrays_file(store)
    whole = path.read_bytes()
    for place in range(0, len(whole), 37):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(CacheError, match="altered"):
            store.get(KEY)


def test_missing_arrays(store):
    store.put(KEY, ARRAYS, WHAT)
    arrays_file(store).unlink()
    with pytest.raises(CacheError, match="missing"):
        store.get(KEY)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 99}, "format 99"),
        ({"key": "f" * 64}, "another key"),
        ({"more": 1}, "lacks a part|another key"),
    ],
)
def test_a_foreign_description_is_refused(store, change, message):
    store.put(KEY, ARRAYS, WHAT)
    path = store.folder / KEY[:2] / f"{KEY}.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(CacheError, match=message):
        store.get(KEY)


@pytest.mark.parametrize("text", ["", "{", "[1]", '"x"'])
def test_a_torn_description_is_refused(store, text):
    store.put(KEY, ARRAYS, WHAT)
    (store.folder / KEY[:2] / f"{KEY}.json").write_text(text)
    with pytest.raises(CacheError, match="to recompute it"):
        store.get(KEY)


def test_an_entry_of_something_else_is_refused(store):
    store.put(KEY, ARRAYS, WHAT)
    with pytest.raises(CacheError, match="a description that differs"):
        store.get(KEY, expect=WHAT | {"images": 4})


def test_a_full_disk_leaves_what_was_there_and_no_rubbish(store, monkeypatch):
    store.put(KEY, ARRAYS, WHAT)
    before = files(store)

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CacheError, match=r"full.*run again"):
        store.put(content_key({"other": 1}), ARRAYS, {"other": 1})
    with pytest.raises(CacheError, match="full"):
        store.put(KEY, {"x": np.zeros(2)}, WHAT)
    monkeypatch.undo()
    assert files(store) == before
    assert np.array_equal(store.get(KEY)["x"], ARRAYS["x"])


def test_a_disk_that_fills_while_bytes_are_written(tmp_path):
    """With a real limit on file size, in a process of its own."""
    code = (
        "import resource, signal, sys, numpy as np\n"
        "from pathlib import Path\n"
        "from robust_lib.cache import Store\n"
        "from robust_lib.errors import CacheError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10000, 10000))\n"
        "try:\n"
        "    Store(Path(sys.argv[1])).put('k' * 8, {'x': np.zeros(10000)}, {})\n"
        "except CacheError as error:\n"
        "    sys.exit(0 if 'could not be stored' in str(error) else 2)\n"
        "sys.exit(1)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_drop_removes_the_entry_and_its_arrays(store):
    store.put(KEY, ARRAYS, WHAT)
    store.drop(KEY)
    store.drop(KEY)
    assert files(store) == []
    assert not store.has(KEY)


WRITER = """
import sys, numpy as np
from pathlib import Path
from robust_lib.cache import Store
store = Store(Path(sys.argv[1]))
for turn in range(int(sys.argv[3])):
    store.put("k" * 64, {"x": np.full(20000, int(sys.argv[2]) + turn)}, {"who": "all the same"})
"""


def test_processes_that_put_the_same_key_do_each_other_no_harm(store):
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(store.folder), str(start), "60"])
        for start in (0, 1000)
    ]
    reads = 0
    while any(writer.poll() is None for writer in writers):
        found = store.find("k" * 64)
        if found is not None:
            assert len(set(found["x"].tolist())) == 1  # never a mixture
            reads += 1
    assert [writer.returncode for writer in writers] == [0, 0]
    assert reads > 0
    assert store.get("k" * 64)["x"][0] in {59, 1059}


def test_a_writer_killed_at_any_moment_leaves_whole_entries_only(store):
    for wait in (0.0, 0.01, 0.03):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(store.folder), "0", "100000"])
        while not store.has("k" * 64):
            assert writer.poll() is None
            time.sleep(0.001)
        time.sleep(wait)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        assert len(set(store.get("k" * 64)["x"].tolist())) == 1
        store.drop("k" * 64)


def test_unwritable_folder(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    with pytest.raises(CacheError, match="could not be stored"):
        Store(Path(blocked)).put(KEY, ARRAYS, WHAT)


def test_what_lies_only_in_the_store_behind_is_taken_over(store, tmp_path):
    behind = Store(tmp_path / "behind")
    behind.put(KEY, ARRAYS, WHAT)
    front = Store(tmp_path / "front", behind=tmp_path / "behind")
    assert np.array_equal(front.get(KEY, expect=WHAT)["x"], ARRAYS["x"])
    assert not behind.is_taken(KEY)
    shutil.rmtree(tmp_path / "behind")
    assert np.array_equal(Store(tmp_path / "front").get(KEY)["x"], ARRAYS["x"])
    assert front.is_taken(KEY)
    assert not front.has(content_key({"what": "nothing"}))
