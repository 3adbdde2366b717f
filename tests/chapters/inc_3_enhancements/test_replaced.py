"""Changes of networks that take others' places, and of all remedies."""

import pytest

from robust_book.chapters.inc_3_enhancements import numbers, replaced
from robust_lib.protocols.corruption_error import enhancements


def test_figure_4_has_paired_changes_under_one_name_with_the_papers(rows, of):
    members = of("inc-fig4")
    plain = members[enhancements.ALIKE]
    ours = replaced.both_changes(rows, "inc-fig4", [(plain, members["densenet121"])])
    printed = replaced.printed_changes("inc-fig4", members)
    assert list(printed) == list(replaced.both_changes(rows, "inc-fig4", replaced.pairs(members)))
    assert list(ours) == ["DenseNet-121-like for ResNet-34-like"]
    (error, mce) = printed["DenseNet-121-like for ResNet-34-like"]
    assert (error[0], mce[0]) == pytest.approx((25.6 - 23.9, 73.4 - 76.7))
    both = numbers.both(rows, "inc-fig4", [plain, members["densenet121"]])
    one, other = both["ResNet-34-like"], both["DenseNet-121-like"]
    (changed,) = ours.values()
    assert changed[1][0] == pytest.approx(other[1][0] - one[1][0])


def test_remedies_are_changes_of_mce_and_leave_the_standard_network_out(rows, of):
    every = {name: ours for item in enhancements.ITEMS for name, ours in of(item).items()}
    found = replaced.remedies(rows, every, list(every.values()))
    assert "Stability training, best of 9" in found["this run"]
    assert found["the paper"]["Denoised"][0] == pytest.approx(82.1 - 76.7)
    assert set(found["the paper"]) <= set(found["this run"])
