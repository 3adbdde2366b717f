"""Errata of Natural adversarial examples: each computation shows what the text says."""

from robust_lib.results.errata import nae
from tests.results.errata.lines import computed


def test_dpn98_has_the_accuracy_printed_under_another_name():
    assert [(line.printed, line.computed) for line in nae.dpn98()] == [
        ("7.3 %", "7.28 %"),
        ("9.4 %", "9.20 %"),
    ]


def test_the_small_resnext_has_the_accuracy_of_another_network():
    same, other, *rest = nae.resnext50()
    assert (same.printed, same.computed) == ("1.3 %", "1.3 %")
    assert (other.printed, other.computed) == ("1.3 %", "4.81 %")
    gaps = [abs(float(a.split()[0]) - float(b.split()[0])) for _, a, b in map(_parts, rest)]
    assert len(gaps) == 5
    assert max(gaps) <= 0.2 + 1e-9


def _parts(line):
    return line.what, line.printed, line.computed


def test_bee_is_the_only_overlapping_class_of_the_list():
    assert computed(nae.overlapping_classes) == ["bee"]


def test_self_attention_gains_by_one_value_only():
    assert computed(nae.resnet152_aupr) == ["-0.1 points", "+0.7 points"]


def test_self_attention_gains_more_than_a_point_and_less_than_ten():
    assert computed(nae.self_attention) == ["+1.20 points", "+8.32 points"]


def test_no_class_of_the_list_is_an_answer_that_section_4_names():
    assert computed(nae.other_answers) == [
        *("none", "bicycle-built-for-two"),
        *("none", "computer keyboard, typewriter keyboard"),
        *("none", "none"),
    ]
