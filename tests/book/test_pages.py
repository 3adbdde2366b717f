"""What the extension draws: pure functions of a page, tested without Sphinx."""

import json
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from bookext import (
    cards,
    credits,
    datasets,
    errata,
    ledger,
    measured,
    parameters,
    provenance,
    result,
    scoreboard,
    sheet,
    strip,
)
from bookext.links import source_of
from bookext.page import Page

from robust_lib import paths
from robust_lib.config.strict_yaml import read_yaml
from robust_lib.errors import DataError, InputError
from robust_lib.results.reported import ledger as items
from tests.site.fixture import VERDICTS

PAPERS = tuple(read_yaml(paths.book() / "papers.yaml"))


@pytest.fixture
def page(tiny, tmp_path) -> Page:
    for name in tiny.CHAPTERS:
        nbformat.write(tiny.chapter(name), tmp_path / f"{name}.ipynb")
    results = {name: tiny.results(name) for name in tiny.CHAPTERS}
    return Page("inc_2_mce", tmp_path, results, PAPERS)


def test_a_number_carries_its_convention_and_n(page):
    made = result.number(page, "inc_2_mce.best").markup
    assert ">18.8 %<" in made
    assert "clean error of ResNet-50; n = 1,500" in made


def test_an_unknown_number_is_refused_with_the_chapters_known_ones(page):
    with pytest.raises(InputError, match=r"under 'inc_2_mce\.bst'.*Known here: inc_2_mce\.best\.$"):
        result.number(page, "inc_2_mce.bst")


def test_the_strip_links_each_item_down_its_own_page(page):
    made = strip.draw(page).markup
    assert 'href="#inc-tab1"' in made
    assert made.count("<li>") == 3
    assert "made-up numbers, 3 classes, 1 seed" in made


def test_the_strip_of_another_chapter_links_there(page):
    assert 'href="inc_1_corruptions.html#inc-fig1"' in strip.draw(page, "inc_1_corruptions").markup


@pytest.mark.parametrize("draw", [strip.draw, provenance.draw, parameters.draw])
def test_a_chapter_that_is_not_built_is_refused(page, draw):
    with pytest.raises(InputError, match=r"chapter to be one of 00_tour, .* but got nao_2_map"):
        draw(page, "nao_2_map")


def test_the_provenance_says_where_the_numbers_come_from(page):
    made = provenance.draw(page).markup
    for told in ("0123456789ab with uncommitted changes", "numpy", "2.4.6", "1 min 12 s", "cpu"):
        assert told in made
    assert "ab" * 8 in made
    assert "ab" * 9 not in made


def test_the_parameter_table_is_read_from_the_notebook(tiny, tmp_path):
    path = tmp_path / "inc_2_mce.ipynb"
    nbformat.write(tiny.chapter("inc_2_mce"), path)
    rows = parameters.rows(path, {"seeds": 3})
    assert list(rows["Meaning"]) == [
        "which profile of data and models",
        "how many times every model is trained",
        'names of models, or "file.py:function" of your own',
    ]
    assert [str(cell) for cell in rows["Type"]] == [
        "<code>str</code>",
        "<code>int</code>",
        "<code>list | None</code>",
    ]
    assert str(rows["Default"][2]) == "<code>[&#x27;resnet18&#x27;]</code>"
    assert str(rows["This run"][1]) == "<code>3</code>"
    assert rows["This run"][0] == "default"


def test_the_ledger_has_every_item_and_says_what_is_not_built(page):
    made = ledger.draw(page).markup
    assert made.count("<tr>") == len(items()) + 1
    assert made.count("not built") == len(items()) - 5
    assert '<a href="inc_2_mce.html#inc-tab1">inc-tab1</a>' in made


def test_the_ledger_shows_few_numbers_and_counts_many(page):
    from robust_lib.results.reported import reported

    assert "119 numbers" in ledger.printed(reported("inc-tab1"))
    assert ledger.printed(()) == "no numbers"
    number, claim = VERDICTS
    assert ledger.ours([number]) == "81.2 %"
    assert ledger.ours([number] * 4) == "4 not comparable"
    assert ledger.ours([number, claim]) == "1 holds, 1 not comparable"
    assert ledger.ours([]) == "made anew"


def test_the_scoreboard_counts_every_item_once(page):
    counted = scoreboard.counts(page)
    assert counted["all"].sum() == len(items())
    corruptions = counted.set_index("Paper").loc["Common corruptions"]
    assert (corruptions["holds"], corruptions["shown"]) == (4, 1)


