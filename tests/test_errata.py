"""The errata: each is well-formed, and each computation shows what the text says."""

import pytest

from robust_lib.errors import InputError
from robust_lib.results.errata import CHECKS, check, errata, table_2_gaps
from robust_lib.results.reported import PAPERS, ledger, reported


def computed(name: str) -> list[str]:
    return [line.computed for line in check(name)]


def test_each_erratum_names_a_paper_its_items_and_a_known_check():
    ids = {entry.id for entry in ledger()}
    assert len({entry.id for entry in errata()}) == len(errata())
    for entry in errata():
        assert entry.id.startswith(f"{entry.paper}-")
        assert entry.items
        assert set(entry.items) <= ids
        assert all(item.startswith(f"{entry.paper}-") for item in entry.items)
        assert entry.check is None or entry.check in CHECKS


def test_each_check_belongs_to_one_erratum():
    assert sorted(CHECKS) == sorted(entry.check for entry in errata() if entry.check)


def test_each_paper_has_errata_and_they_stand_in_order():
    papers = [entry.paper for entry in errata()]
    assert list(dict.fromkeys(papers)) == list(PAPERS)
    assert papers == sorted(papers, key=PAPERS.index)


def test_each_erratum_that_a_note_names_exists():
    named = {
        row.note.partition("see erratum ")[2].split()[0]
        for paper in PAPERS
        for row in reported(paper)
        if "see erratum " in row.note
    }
    assert len(named) > 10
    assert named <= {entry.id for entry in errata()}


def test_each_check_gives_lines_of_text():
    for name in CHECKS:
        assert check(name)
        for line in check(name):
            assert line.what
            assert line.printed
            assert line.computed


def test_an_unknown_check_is_refused():
    with pytest.raises(InputError, match="Expected check to be one of relative_formula"):
        check("nonsense")


def test_the_literal_formula_is_far_from_the_printed_value():
    assert computed("relative_formula") == ["79.4 %", "105.0 %", "1.9 points"]
    assert len(table_2_gaps()) == 90


def test_sixteen_networks_an_architecture():
    assert computed("thirty_models") == ["30", "32"]


def test_the_standard_networks_first_half():
    assert computed("set1") == ["80.50 %", "80.26 %"]


def test_dpn98_has_the_accuracy_printed_under_another_name():
    assert [(line.printed, line.computed) for line in check("dpn98")] == [
        ("7.3 %", "7.28 %"),
        ("9.4 %", "9.20 %"),
    ]


def test_self_attention_gains_by_one_value_only():
    assert computed("resnet152_aupr") == ["-0.1 points", "+0.7 points"]


def test_the_two_tables_are_about_two_versions_of_the_data():
    assert computed("anchor_counts") == ["6", "3", "41", "50", "1,145"]


def test_the_intervals_are_those_of_the_other_version():
    assert computed("interval_counts") == ["4", "12"]


def test_the_total_drop_is_in_neither_table():
    assert computed("total_drop") == ["14.2", "14.0"]


def test_no_pair_of_accuracies_gives_the_gain_of_the_text():
    assert computed("finetune_gain") == ["14.4", "14.3", "12.7", "12.7"]


def test_the_drops_of_detection():
    assert computed("map_drop_range") == ["12.5", "15.7"]
    assert computed("localization_drop") == [f"{x} points smaller" for x in ("1.6", "1.0", "5.1")]


def test_the_names_of_table_3():
    assert computed("repeated_names") == ["42", "7", "48"]


def test_the_numbers_of_table_2_of_nao():
    assert computed("efficientdet_val") == ["53.4 %"]
    assert computed("seven_models") == ["9"]
    assert computed("drop_base") == ["68.2 %", "68.3 %", "17.9 %", "19.1 %"]


def test_the_slight_increase_is_more_than_half():
    shares = [
        int(text.rpartition("+")[2].removesuffix(" %")) for text in computed("slight_increase")
    ]
    assert len(shares) == 9
    assert min(shares) > 50


def test_one_detector_is_better_on_nao():
    better = [line.what for line in check("still_worse") if line.computed.startswith("+")]
    assert better == ["faster_rcnn against coco_val"]
