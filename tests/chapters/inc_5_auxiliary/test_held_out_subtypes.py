"""The blocks on held-out subtypes: the item with its figure, and the worst subtypes."""

import json

from robust_book.chapters import inc_5_auxiliary as chapter
from robust_book.chapters.inc_5_auxiliary import held_out_subtypes, key_numbers
from robust_lib.protocols import held_out_subtypes as protocol
from tests.chapters import pages, toys
from tests.protocols.subtypes import subtypes


def made(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    return pages.page(chapter, "toys")


def test_the_item_is_judged_and_saved(tmp_path, monkeypatch):
    page = made(tmp_path, monkeypatch)
    dataset = page.run.images.name
    rows = protocol.results(*subtypes(seen_wrong=0, unseen_wrong=4), dataset, samples=50)
    block = held_out_subtypes.errors(page, rows)
    assert "the paper's mean, held-out subtypes" in toys.texts(block, "text")
    page.save(rows, key_numbers.subtypes(rows, dataset))
    saved = json.loads((page.run.folder / "results" / "inc_5_auxiliary.json").read_text("utf-8"))
    (item,) = saved["items"]
    assert (item["item"], item["verdict"]) == ("inc-cifar100", "holds")
    assert saved["numbers"]["inc_5_auxiliary.unseen"]["text"] == "100.0 %"


def test_the_worst_subtypes_are_shown_under_what_they_were_taken_for(tmp_path, monkeypatch):
    page = made(tmp_path, monkeypatch)
    words = toys.texts(
        held_out_subtypes.worst(page, *subtypes(seen_wrong=0, unseen_wrong=4)), "text"
    )
    assert any("Bird, not Hat" in word for word in words)
    known = toys.texts(
        held_out_subtypes.worst(page, *subtypes(seen_wrong=0, unseen_wrong=0)), "text"
    )
    assert not any(", not " in word for word in known)