def test_the_cards_have_a_picture_where_the_run_drew_one(page):
    assert cards.draw(page).markup.count("<img") == 0
    drawn = page.folder / "_static" / "results" / "inc-fig6.png"
    drawn.parent.mkdir(parents=True)
    drawn.write_bytes(b"png")
    made = cards.draw(page).markup
    assert made.count("<img") == 1
    assert "_static/results/inc-fig6.png" in made
    assert "5 of 22 items built" in made
    assert '<a href="inc_2_mce.html">How robust is a network?</a>' in made


def test_every_erratum_is_there_and_computed_where_it_can_be(page):
    from robust_lib.results.errata import errata as known

    made = errata.draw(page).markup
    assert made.count('class="rb-erratum"') == len(known())
    computed = [one for one in known() if one.check]
    assert made.count("Computed from the printed numbers") == len(computed)
    assert "79.4 %" in made


def test_each_erratum_stands_under_its_rank_and_in_the_contents(page):
    from robust_lib.results.errata import errata as known

    made = errata.draw(page).markup
    contents, *sections = made.split('<section id="errata-')
    assert [part.partition('"')[0] for part in sections] == list(errata.RANKS)
    ranked = dict(zip(errata.RANKS, sections, strict=True))
    for one in known():
        assert f'<a href="#{one.id}">' in contents
        assert f'id="{one.id}"' in ranked[one.rank]
    assert "<dt>Found</dt>" not in ranked["misprint"]
    assert "<dt>Meant</dt>" not in ranked["number"] + ranked["sentence"]


def test_every_icon_set_is_credited_with_version_and_licence():
    rows = credits.rows()
    assert len(rows) == 9
    assert all(rows["Version"].str.match(r"\d+\.\d+\.\d+$"))
    assert "CC-BY-SA-4.0" in str(rows["Licence"][3])


def test_every_data_set_is_listed(page):
    made = datasets.draw(page).markup
    assert "imagenet_c" in made
    assert "instructions" in made


def test_a_picture_that_was_not_drawn_is_said_to_be_missing(page):
    assert "This run has not drawn it." in sheet.draw(page, "sheet", "All", "scenes.").markup


def test_pages_lead_to_their_committed_source(tmp_path):
    (tmp_path / "inc_2_mce.ipynb").touch()
    assert source_of("inc_2_mce", tmp_path) == "notebooks/inc_2_mce.ipynb"
    assert source_of("decisions/index", tmp_path) == "book/decisions/index.md"


class TestMeasured:
    @pytest.fixture
    def folder(self, tmp_path, monkeypatch) -> Path:
        monkeypatch.setenv("ROBUST_ROOT", str(tmp_path))
        folder = tmp_path / "data_manifests" / "measured"
        folder.mkdir(parents=True)
        return folder

    def test_nothing_measured_is_said(self, folder, page):
        assert "No measured table is committed yet." in measured.draw(page).markup

    def test_a_table_has_its_digits_convention_and_provenance(self, folder, page):
        (folder / "speed.csv").write_text("step,seconds,n\nnoise,1.90,3\nblur,12.25,3\n")
        (folder / "speed.yaml").write_text(
            "title: Speed\nconvention: one thread\nprovenance: {device: cpu, date: 2026-01-02}\n"
        )
        made = measured.draw(page, "speed").markup
        assert ">1.90<" in made
        assert ">12.25<" in made
        assert ">3<" in made
        assert "one thread" in made
        assert "device: cpu" in made

    def test_a_table_without_provenance_is_refused(self, folder, page):
        (folder / "speed.csv").write_text("step,seconds\nnoise,1.90\n")
        with pytest.raises(DataError, match=r"speed\.yaml"):
            measured.draw(page)

    def test_an_unknown_table_is_refused(self, folder, page):
        with pytest.raises(InputError, match="measured table to be one of"):
            measured.draw(page, "speed")

    def test_committed_results_become_a_column_of_the_ledger(self, folder, page, tiny, monkeypatch):
        saved = tiny.results("inc_2_mce") | {"words": "ImageNet validation, 50,000 images"}
        (folder / "full").mkdir()
        (folder / "full" / "inc_2_mce.json").write_text(json.dumps(saved))
        for name in ("ledger.yaml", "reported"):
            (folder.parent / name).symlink_to(tiny.REPOSITORY / "data_manifests" / name)
        assert "ImageNet validation, 50,000 images" in ledger.draw(page).markup


def test_pandas_keeps_markup_as_it_is():
    from robust_lib.html.markup import Html

    kept = pd.DataFrame([{"a": Html("<b>x</b>")}, {"a": "y"}])
    assert isinstance(kept["a"][0], Html)
