"""Room on the disk: noticed before the first byte, and told how sure it is."""

import pytest

from robust_book.commands import room
from robust_book.engine.supplies import Supply
from robust_lib.errors import InputError


def test_too_little_room_is_noticed_before_the_first_byte(monkeypatch):
    supply = Supply("data", "large", there=False, fetched=True, bytes=10**12, how="")
    monkeypatch.setattr(room, "free", lambda folder=None: 10**9)
    with pytest.raises(InputError, match=r"Expected 2,000.00 GB free .* there are 1.00 GB"):
        room.require_room([supply])


def test_sizes_are_told_as_surely_as_they_are_known(monkeypatch):
    monkeypatch.setattr(room, "free", lambda folder=None: 10**9)
    whole = Supply("data", "one", there=False, fetched=True, bytes=10**8, how="")
    least = Supply("data", "two", False, True, 2 * 10**8, "", "at least")
    nobody = Supply("data", "three", False, True, None, "")
    assert [room.size_of(one) for one in (whole, least, nobody)] == [
        "0.10 GB", "at least 0.20 GB", "not published",
    ]  # fmt: skip
    told = room.to_fetch([whole, least, nobody])
    assert "about 0.60 GB packed and unpacked, and 2 things whose size nobody publishes" in told
    assert "1.00 GB are free" in told
    assert "nothing" in room.to_fetch([])
