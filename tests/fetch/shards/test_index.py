import os

from robust_lib.fetch import listing
from robust_lib.fetch.shards import index, tars
from tests import shards


def test_a_shard_is_opened_once_until_it_changes(tmp_path, monkeypatch):
    path = shards.write_tar(tmp_path / "0.tar", [("fog/1/n01440764/a", {"jpg": b"x", "cls": b"1"})])
    os.utime(path, (1e9, 1e9))
    opened = []
    whole = tars.contents
    monkeypatch.setattr(tars, "contents", lambda file: opened.append(file) or whole(file))
    first = index.contents(path)
    assert index.contents(path) == first
    assert index.conditions_in(path, tmp_path) == ("fog/1",)
    assert len(opened) == 1
    shards.write_tar(path, [("fog/2/n01440764/a", {"jpg": b"x", "cls": b"1"})])
    assert index.conditions_in(path, tmp_path) == ["fog/2"]
    assert len(opened) == 2
    next(listing.home().glob("*.shard.gz")).write_bytes(b"broken")
    assert index.contents(path).samples[0].label == 1
    listing.forget()
    assert not list(listing.home().glob("*.shard.gz"))
