"""Networks in all chapters, and the miniature's own, from saved rows and manifests."""

from dataclasses import replace

import pandas as pd
import pytest

from robust_book.sphinx_ext import citation, functions, miniature, networks
from robust_book.sphinx_ext.page import RESULTS, Page
from robust_lib import paths
from robust_lib.config.papers import paper_keys, papers
from robust_lib.errors import InputError
from robust_lib.results.row import COLUMNS, Row


@pytest.fixture
def page(tiny, tmp_path) -> Page:
    saved = tiny.results("inc_2_mce") | {"profile": "mini"}
    shared = {"item": "inc-tab1", "n": 9, "n_full": 9}
    rows = [
        Row(**shared, dataset="scenes_val", model="resnet18_mini", metric="error", value=0.25,
            low=0.2, high=0.3),
        Row(**shared, dataset="scenes_val_c", model="resnet18_mini", metric="mce", value=0.9),
        Row(**shared, dataset="scenes_val", model="resnet18_small+fog", metric="error", value=0.5),
    ]  # fmt: skip
    (tmp_path / RESULTS).mkdir(parents=True)
    frame = pd.DataFrame([{name: getattr(row, name) for name in COLUMNS} for row in rows])
    frame.to_csv(tmp_path / RESULTS / "inc_2_mce.csv", index=False)
    return Page("networks", tmp_path, {"inc_2_mce": saved}, repository="https://example.org/r")


def test_a_network_has_a_card_with_its_numbers_and_the_papers(page):
    made = networks.draw(page).markup
    assert made.count('class="rb-network"') == 1
    assert "25.0 % [20.0, 30.0]" in made
    assert "ResNet-18 in the paper: 30.2 %" in made
    assert 'href="inc_2_mce.html#inc-tab1">mCE</a>' in made


def test_a_network_of_several_parts_names_them_and_each_papers_number(page):
    made = networks.draw(page).markup
    assert "It is the stand-in for ResNet-18 and ResNet-50." in made
    assert "ResNet-18 in the paper: 30.2 %; ResNet-50 in the paper: 23.9 %" in made


def test_a_site_without_numbers_says_so(tmp_path):
    assert "no chapter that measures" in networks.draw(Page("networks", tmp_path, {})).markup


def test_the_miniatures_networks_have_sizes_epochs_and_errors_beside_the_papers(page):
    made = miniature.draw(page, "networks").markup
    row = made[made.index(">ResNet-18-like<") :]
    row = row[: row.index("</tr>")]
    assert ">25.0<" in row
    assert ">30.2<" in row
    assert miniature.parameters("resnet18_mini") > 100_000


def test_the_scene_is_told_by_the_constants_of_the_code(page):
    assert "50 to 85 %" in miniature.draw(page, "scene").markup
    assert "64 classes" in miniature.draw(page, "classes").markup
    with pytest.raises(InputError, match="part of the miniature"):
        miniature.draw(page, "colour")


def test_photographs_are_told_by_the_constants_of_the_code_and_the_manifests(page):
    told = miniature.draw(page, "photograph").markup
    assert (
        "30 to 52 % as wide as the image: of 13 classes, or of 16 out-of-distribution objects"
        in told
    )
    assert "12 % of the objects are out of focus, and 10 % are only an image" in told
    planted = miniature.draw(page, "planted").markup
    row = planted[planted.index(">underwater<") :]
    row = row[: row.index("</tr>")]
    assert ">0.5<" in row
    assert ">14.3<" in row
    assert "In training, none of these 9 occurs: butterfly, coin, fish," in planted
    assert "19 pairs that look alike" in planted
    assert "shark, as airplane" in planted


def test_a_page_of_the_api_begins_with_its_functions():
    made = functions.draw(Page("api/corruptions", paths.book(), {})).markup
    assert '<a href="#robust_lib.corruptions.corrupt"><code>corruptions.corrupt</code></a>' in made
    elsewhere = functions.draw(Page("api", paths.book(), {}), "api/corruptions").markup
    assert 'href="api/corruptions.html#robust_lib.corruptions.corrupt"' in elsewhere


def test_the_foot_says_version_commit_news_licence_and_where_to_report(page):
    made = citation.foot(page).markup
    for told in ("Version ", ">0123456789ab</a>", "2026-01-02", "Apache-2.0", "cite.html"):
        assert told in made
    assert "https://example.org/r/issues/new?title=Page%20networks" in made
    assert 'href="https://example.org/r/blob/HEAD/CHANGELOG.md">What changed</a>' in made


def test_a_chapter_has_a_line_to_cite_its_paper_and_the_book_of_its_run(page):
    (saved, *_) = page.results.values()
    shown = {"results": {"inc_2_mce": saved}, "imprint": {"title": "T", "year": "2026"}}
    chapter = replace(page, name="inc_2_mce", folder=paths.book(), papers=papers(), **shown)
    made = citation.of_chapter(chapter).markup
    line, _, entries = made.partition("</summary>")
    for told in ("<code>inc</code>", f"<code>{citation.KEY}</code>", "version ", "commit 01234567"):
        assert told in line
    assert entries.count("@") == 2
    assert "{inc," in entries
    assert "commit 0123456789ab" in entries


def test_the_papers_can_be_read_at_their_addresses(page):
    made = citation.papers(page).markup
    assert made.count("<li>") == len(paper_keys())
    assert "https://arxiv.org/abs/1807.01697" in made
