"""What the extension draws: pure functions of a page, tested without Sphinx."""

import json
import re
from dataclasses import replace
from html import escape
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pandas as pd
import pytest

from robust_book.sphinx_ext import (
    cards,
    datasets,
    downloads,
    errata,
    findings,
    ledger,
    light,
    links,
    measured,
    provenance,
    result,
    theme,
)
from robust_book.sphinx_ext.links import run, source_of
from robust_book.sphinx_ext.page import RESULTS, Page
from robust_lib import paths
from robust_lib.config.papers import paper_keys, papers
from robust_lib.config.withheld import WITHHELD
from robust_lib.errors import DataError, InputError
from robust_lib.results.reported import ledger as items
from robust_lib.results.reported import reported
from robust_lib.results.verdicts import VERDICTS as VERDICT_WORDS
from tests.site.fixture import VERDICTS

PAPERS = papers()


@pytest.fixture
def page(tiny, tmp_path) -> Page:
    for name in tiny.CHAPTERS:
        nbformat.write(tiny.chapter(name), tmp_path / f"{name}.ipynb")
    results = {name: tiny.results(name) for name in tiny.CHAPTERS}
    return Page("inc_2_mce", tmp_path, results, PAPERS)


def test_a_number_carries_its_convention_and_n(page):
    made = str(result.number(page, "inc_2_mce.best"))
    assert ">18.8\N{NO-BREAK SPACE}%<" in made
    assert "clean error of ResNet-50; n = 1,500" in made


def test_an_unknown_number_is_refused_with_the_chapters_known_ones(page):
    with pytest.raises(InputError, match=r"under 'inc_2_mce\.bst'.*Known keys: inc_2_mce\.best\.$"):
        result.number(page, "inc_2_mce.bst")


@pytest.mark.parametrize(
    ("markup", "joined"),
    [
        ("<p>76.7 % and 5 %.</p>", "<p>76.7\xa0% and 5\xa0%.</p>"),
        ("<p>76.7 <b>%</b> of %</p>", None),
        ('<img alt="5 % > 4 %"/>', None),
        ("<pre>print(5 % <span>2 %</span> 3)</pre>", None),
        ("<script>x = 5 % 2</script>", None),
        ("<svg><text>5 %</text></svg>", None),
    ],
)
def test_no_line_breaks_between_a_number_and_its_percent_sign(markup, joined):
    assert theme.joined(markup) == (joined or markup)


def test_links_to_chapters_that_the_site_lacks_become_words(page):
    (page.folder / "for_teachers.md").write_text("", "utf-8")
    app = SimpleNamespace(srcdir=str(page.folder))
    source = ["Move [the mCE](inc_2_mce.ipynb) or [the mask](nae_2_imagenet_a.ipynb)."]
    links.there(app, "for_teachers", source)
    assert source == ["Move [the mCE](inc_2_mce.ipynb) or the mask."]


def test_the_strip_has_a_chip_a_claim_in_words_and_links_it_down_the_page(page):
    made = findings.strip(page).markup
    assert made.count('href="#inc-tab1-claim-1"') == 1
    assert "mCE falls from VGG-11 to ResNet-50 <b>holds</b>" in made
    assert made.count("made-up numbers, 3 classes, 1 seed") == 1
    assert ">inc-tab1<" not in made


def test_the_strip_says_of_which_networks_its_verdicts_speak(page):
    assert "These verdicts apply to these weights" in findings.strip(page).markup
    page.results["inc_2_mce"]["provenance"]["seeds"] = [0, 1, 2, 3, 4]
    assert "based on several trainings" in findings.strip(page).markup


def test_what_a_table_and_a_figure_both_claim_has_one_chip(page):
    block = page.results["inc_2_mce"]["items"][0]
    alike = block | {"item": "inc-tab2"}
    page.results["inc_2_mce"]["items"].append(alike)
    made = findings.strip(page).markup
    assert made.count("mCE falls from VGG-11 to ResNet-50 <b>holds</b>") == 1
    assert 'href="#inc-tab1-claim-1"' in made


