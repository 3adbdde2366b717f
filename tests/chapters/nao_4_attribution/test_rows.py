"""The studies as rows: settings of the paper beside what was found."""

from robust_book.chapters.nao_4_attribution import grounds, rows
from tests.chapters.nao_4_attribution.toys import study
from tests.protocols.attribution.toys import changes, shares

STUDIES = {
    name: study(changes([0.75, 0.5], [[0.5, 0.25], [0.5, 0.0]], [0, 1], name), {})
    for name in ("here", "there")
}


def test_backgrounds_have_rows_by_class_and_by_background_in_both_sets():
    made = rows.backgrounds("mine", STUDIES, [])
    for name in STUDIES:
        assert {row.dataset for row in made.rows if row.dataset.startswith(name)} == {
            name,
            f"{name}/cat",
            f"{name}/dog",
            f"{name}/backgrounds/a",
            f"{name}/backgrounds/b",
        }
    assert made.row(metric="threshold").value == grounds.MOST
    assert {row.item for row in made.rows} == {"nao-fig6"}


def test_swaps_have_their_settings():
    made = rows.swaps("mine", STUDIES, swaps=3, repeats=10)
    assert (made.row(metric="swaps").value, made.row(metric="repeats").value) == (3, 10)
    assert made.row(metric="swaps").model == "mine"


def test_shares_tell_of_how_many_pictures_they_are():
    found = {name: shares([0.75, 0.25], [0, 1], dataset=name) for name in STUDIES}
    made = rows.shares("mine", found)
    assert made.row(metric="images").value == 2
    assert len(made.select(metric="attribution_inside", dataset="there")) == 1


def test_nothing_found_leaves_the_settings_alone():
    nothing = {"here": study(changes([], [], dataset="here"))}
    assert len(rows.swaps("mine", nothing, swaps=3, repeats=10)) == 2
