"""Tables: aligned, escaped, sortable by value, plain without a script."""

import pandas as pd

from robust_lib.html.markup import Html
from robust_lib.html.table import table

FRAME = pd.DataFrame(
    {
        "Network": ["a<b>", "resnet"],
        "mCE": [76.7, float("nan")],
        "n": pd.Series([50000, None], dtype="Int64"),
        "Where": [Html('<a href="x">x</a>'), "none"],
    }
)


def test_numbers_are_right_aligned_with_fixed_decimals_and_sort_by_value():
    made = table(FRAME, caption="Errors", decimals={"mCE": 2}).markup
    assert '<td class="rb-num" data-sort="76.7">76.70</td>' in made
    assert '<td class="rb-num" data-sort="50000.0">50,000</td>' in made
    assert made.count('<th scope="col" class="rb-num">') == 2


def test_a_missing_number_is_a_dash_and_sorts_last():
    assert table(FRAME, caption="Errors").markup.count('data-sort="">–</td>') == 2


def test_text_is_escaped_and_markup_is_kept():
    made = table(FRAME, caption="a & b").markup
    assert '<th scope="row">a&lt;b&gt;</th>' in made
    assert '<td><a href="x">x</a></td>' in made
    assert "<caption>a &amp; b</caption>" in made


def test_it_scrolls_in_a_region_that_the_keyboard_reaches():
    made = table(FRAME, caption="Errors").markup
    assert '<div class="rb-scroll" role="region" tabindex="0" aria-label="Errors">' in made


def test_long_tables_get_a_filter_and_short_ones_do_not():
    long = pd.DataFrame({"x": range(12)})
    assert "data-filterable" in table(long, caption="x").markup
    assert "data-filterable" not in table(FRAME, caption="x").markup
    assert "data-filterable" not in table(long, caption="x", filterable=False).markup


def test_a_negative_number_has_a_minus_sign():
    assert ">−1.5<" in table(pd.DataFrame({"x": ["a"], "y": [-1.5]}), caption="x").markup
