"""Markup: escaped once, never twice, and no plain text."""

from html.parser import HTMLParser

import pandas as pd

from robust_book.html.markup import Html, lines, text


def test_what_is_no_markup_is_escaped_and_markup_is_not():
    assert text("<b> & 'co'") == "&lt;b&gt; &amp; &#x27;co&#x27;"
    assert text(3.5) == "3.5"
    assert text(Html("<b>&amp;</b>")) == "<b>&amp;</b>"
    assert text(Html(text("<b>"))) == text("<b>")


def test_any_text_survives_as_the_value_of_an_attribute():
    found = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attributes):
            found.extend(attributes)

    value = """a "b" 'c' <d> & &amp; e"""
    Reader().feed(f'<p title="{text(value)}">')
    assert found == [("title", value)]


def test_lines_leave_out_what_is_not_there():
    made = lines("<ul>", Html("<li>a</li>"), None, "</ul>")
    assert made == Html("<ul>\n<li>a</li>\n</ul>")
    assert lines(None) == Html("")


def test_markup_is_no_text_so_nothing_joins_or_escapes_it_unseen():
    made = Html("<i>a</i>")
    assert not isinstance(made, str)
    frame = pd.DataFrame({"cell": [made, "plain"]})
    assert frame["cell"][0] is made
    assert "<i>" not in repr(made)  # which a notebook stores beside what it renders
    assert str(made) == made._repr_html_() == "<i>a</i>"
