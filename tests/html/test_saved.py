"""The last cell's table names every number that a text may name, and a verdict once."""

from robust_book.html.saved import saved


def number(text):
    return {"text": text, "convention": "c", "n": None}


def test_every_name_has_its_row_and_a_verdict_one():
    named = {"a.error": number("5 %"), "a.x-claim-1": number("holds")}
    record = {"notebook": "a", "profile": "mini", "items": [], "numbers": named}
    record["numbers"]["a.x-claim-1-verb"] = number("holds")
    shown = saved(record, 3, ["It ran <twice>."]).markup
    assert shown.count("<tr>") == 1 + 2
    assert "It ran &lt;twice&gt;." in shown
    assert "table" not in saved(record | {"numbers": {}}, 3).markup
