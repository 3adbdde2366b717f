"""The blocks on style transfer: restyled pictures, and the item with its verdicts."""

import json

from robust_book.chapters import inc_5_auxiliary as chapter
from robust_book.chapters.inc_5_auxiliary import style_tables, style_transfer
from robust_lib.protocols.corruption_error import style_transfer as protocol
from tests.chapters import pages, toys

NAMES = ("alexnet_mini", "vgg11_mini", "resnet50_mini")


def made(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    return pages.page(chapter, "toys"), pages.page(pages.chapter_of("inc_2_mce"), "toys").run


def test_the_item_is_judged_and_saved(tmp_path, monkeypatch):
    page, run = made(tmp_path, monkeypatch)
    run.profile.networks["imagenet_c"]["resnet50"] = "resnet50_mini"
    grid = toys.restyled(*NAMES, wrong=9)
    rows = protocol.results(grid, toys.normaliser(grid), samples=50)
    block = style_transfer.errors(page, run, rows, grid, toys.normaliser(grid))
    assert "The paper (ResNet-50)" in toys.texts(block, "text")
    page.save(rows, style_tables.key_numbers(rows, run.paper_names))
    saved = json.loads((page.run.folder / "results" / "inc_5_auxiliary.json").read_text("utf-8"))
    (item,) = saved["items"]
    words = [one["verdict"] for one in item["verdicts"] if one["sentence"]]
    assert item["item"] == "inc-claim-style"
    assert words[0] == words[2] == "holds"
    assert saved["numbers"]["inc_5_auxiliary.style_ce"]["text"] == "90.0 %"


def test_each_row_has_a_picture_its_style_and_all_severities(tmp_path, monkeypatch):
    page, run = made(tmp_path, monkeypatch)
    words = toys.texts(style_transfer.restyled(page, run), "text")
    rows = words.count("clean")
    assert rows == words.count("style") == words.count("severity 5") > 1


def test_the_chapter_names_what_it_shows_of_another():
    assert style_transfer.CORRUPTED in chapter.CHAPTER.also
