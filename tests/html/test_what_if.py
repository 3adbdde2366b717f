"""A question in the page: its controls begin as the paper has it, and its data stay data."""

import json
import re

import pytest

from robust_book.html.markup import Html
from robust_book.html.what_if import choice, slider, ticks, what_if

TABLE = Html("<table><tbody><tr><th>a</th><td>1.0</td></tr></tbody></table>")


def test_the_data_come_back_as_they_were_and_cannot_end_the_script():
    data = {"titles": ["</script><b>", 'a "quoted" & b'], "numbers": [0.1, None, 3]}
    block = str(what_if("toy", "What if?", [], TABLE, data, convention="none"))
    (stored,) = re.findall(r'<script type="application/json">(.*?)</script>', block, re.DOTALL)
    assert json.loads(stored) == data


def test_numbers_that_are_none_are_refused_rather_than_stored():
    with pytest.raises(ValueError, match="not JSON compliant"):
        what_if("toy", "What if?", [], TABLE, {"one": float("nan")}, convention="none")


def test_words_of_data_sets_are_escaped():
    block = str(what_if("toy", "a < b?", [], TABLE, {}, convention="<mine>"))
    assert "a &lt; b?" in block
    assert "&lt;mine&gt;" in block
    control = str(choice("k", "<k>", {'"': "<one>"}, '"'))
    assert '<option value="&quot;" selected>&lt;one&gt;' in control


def test_a_slider_says_its_number_and_unit():
    block = str(slider("score", "Score above", 0, 95, 5, step=5, unit=" %"))
    assert re.search(r'min="0" max="95" step="5" value="5" data-unit=" %"', block)
    assert "<b>5 %</b>" in block


def test_boxes_are_ticked_as_the_paper_has_them_and_one_button_ticks_all():
    groups = {"Noise": {"shot": "Shot"}, "Weather": {"fog": "Fog", "snow": "Snow"}}
    block = str(ticks("corruption", "Mean over", groups, ["shot", "snow"]))
    assert re.findall(r'value="(\w+)" checked', block) == ["shot", "snow"]
    assert "data-all" in block
    assert re.findall(r'aria-label="(\w+)"', block) == ["Noise", "Weather"]


def test_a_single_box_needs_no_button_for_all():
    assert "data-all" not in str(ticks("anchor", "Counts", {"": {"anchor": "the anchor"}}, []))
