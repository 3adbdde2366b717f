import pytest

from robust_book.chapters.inc_5_auxiliary import unseen_tables
from robust_lib.protocols import unseen_subtypes as protocol
from tests.chapters import pages, toys


def answers():
    return toys.subtype_answers({"mine": (270, 150), "other": (240, 250)}, images=300)


def test_dots_stand_above_each_other():
    found = unseen_tables.dots(protocol.results(answers()), answers())
    seen, unseen = (found[f"{side} subtypes"]["mine"] for side in ("seen", "unseen"))
    assert seen[0] == unseen[0]  # accuracy on ordinary pictures
    assert (seen[1][0], unseen[1][0]) == pytest.approx((90, 50))
    assert unseen[1][1] <= unseen[1][0] <= unseen[1][2]


def test_a_table_row_has_both_intervals():
    frame = unseen_tables.gap_frame(protocol.results(answers()), answers())
    assert frame["Network"].tolist() == ["mine", "other"]
    assert frame["Gap, over classes"][0].value == pytest.approx(40)
    assert frame["Gap, over pictures"][1].value == pytest.approx(-10 / 3)


def test_numbers_of_the_prose_are_those_of_the_rows():
    numbers = unseen_tables.key_numbers(protocol.results(answers()), answers())
    assert numbers["unseen_network"].text == "mine"
    assert numbers["unseen_network_unseen"].value == pytest.approx(0.5)
    assert numbers["unseen_networks"].text.startswith("1 of 2 networks")
    assert numbers["unseen_gap"].value == pytest.approx((0.4 - 10 / 300) / 2)


def test_pictures_are_those_of_the_worst_subtypes(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    run = pages.page(pages.chapter_of("robust_book.chapters.inc_5_auxiliary"), "toys").run
    few = toys.subtype_answers({"mine": (30, 0)}, images=30)
    found = unseen_tables.worst_gallery(run, few)
    row = 1 + unseen_tables.EACH
    assert len(found.captions) == unseen_tables.WORST * row
    worst = protocol.of_subtypes(few)[: unseen_tables.WORST]
    names = [few.class_names[one.label] for one in worst]
    assert [one.removesuffix(", seen") for one in found.captions[::row]] == names
    assert all("→" in one for one in found.captions[1:row])
