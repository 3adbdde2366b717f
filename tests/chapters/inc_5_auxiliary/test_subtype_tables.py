"""Errors on seen and held-out subtypes: lines, tables, and what single subtypes come to."""

import numpy as np

from robust_book.chapters.inc_5_auxiliary import subtype_tables
from robust_lib.protocols import held_out_subtypes as protocol
from tests.protocols.icons import BIRD, HAT, ICONS
from tests.protocols.subtypes import NETWORK, said, subtypes, unseen


def test_lines_have_settings_and_the_table_the_mean_too():
    rows = protocol.results(*subtypes(seen_wrong=2, unseen_wrong=3), "toys", samples=20)
    lines = subtype_tables.lines(rows, "toys")
    assert {name: sorted(line) for name, line in lines.items()} == {
        "seen subtypes": [1, 2],
        "held-out subtypes": [1, 2],
    }
    frame = subtype_tables.errors_frame(rows, "toys")
    assert frame["Held out"].tolist() == ["1", "2", "mean"]
    assert frame["Held-out subtypes"][0].value == lines["held-out subtypes"][1][0]
    assert frame["Pictures, unseen"].tolist() == [10, 20, 20]


def test_the_papers_means_are_the_printed_ones():
    assert subtype_tables.paper_means() == {"seen subtypes": 13.2, "held-out subtypes": 59.7}


def test_a_subtype_is_counted_apart_where_it_is_held_out():
    held = unseen(ICONS)
    icons = ICONS.icons
    # The network errs on one subtype, and only where that is held out.
    (first,) = {
        icons[place].motif for place in np.flatnonzero(held[1]) if icons[place].label == BIRD
    }
    is_first = np.array([icon.motif == first for icon in icons])
    by_number = {number: {NETWORK: (said(ICONS, held[number] & is_first),)} for number in held}
    frame = subtype_tables.subtypes_frame(ICONS, by_number, held)
    worst = frame.iloc[0]
    assert (worst["Subtype"], worst["Error"]) == (first.replace("_", " "), 100.0)
    assert (worst["Taken for"], worst["Held out with"], worst["Answers"]) == ("Hat", "1, 2", 10)
    assert frame["Error"].tolist()[1:] == [0.0] * (len(frame) - 1)
    assert len(frame) == 4  # two of three subtypes of two classes; the third is always seen


def test_classes_count_every_answer_on_its_side():
    by_number, held = subtypes(seen_wrong=2, unseen_wrong=3)
    frame = subtype_tables.classes_frame(ICONS, by_number, held).set_index("Class")
    for label, name in ((BIRD, "Bird"), (HAT, "Hat")):
        for column, is_held in (("Seen subtypes", False), ("Held-out subtypes", True)):
            answers = [
                not by_number[number][NETWORK][0].correct[place]
                for number, mask in held.items()
                for place in range(len(ICONS))
                if ICONS.labels[place] == label and mask[place] == is_held
            ]
            assert frame.loc[name, column] == 100 * sum(answers) / len(answers)
    assert frame["Held-out subtypes"].is_monotonic_decreasing


def test_several_networks_are_named():
    by_number, held = subtypes(seen_wrong=0, unseen_wrong=4)
    both = {number: {**found, "other": found[NETWORK]} for number, found in by_number.items()}
    rows = protocol.results(both, held, "toys", samples=20)
    assert set(subtype_tables.errors_frame(rows, "toys")["Network"]) == {
        "Wide ResNet-like", "other",
    }  # fmt: skip
    assert "other, held-out subtypes" in subtype_tables.lines(rows, "toys")
