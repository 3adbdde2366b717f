"""The pictures behind a number: what is stored comes back, and hides until a script shows it."""

import json
import re

from robust_book.html.mistakes import Behind, Mistake, mistakes

FOG = Behind(
    "fog.webp",
    "Mine under fog",
    "wrong on 2 of 9 pictures",
    (Mistake("</script>", "hat & <b>", 0.996), Mistake("owl", "hat", 0.5)),
)


def stored(block):
    (found,) = re.findall(r'<script type="application/json">(.*?)</script>', block, re.DOTALL)
    return json.loads(found)


def test_a_cell_comes_back_as_it_was_and_cannot_end_the_script():
    ((none, cell),) = stored(str(mistakes([[None, FOG]], convention="severity 3")))
    assert none is None
    wrong = (
        ["</script>", "hat & <b>", "100\N{NO-BREAK SPACE}%"],
        ["owl", "hat", "50\N{NO-BREAK SPACE}%"],
    )
    assert cell["seen"] == list(wrong)
    assert (cell["file"], cell["title"]) == ("_static/results/fog.webp", "Mine under fog")


def test_nothing_is_seen_of_it_without_a_script_and_no_picture_is_asked_for():
    block = str(mistakes([[FOG]], convention="<severity 3>"))
    assert re.match(r'<div class="rb-mistakes" hidden>', block)
    assert "<img" not in block
    assert "&lt;severity 3&gt;" in block


def test_a_cell_without_mistakes_has_no_file():
    ((cell,),) = stored(
        str(mistakes([[Behind(None, "Mine under fog", "none", ())]], convention=""))
    )
    assert (cell["file"], cell["seen"]) == (None, [])
