"""The fifteen corruptions stand under their families, as the paper prints them."""

import pandas as pd

from robust_book.html.families import grouped
from robust_lib.vocabulary import COMMON, EXTRA, corruption_label


def test_all_fifteen_are_grouped_under_both_of_their_spellings():
    by_name = list(grouped(pd.DataFrame(columns=list(COMMON))))
    by_label = list(grouped(pd.DataFrame(columns=[corruption_label(name) for name in COMMON])))
    assert by_name == by_label
    assert by_name[:4] == ["Noise|Gauss.", "Noise|Shot", "Noise|Impulse", "Blur|Defocus"]
    assert all("|" in name for name in by_name)
    assert max(map(len, (name.rpartition("|")[2] for name in by_name))) <= 8


def test_other_columns_keep_their_names():
    others = ["Network", "Error", *EXTRA]
    assert list(grouped(pd.DataFrame(columns=others))) == others
