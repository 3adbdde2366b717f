"""Tables: aligned, escaped, sortable by value, whole, plain without a script."""

import re

import pandas as pd

from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_lib.results.notation import Cell

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


def test_the_lowest_of_each_column_is_bold_if_lower_is_better():
    frame = pd.DataFrame({"Network": list("abc"), "mCE": [90.0, 80.0, None], "CE": [7.0] * 3})
    made = table(frame, caption="Errors (%)", lowest=True).markup
    assert re.findall('rb-num rb-best" data-sort="([^"]*)"', made) == ["7.0", "80.0", "7.0", "7.0"]
    assert "<caption>Errors (%); the lowest of each column is bold</caption>" in made
    assert "rb-best" not in table(frame, caption="Errors (%)").markup


def test_text_is_escaped_and_markup_is_kept():
    made = table(FRAME, caption="a & b").markup
    assert '<th scope="row">a&lt;b&gt;</th>' in made
    assert '<td><a href="x">x</a></td>' in made
    assert "<caption>a &amp; b</caption>" in made


def test_it_scrolls_in_a_region_that_the_keyboard_reaches():
    made = table(FRAME, caption="Errors").markup
    assert '<div class="rb-scroll" role="region" tabindex="0" aria-label="Errors">' in made


def marks(rows: int) -> set[str]:
    made = table(pd.DataFrame({"x": range(rows)}), caption="x").markup
    return set(re.findall(r"data-(\w+)[ >]", re.search(r"<table[^>]*>", made).group()))


def test_short_tables_have_no_arrows_and_only_long_ones_a_fold_and_a_filter():
    assert marks(5) == set()
    assert marks(6) == {"sortable"}
    assert marks(15) == {"sortable", "long"}
    assert marks(20) == {"sortable", "long", "filterable"}
    long = pd.DataFrame({"x": range(40)})
    assert "data-filterable" not in table(long, caption="x", filterable=False).markup


def test_a_negative_number_has_a_minus_sign():
    assert ">−1.5<" in table(pd.DataFrame({"x": ["a"], "y": [-1.5]}), caption="x").markup


def test_a_number_with_an_interval_sorts_by_the_number():
    frame = pd.DataFrame({"x": ["a", "b"], "y": [Cell(57.4, 54.7, 60.0), Cell(3.0)]})
    made = table(frame, caption="x").markup
    assert 'data-sort="57.4">57.4<span class="rb-ends"> [54.7, 60.0]</span></td>' in made
    assert 'data-sort="3.0">3.0<span class="rb-ends"></span></td>' in made
    assert '<th scope="col" class="rb-num">y</th>' in made


def test_columns_of_one_family_share_a_heading():
    frame = pd.DataFrame(
        [["a", 1.0, 2.0, 3.0]], columns=["Network", "Noise|Gauss.", "Noise|Shot", ("Blur", "Zoom")]
    )
    made = table(frame, caption="x", decimals={"Shot": 0, "Noise|Gauss.": 2}).markup
    above, below = re.findall(r"<tr.*?</tr>", made)[:2]
    assert '<th scope="col" rowspan="2">Network</th>' in above
    assert '<th scope="colgroup" colspan="2">Noise</th>' in above
    assert '<th scope="colgroup" colspan="1">Blur</th>' in above
    assert re.findall(r">([\w.]+)</th>", below) == ["Gauss.", "Shot", "Zoom"]
    assert ">1.00<" in made
    assert ">2<" in made


def test_a_table_of_many_columns_may_use_the_margin():
    wide = pd.DataFrame([range(8)], columns=list("abcdefgh"))
    assert 'class="rb-scroll full-width rb-wide"' in table(wide, caption="x").markup
    assert "full-width" not in table(wide.iloc[:, :7], caption="x").markup


def test_columns_of_printed_numbers_stand_and_sort_as_numbers_and_keep_their_digits():
    frame = pd.DataFrame(
        {"net": ["a", "b", "c"], "weights": ["42", "8.1", "–"], "mixed": ["11.5", "11 to 12", "–"]}
    )
    drawn = str(table(frame, caption="printed"))
    for shown, key in (("42", "42.0"), ("8.1", "8.1"), ("–", "")):
        assert f'<td class="rb-num" data-sort="{key}">{shown}</td>' in drawn
    assert "<td>11.5</td>" in drawn  # beside words it is one
    assert drawn.count('<th scope="col" class="rb-num">') == 1
