"""Style transfer: restyled pictures, the item with its verdicts, and whose CE is the paper's."""

import json

import pytest

from robust_book.chapters import inc_5_auxiliary as chapter
from robust_book.chapters.inc_5_auxiliary import style_transfer
from robust_lib.protocols.corruption_error import style_transfer as protocol
from robust_lib.results.table import Results
from tests.chapters import pages, toys

NAMES = ("alexnet_mini", "vgg11_mini", "resnet50_mini")


def made():
    return pages.page(chapter, "toys"), pages.page(pages.chapter_of("inc_2_mce"), "toys").run


def rows(wrong):
    grid = toys.restyled(*NAMES, wrong=wrong)
    return protocol.results(grid, toys.normaliser(grid), samples=50)


def test_the_item_is_judged_and_saved(build):
    page, run = made()
    run.profile.networks["imagenet_c"]["resnet50"] = "resnet50_mini"
    grid = toys.restyled(*NAMES, wrong=9)
    block = style_transfer.errors(page, run, rows(9), grid, toys.normaliser(grid))
    words = toys.texts(block, "text")
    assert words[0] == "corruption error (%, AlexNet = 100)"
    assert "The paper (ResNet-50)" in words
    page.save(rows(9), style_transfer.key_numbers(rows(9), run.paper_names))
    saved = json.loads((page.run.folder / "results" / "inc_5_auxiliary.json").read_text("utf-8"))
    (item,) = saved["items"]
    words = [one["verdict"] for one in item["verdicts"] if one["sentence"]]
    assert item["item"] == "inc-claim-style"
    assert words[0] == words[2] == "holds"
    assert saved["numbers"]["inc_5_auxiliary.style_ce"]["text"] == "90.0 %"


def test_each_row_has_a_picture_its_style_and_all_severities(build):
    page, run = made()
    assert style_transfer.ready(run) is run
    words = toys.texts(style_transfer.restyled(page, run), "text")
    rows = words.count("clean")
    assert rows == words.count("style") == words.count("severity 5") > 1
    assert words[:3] == ["clean", "style", "severity 1"]


def test_the_chapter_names_what_it_shows_of_another():
    assert style_transfer.CORRUPTED in chapter.CHAPTER.also


def test_sixteen_corruptions_beside_the_papers():
    found = style_transfer.dots(rows(9), "resnet50_mini")
    ours, printed = found["This run (ResNet-50-like)"], found[style_transfer.PRINTED]
    assert set(ours) == set(printed)
    assert len(ours) == 16
    assert (ours["Style transfer"][0], ours["Fog"][0]) == (90.0, 40.0)
    assert printed["Style transfer"] == (92.0, 92.0, 92.0)
    assert max(printed, key=lambda name: printed[name]) == "Style transfer"
    assert style_transfer.ranked(found)[0] == "Style transfer"
    wide = {"this run": {"Fog": (1.0, 0.9, 3.0), "Snow": (2.0, 0.0, 2.5)}}
    assert style_transfer.ranked(wide) == ["Snow", "Fog"]


def test_a_row_a_network():
    frame = style_transfer.errors_frame(rows(9), NAMES)
    assert list(frame) == ["Network", "Clean", "Mean error", "CE, style", "Largest CE", "mCE"]
    assert frame["Network"].tolist() == ["AlexNet-like", "VGG-11-like", "ResNet-50-like"]
    assert frame["Clean"].tolist() == pytest.approx([5, 5, 5])
    assert frame["Mean error"].tolist() == pytest.approx([50, 45, 45])
    assert [cell.value for cell in frame["CE, style"]] == pytest.approx([100, 90, 90])
    assert [cell.value for cell in frame["Largest CE"]] == pytest.approx([100, 40, 40])
    assert frame["mCE"].tolist() == pytest.approx([100, 40, 40])


def test_key_numbers_count_the_networks_that_are_not_the_normaliser():
    for wrong, words in ((9, "2 of 2 networks"), (4, "0 of 2 networks"), (3, "0 of 2 networks")):
        found = style_transfer.key_numbers(rows(wrong), {"resnet50": "vgg11_mini"})
        assert found["style_harder"].text == words
        assert found["style_network"].text == "VGG-11-like"
        shown = [found[f"style_{key}"].text for key in ("ce", "largest", "mce")]
        assert shown == [f"{10 * wrong}.0 %", "40.0 %", "40.0 %"]
    nothing = style_transfer.key_numbers(Results(), {})
    assert {one.text for one in nothing.values()} == {"not measured"}
    assert set(nothing) == set(found)
