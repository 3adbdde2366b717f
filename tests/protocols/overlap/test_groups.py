"""The groups of corruptions are the paper's."""

from robust_lib.protocols.overlap.groups import BLOCKS, HALVES
from robust_lib.vocabulary import BLUR, COMMON, NOISE


def test_halves_and_blocks_are_the_papers():
    assert HALVES["set1"] == (*NOISE, *BLUR, "pixelate")
    assert [len(members) for members in HALVES.values()] == [8, 7]
    assert sorted(HALVES["set1"] + HALVES["set2"]) == sorted(COMMON)
    assert set(BLOCKS["texture"]) == {*HALVES["set1"], "jpeg_compression"}
    assert BLOCKS["all"] == COMMON