def test_that_images_are_grey_is_said_once_for_the_page(page):
    assert "are grey" not in findings.strip(page).markup
    page.results["inc_2_mce"]["pictures"] = WITHHELD
    assert findings.strip(page).markup.count("are grey") == 1


def test_claims_that_read_alike_name_their_tables(page):
    block = page.results["inc_2_mce"]["items"][0]
    other = [one | {"dataset": "another"} for one in block["verdicts"]]
    alike = block | {"item": "inc-tab2", "title": "Another table", "verdicts": other}
    page.results["inc_2_mce"]["items"].append(alike)
    made = findings.strip(page).markup
    assert "mCE falls from VGG-11 to ResNet-50 (Another table) <b>holds</b>" in made
    assert "mCE falls from VGG-11 to ResNet-50 <b>" not in made


def test_the_line_of_the_strip_counts_its_claims_and_cuts_no_sentence(page):
    verdict = page.results["inc_2_mce"]["items"][0]["verdicts"][1]
    verdict["sentence"] = "word " * 40
    head, _, folded = findings.strip(page).markup.partition("</summary>")
    assert "</span> 1 <b>holds</b>" in head
    assert "word " * 39 in folded
    assert "…" not in folded


def test_of_several_verdicts_on_one_claim_the_most_telling_counts(page):
    first, second = page.results["inc_2_mce"]["items"][:2]
    second["verdicts"][1]["verdict"] = "does not hold"
    first["verdicts"][1]["verdict"] = "missing"
    (words,) = [findings.words_of(page, paper) for paper in PAPERS if paper.key == "inc"]
    assert (words["holds"], words["does not hold"]) == (0, 1)


def test_a_claim_by_construction_is_not_counted_among_those_that_are_tested(page):
    total = re.search(r"1 of their (\d+) claims", cards.total(page).markup)
    for saved in page.results.values():
        for claim in [v for item in saved["items"] for v in item["verdicts"] if v["sentence"]]:
            claim["verdict"] = "by construction"
    made = findings.strip(page).markup
    folded = made.partition("1 claim settled by construction")[2]
    assert "mCE falls from VGG-11 to ResNet-50 <b>by construction</b>" in folded
    counted = findings.counts(page).set_index("Paper").loc["Common Corruptions"]
    assert (counted["holds"], counted["by construction"]) == (0, 1)
    assert 'class="rb-given" style="flex-grow: 1"' in findings.scoreboard(page).markup
    assert f"0 of their {int(total[1]) - 1} claims" in cards.total(page).markup
    assert cards.headlines(page, PAPERS[0]) == []


def test_the_strip_of_another_chapter_links_there_and_folds_what_has_no_claim(page):
    made = findings.strip(page, "inc_1_corruptions").markup
    assert 'href="inc_1_corruptions.html#inc-fig6-claim-1"' in made
    assert "1 figure or table shown without a claim" in made
    assert 'href="inc_1_corruptions.html#inc-fig1"' in made


@pytest.mark.parametrize("draw", [findings.strip, provenance.draw, provenance.parameters])
def test_a_chapter_that_is_not_built_is_refused(page, draw):
    with pytest.raises(InputError, match=r"chapter.*00_tour.*nao_2_map"):
        draw(page, "nao_2_map")


def test_the_provenance_says_where_the_numbers_come_from(page):
    made = provenance.draw(page).markup
    for told in ("0123456789ab with uncommitted changes", "numpy", "2.4.6", "1 min 12 s", "cpu"):
        assert told in made
    assert "ab" * 8 in made
    assert "ab" * 9 not in made


def test_a_commit_leads_into_the_repository_where_there_is_one(page):
    (saved,) = [page.results["inc_2_mce"]]
    commit = saved["provenance"]["commit"]
    there = replace(page, repository="https://example.org/r/")
    made = provenance.draw(there).markup
    assert f'<a href="https://example.org/r/commit/{commit}">{commit[:12]}</a> with unc' in made
    assert "/commit/" not in provenance.draw(page).markup
    assert str(provenance.linked(there, "unknown")) == "unknown"


