"""Pickled NumPy files: honest ones of all ages are read, hostile ones run nothing."""

import io
import os
import pickle

import numpy as np
import pytest

from robust_lib.datasets import pickled
from robust_lib.errors import DataError

CONTENT = {
    "class": np.array([0, 3, 49]),
    "image": np.arange(3 * 3 * 4 * 4, dtype=np.uint8).reshape(3, 3, 4, 4),
    "style": ["apple", "emoji-one", "lg"],
    "rendition": np.array(["0", "1", "2"]),
    "subtype": np.array(["wine_glass", "duck", "é"], dtype=object),
    "score": np.array([[0.5], [-1.0]], dtype=">f4"),
    "columns": np.asfortranarray(np.arange(6).reshape(2, 3)),
    "one": np.int64(7),
    "text": np.str_("abc"),
    "yes": np.array([True, False]),
}


def written(path, payload, shape=()):
    """Write a file with the header of an array of objects and any pickle."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "|O", "fortran_order": False, "shape": shape}
    )
    path.write_bytes(header.getvalue() + payload)
    return path


def pickled_array(value, protocol):
    return pickle.dumps(np.array(value, dtype=object), protocol=protocol)


def is_the_content(found):
    assert found.keys() == CONTENT.keys()
    for key, value in CONTENT.items():
        assert np.array_equal(np.asarray(found[key]), np.asarray(value)), key
    assert found["image"].dtype == np.uint8
    assert found["score"].dtype == np.dtype(">f4")


def test_what_numpy_saves_is_read(tmp_path):
    np.save(tmp_path / "a.npy", CONTENT, allow_pickle=True)
    is_the_content(pickled.read(tmp_path / "a.npy"))


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_pickles_of_all_ages_are_read(tmp_path, protocol):
    payload = pickled_array(CONTENT, protocol)
    is_the_content(pickled.read(written(tmp_path / "a.npy", payload)))


def test_files_of_the_numpy_before_2_are_read(tmp_path):
    payload = pickled_array(CONTENT, 2)
    assert b"cnumpy._core.multiarray\n" in payload
    old = payload.replace(b"cnumpy._core.multiarray\n", b"cnumpy.core.multiarray\n")
    is_the_content(pickled.read(written(tmp_path / "a.npy", old)))


def test_what_is_read_is_what_numpy_would_read(tmp_path):
    np.save(tmp_path / "a.npy", CONTENT, allow_pickle=True)
    theirs = np.load(tmp_path / "a.npy", allow_pickle=True).item()
    ours = pickled.read(tmp_path / "a.npy")
    for key, value in theirs.items():
        assert np.array_equal(np.asarray(ours[key]), np.asarray(value))


class Evil:
    """Runs a command when it is unpickled."""

    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return os.system, (self.command,)


@pytest.mark.parametrize("wrap", [lambda evil: evil, lambda evil: {"class": [evil]}])
def test_a_file_that_runs_a_command_is_refused_and_nothing_runs(tmp_path, wrap):
    trace = tmp_path / "trace"
    np.save(tmp_path / "a.npy", wrap(Evil(f"touch {trace}")), allow_pickle=True)
    with pytest.raises(
        DataError, match=r"refers to (posix|nt)\.system.*Nothing in the file was executed"
    ):
        pickled.read(tmp_path / "a.npy")
    assert not trace.exists()
    np.load(tmp_path / "a.npy", allow_pickle=True)  # this file is no dud
    assert trace.exists()


@pytest.mark.parametrize(
    "name",
    [
        "builtins eval", "builtins exec", "builtins getattr", "builtins __import__",
        "operator attrgetter", "functools partial", "numpy fromfile", "numpy load",
        "numpy.core.multiarray fromfile", "numpy._core.multiarray frombuffer",
        "_codecs decode", "codecs encode", "copyreg _reconstructor", "os system",
        "numpy dtype.__new__", "robust_lib.datasets.pickled read",
        "robust_lib.datasets.pickled _Notes",
    ],
)  # fmt: skip
def test_only_the_parts_of_arrays_may_be_named(tmp_path, name):
    module, attribute = name.split()
    payload = f"c{module}\n{attribute}\n.".encode()
    with pytest.raises(DataError, match=f"refers to {module}.{attribute}, which is not part"):
        pickled.read(written(tmp_path / "a.npy", payload))
    framed = (
        pickle.PROTO
        + b"\x04"
        + b"".join(
            pickle.SHORT_BINUNICODE + bytes([len(word)]) + word.encode() for word in name.split()
        )
    )
    with pytest.raises(DataError, match=f"refers to {module}.{attribute}, which is not part"):
        pickled.read(written(tmp_path / "b.npy", framed + pickle.STACK_GLOBAL + b"."))


HOSTILE = {
    "state for a stand-in's class": b"cnumpy\ndtype\n}S'__init__'\nI1\nsb.",
    "attributes for a stand-in's class": b"cnumpy\ndtype\n(N}S'state'\nI1\nstb.",
    "a dtype of objects over bytes": (
        b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR"
        b"(I1\n(I1\ntcnumpy\ndtype\n(S'O8'\nI0\nI1\ntRI00\nV12345678\ntb."
    ),
    "a dtype of records": (
        b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR"
        b"(I1\n(I1\ntcnumpy\ndtype\n(S'V8'\nI0\nI1\ntRI00\nV12345678\ntb."
    ),
    "a shape larger than the bytes": (
        b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR"
        b"(I1\n(I99\ntcnumpy\ndtype\n(S'u1'\nI0\nI1\ntRI00\nV12345678\ntb."
    ),
    "an array without a state": b"cnumpy.core.multiarray\n_reconstruct\n(tR.",
    "an array without arguments": b"cnumpy.core.multiarray\nscalar\n)\x81.",
    "a length instead of bytes": (
        b"cnumpy.core.multiarray\nscalar\n(cnumpy\ndtype\n(S'u1'\nI0\nI1\ntRI999999999\ntR."
    ),
    "another encoding": b"c_codecs\nencode\n(Vabc\nVrot13\ntR.",
    "a stand-in for its own sake": b"cnumpy\nndarray\n(tR.",
    "a list that holds itself": b"(lp0\ng0\na.",
    "a persistent id": b"Pabc\n.",
    "an unknown extension": b"\x82\x01.",
    "nothing on the stack": b".",
    "no end": b"(lp0\n",
    "garbage": b"\xff\xfe\xfd",
    "nothing": b"",
}


@pytest.mark.parametrize("payload", HOSTILE.values(), ids=HOSTILE)
def test_garbled_and_hostile_pickles_are_refused(tmp_path, payload):
    with pytest.raises(DataError, match="Nothing in the file was executed") as caught:
        pickled.read(written(tmp_path / "a.npy", payload))
    assert str(tmp_path / "a.npy") in str(caught.value)
    # What one file tried is no matter to the next.
    np.save(tmp_path / "b.npy", CONTENT, allow_pickle=True)
    is_the_content(pickled.read(tmp_path / "b.npy"))


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.99])
def test_a_file_cut_short_is_refused(tmp_path, part):
    np.save(tmp_path / "a.npy", CONTENT, allow_pickle=True)
    whole = (tmp_path / "a.npy").read_bytes()
    (tmp_path / "a.npy").write_bytes(whole[: int(part * len(whole))])
    with pytest.raises(DataError, match="could not read them"):
        pickled.read(tmp_path / "a.npy")


def test_other_files_are_refused(tmp_path):
    np.save(tmp_path / "plain.npy", np.arange(3))
    with pytest.raises(DataError, match=r"plain.*int64; numpy\.load reads"):
        pickled.read(tmp_path / "plain.npy")
    (tmp_path / "page.npy").write_text("<html>404</html>")
    with pytest.raises(DataError, match="could not read them"):
        pickled.read(tmp_path / "page.npy")
    with pytest.raises(DataError, match="No such file"):
        pickled.read(tmp_path / "absent.npy")


def test_bare_pickles_of_python_2_are_read(tmp_path):
    """Python 2 wrote an array's bytes as text, and called its parts by NumPy's old names."""
    payload = (
        b"\x80\x02}q\x01U\x04dataq\x02cnumpy.core.multiarray\n_reconstruct\nq\x03cnumpy\nndarray\n"
        b"q\x04K\x00\x85U\x01bq\x05\x87Rq\x06(K\x01K\x03\x85cnumpy\ndtype\nq\x07U\x02u1q\x08K\x00"
        b"K\x01\x87Rq\x09(K\x03U\x01|q\x0aNNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89U\x03"
        b"\x00\x80\xfftbs."
    )
    (tmp_path / "batch").write_bytes(payload)
    assert pickled.read_pickle(tmp_path / "batch")["data"].tolist() == [0, 128, 255]


def test_a_bare_pickle_that_runs_a_command_is_refused(tmp_path):
    trace = tmp_path / "trace"
    (tmp_path / "batch").write_bytes(pickle.dumps(Evil(f"touch {trace}")))
    with pytest.raises(DataError, match="Nothing in the file was executed"):
        pickled.read_pickle(tmp_path / "batch")
    assert not trace.exists()
