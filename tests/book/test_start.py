"""The start page says what was found; buttons lead to pages that are there."""

import re

import nbformat
import pytest
from PIL import Image

from robust_book.sphinx_ext import cards, findings, links, result
from robust_book.sphinx_ext.page import Page
from robust_lib.config.papers import papers
from robust_lib.errors import InputError
from robust_lib.results.reported import reported

PAPERS = papers()


@pytest.fixture
def page(tiny, tmp_path) -> Page:
    for name in tiny.CHAPTERS:
        nbformat.write(tiny.chapter(name), tmp_path / f"{name}.ipynb")
    return Page("index", tmp_path, {name: tiny.results(name) for name in tiny.CHAPTERS}, PAPERS)


def test_each_papers_finding_has_a_line_with_the_papers_number_or_words(page):
    made = cards.brief(page).markup
    assert made.count("<li>") == len(PAPERS)
    assert "100.0 % (AlexNet) to 76.7 % (ResNet-50)" in made
    assert made.count(f'rb-absent">{findings.NOT_HERE}<') == len(PAPERS) - 1
    assert "81.2" in made


def test_a_part_of_a_figure_of_the_run_stands_small_beside_a_finding(page):
    paper = next(paper for paper in PAPERS if paper.thumbnail)
    assert "rb-thumbnail" not in cards.brief(page).markup
    drawn = page.folder / "_static" / "results" / f"{paper.thumbnail.of}.png"
    drawn.parent.mkdir(parents=True)
    Image.new("RGB", (400, 400)).save(drawn)
    made = cards.brief(page).markup
    assert made.count("rb-thumbnail") == 1
    left, top, right, bottom = paper.thumbnail.part
    assert f'width="{round(400 * (right - left))}"' in made
    assert f'height="{round(400 * (bottom - top))}"' in made


def test_what_stands_beside_a_finding_is_a_word_of_the_scoreboard(page):
    explained = re.findall(
        r'<li><span class="rb-chip[^>]*>(.*?)</span> ', findings.scoreboard(page).markup
    )
    chips = re.findall(r'</a> <span class="rb-chip[^>]*>(.*?)</span>', cards.brief(page).markup)
    assert len(chips) == len(PAPERS)
    assert set(chips) <= set(explained)


def test_a_card_has_both_answers_and_the_way_to_the_chapter(page):
    made = cards.draw(page).markup
    first = made[: made.index('id="finding-overlap"')]
    assert "relative mCE rises from 100.0 % to 105.0 %" in first
    assert "1 claim is tested: 1 holds." in first
    assert '<a href="inc_2_mce.html#inc-tab1-claim-1">' in first
    assert '<a class="rb-button" href="inc_2_mce.html">How robust is a network?</a>' in first
    assert "Its chapters are not built yet" in made


def test_a_card_has_the_drawing_of_the_run_at_full_width(page):
    assert "<svg" not in cards.draw(page).markup
    drawn = page.folder / "_static" / "results" / "inc-fig2.svg"
    drawn.parent.mkdir(parents=True)
    drawn.write_text('<svg width="10pt" viewBox="0 0 1 1"><g id="axes"/></svg>')
    assert cards.draw(page).markup.count("<svg") == 1


def test_the_claims_that_the_start_page_tells_exist():
    for paper in PAPERS:
        for name in paper.claims:
            item, place = name.split()
            told = [row for row in reported(item) if row.is_claim][int(place) - 1]
            assert (told.status, bool(told.sentence)) == ("direction", True), name


def test_the_papers_numbers_are_looked_up():
    for paper in PAPERS:
        assert "{" not in result.filled(paper.answer) + result.filled(paper.finding)
    assert result.printed_number("vid-tab1 pm_accuracy resnet50 k=10") == "52.7 %"
    with pytest.raises(InputError, match="none for 'inc-tab1 mce resnet999'"):
        result.printed_number("inc-tab1 mce resnet999")


def test_all_claims_are_counted_in_a_sentence(page):
    assert re.search(
        r"1 of their \d+ claims are tested here .*: 1 holds\.", cards.total(page).markup
    )


def test_a_button_leads_to_a_page_that_is_there(page):
    made = links.link_buttons(page, "00_tour: The tour", "overlap_1_matrix: Overlaps").markup
    assert made.count('class="rb-button"') == 1
    with pytest.raises(InputError, match="page: words"):
        links.link_buttons(page, "00_tour")


def test_the_first_picture_is_the_tours_photograph_where_its_run_had_one(page):
    assert cards.photograph(page).markup == ""
    slider = (
        '<div class="rb-scrubber" id="photograph" role="group">\n<p class="rb-convention">C</p>\n'
        "</div>"
    )
    cell = nbformat.v4.new_code_cell("photographs.by_severity(page)")
    shown = {"text/html": f"{slider}\n<figure>of the tour alone</figure>"}
    cell.outputs = [nbformat.v4.new_output("display_data", shown)]
    path = page.folder / "00_tour.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    made = cards.photograph(page).markup
    assert made.endswith(slider)
    assert 'href="00_tour.html#photograph"' in made