def test_the_parameter_table_is_read_from_the_notebook(tiny, tmp_path):
    path = tmp_path / "inc_2_mce.ipynb"
    nbformat.write(tiny.chapter("inc_2_mce"), path)
    rows = provenance.parameter_rows(path, {"seeds": 3})
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
    made = "".join(ledger.draw(page, paper).markup for paper in paper_keys())
    named = re.findall(r'data-item="([\w-]+)"', made)
    assert set(named) == {item.id for item in items()}
    assert sum(map(int, re.findall(r"(\d+) not built yet", made))) == len(items()) - 5
    places = re.findall(r'id="ledger-([\w-]+)"', made)  # where the blocks' links lead
    assert sorted(places) == sorted(item.id for item in items())


def test_a_row_of_the_ledger_has_the_claim_both_numbers_and_the_word(page):
    made = ledger.draw(page, "inc").markup
    (row,) = re.findall(r'<tr data-item="inc-tab1".*?</tr>', made)
    assert 'href="inc_2_mce.html#inc-tab1-claim-1"' not in row  # it stands on this page
    assert '<a href="#inc-tab1-claim-1">mCE falls from VGG-11 to ResNet-50.</a>' in row
    told = re.sub("<[^>]+>", "", row)
    assert "93.5 \N{RIGHTWARDS ARROW} 76.7\u00a0%" in told
    assert "81.2\u00a0%\u00a0[79.0,\u00a083.0]" in told
    assert "holds" in row


def test_the_ledger_has_a_button_a_verdict_and_refuses_an_unknown_paper(page):
    assert ledger.draw(page).markup.count("<button") == len(VERDICT_WORDS)
    with pytest.raises(InputError, match="paper to be one of inc, overlap"):
        ledger.draw(page, "incc")


def test_the_ledger_shows_few_numbers_and_counts_many(page):
    assert "119 numbers" in ledger.printed(reported("inc-tab1"))
    assert ledger.printed(()) == "no numbers"
    number, claim = VERDICTS
    assert ledger.ours([number]) == "81.2 % [79.0, 83.0]"
    assert ledger.ours([number] * 4) == "4 not comparable"
    assert ledger.ours([number, claim]) == "1 holds, 1 not comparable"
    assert ledger.ours([]) == "made anew"


def test_the_scoreboard_counts_every_claim_once_and_explains_its_words(page):
    counted = findings.counts(page).set_index("Paper")
    claims = [row for item in items() for row in reported(item.id) if row.is_claim]
    different = {(row.metric, row.dataset) for row in claims}
    assert len(different) < len(claims)
    # The four built items all make one claim, which none of the papers makes.
    assert counted.to_numpy().sum() == len(different) + 1
    assert counted.loc["Common Corruptions", "holds"] == 1
    made = findings.scoreboard(page).markup
    assert all(VERDICT_WORDS[word].sentence in made for word in findings.JUDGED)


def test_every_erratum_is_there_and_computed_where_it_can_be(page):
    from robust_lib.results.errata import errata as known

    made = errata.draw(page).markup
    assert made.count('class="rb-erratum"') == len(known())
    computed = [one for one in known() if one.check]
    assert made.count("<caption>Computed from ") == len(computed)
    assert made.count("<dt>Found by</dt>") == len(known()) - len(computed)
    assert all(escape(one.by) in made for one in known())
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
    rows = datasets._icon_sets()
    assert len(rows) == 9
    assert all(rows["Version"].str.match(r"\d+\.\d+\.\d+$"))
    assert "CC-BY-SA-4.0" in str(rows["Licence"][3])


def test_every_data_set_is_listed(page):
    made = datasets.draw(page).markup
    assert "imagenet_c" in made
    assert "instructions" in made
    assert "scenes_val" not in made
    assert "scenes_val" in datasets.draw(page, "miniature").markup


def test_a_picture_that_was_not_drawn_is_said_to_be_missing(page):
    assert "This run has not drawn it." in light.sheet(page, "sheet", "All", "scenes.").markup


