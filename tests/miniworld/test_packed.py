"""Files in two arrays are the files that went in."""

import numpy as np
import pytest

from robust_lib.miniworld.packed import Packed, pack


def test_files_come_out_as_they_went_in():
    rng = np.random.default_rng(0)
    files = [rng.bytes(int(length)) for length in rng.integers(0, 50, 40)]
    packed = pack(iter(files))
    assert [packed[place] for place in range(40)] == files
    assert list(packed) == files
    assert len(packed) == 40
    again = Packed(**packed.arrays)
    assert list(again) == files
    assert packed.content.nbytes == sum(map(len, files))


def test_no_files_are_two_empty_arrays():
    assert list(pack([])) == []


@pytest.mark.parametrize("place", [-1, 2])
def test_a_file_that_there_is_not(place):
    with pytest.raises(IndexError):
        pack([b"a", b"b"])[place]
