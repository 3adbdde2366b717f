"""Errata of Natural adversarial examples: each computation shows what the text says."""

from robust_lib.results.errata import nae
from tests.results.errata.lines import computed


def test_dpn98_has_the_accuracy_printed_under_another_name():
    assert [(line.printed, line.computed) for line in nae.dpn98()] == [
        ("7.3 %", "7.28 %"),
        ("9.4 %", "9.20 %"),
    ]


def test_self_attention_gains_by_one_value_only():
    assert computed(nae.resnet152_aupr) == ["-0.1 points", "+0.7 points"]