def test_pages_lead_to_their_committed_source(tmp_path):
    (tmp_path / "inc_2_mce.ipynb").touch()
    assert source_of("inc_2_mce", tmp_path) == "notebooks/inc_2_mce.ipynb"
    assert source_of("decisions/index", tmp_path) == "book/decisions/index.md"


def test_a_chapter_is_launched_at_the_commit_of_its_run():
    made = {"commit": "0123456789abcdef", "dirty": False}
    colab, binder = run("https://github.com/me/book", {"notebook": "inc_2_mce", "provenance": made})
    assert colab["url"].endswith("/github/me/book/blob/launch/0123456789ab/inc_2_mce.ipynb")
    assert "/gh/me/book/0123456789abcdef?" in binder["url"]
    assert binder["url"].endswith("lab/tree/notebooks/inc_2_mce.ipynb")


def test_notebooks_to_take_away_have_numbers_and_those_to_launch_names(tmp_path):
    """There the number is computed anew, and the last cell lists it by its name."""
    (tmp_path / RESULTS).mkdir(parents=True)
    (tmp_path / "00_tour.ipynb").touch()
    saved = {"numbers": {"00_tour.best": {"text": "5.0 %"}}}
    (tmp_path / RESULTS / "00_tour.json").write_text(json.dumps(saved), "utf-8")
    (tmp_path / "references.bib").write_text("", "utf-8")
    prose = {"cell_type": "markdown", "source": "Error {result}`00_tour.best`."}
    out = tmp_path / "html"
    kept, alone = out / "_sources/00_tour.ipynb", out / "_static/launch/0123/00_tour.ipynb"
    for file in (kept, alone):
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"cells": [prose]}), "utf-8")
    builder = SimpleNamespace(format="html")
    downloads.fill(SimpleNamespace(srcdir=tmp_path, outdir=out, builder=builder), None)
    told = [json.loads(file.read_text("utf-8"))["cells"][0]["source"] for file in (kept, alone)]
    assert told == ["Error 5.0 %.", "Error `00_tour.best`."]


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

    def test_a_table_of_networks_that_are_trained_otherwise_today_is_not_shown(self, page):
        """Also what is committed: a recipe that changes takes its tables off the pages."""
        hidden = {
            file.stem
            for file in (paths.manifests() / "measured").glob("*_3_seeds.csv")
            if "Not shown" in measured.draw(page, file.stem).markup
        }
        assert len(hidden) == 10  # measured before recipes, code and art were today's
        assert "overlap_pairs_3_seeds" in hidden
        made = measured.draw(page, "detectors_3_seeds").markup
        assert "5 of 5 networks are trained differently today than when" in made
        assert "<td" not in made

    def test_a_table_without_provenance_is_refused(self, folder, page):
        (folder / "speed.csv").write_text("step,seconds\nnoise,1.90\n")
        with pytest.raises(DataError, match=r"speed\.yaml"):
            measured.draw(page)

    def test_an_unknown_table_is_refused(self, folder, page):
        with pytest.raises(InputError, match="measured table to be one of"):
            measured.draw(page, "speed")

    def test_committed_results_stand_beside_this_runs_in_the_ledger(
        self, folder, page, tiny, monkeypatch
    ):
        saved = tiny.results("inc_2_mce") | {"words": "ImageNet validation, 50,000 images"}
        (folder / "full").mkdir()
        (folder / "full" / "inc_2_mce.json").write_text(json.dumps(saved))
        for name in ("ledger.yaml", "papers.yaml", "reported"):
            (folder.parent / name).symlink_to(tiny.REPOSITORY / "data_manifests" / name)
        assert "ImageNet validation, 50,000 images: 93.5 %" in ledger.draw(page, "inc").markup


def test_pandas_keeps_markup_as_it_is():
    from robust_book.html.markup import Html

    kept = pd.DataFrame([{"a": Html("<b>x</b>")}, {"a": "y"}])
    assert isinstance(kept["a"][0], Html)
