"""Controls that change a setting of the paper, and a table that is recomputed in the page.

The page contains the data, and `book/_static/what_if*.js` compute the table without a server.
Without the script, the table shows the paper's setting.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from robust_book.html.markup import Html, in_script, lines, text


def what_if(
    kind: str,
    question: str,
    controls: Sequence[Html],
    table: Html,
    data: Mapping[str, Any],
    *,
    convention: str,
) -> Html:
    r"""Return a section with a question, its controls, and a table.

    Args:
        kind: name of the script that computes the table, what_if_<kind>.js; also the section's
            anchor.
        controls: results of `choice`, `slider` and `ticks`, at the paper's setting.
        table: table that the script recomputes, at the paper's setting; rows in the script's order.
        data: input of the script, only numbers and text.
        convention: everything that defines the numbers.

    >>> block = what_if("toy", "What if?", [], Html("<table></table>"), {"a<b": 1}, convention="n")
    >>> '{"a\\u003cb":1}' in str(block)
    True
    """
    key = f"what-if-{text(kind)}"
    return lines(
        f'<section class="rb-what-if" id="{key}" data-kind="{text(kind)}" '
        f'aria-labelledby="{key}-heading">',
        f'<h3 id="{key}-heading" class="rb-heading">{text(question)} '
        f'<a class="headerlink" href="#{key}" title="Link here">#</a></h3>',
        '<form class="rb-settings" autocomplete="off" hidden>',
        *controls,
        '<button type="reset">As in the paper</button>',
        "</form>",
        '<p class="rb-still">At the paper\'s setting. With JavaScript, it can be changed here.</p>',
        '<p class="rb-told" hidden><output></output></p>',
        table,
        f'<p class="rb-convention"><span class="rb-label">Convention</span> {text(convention)}</p>',
        f'<script type="application/json">{in_script(data)}</script>',
        "</section>",
    )


def choice(name: str, label: str, options: Mapping[str, str], chosen: str) -> Html:
    """Return a list from which one option is chosen.

    Args:
        options: value -> text that a reader sees.
        chosen: value of the paper.

    >>> "selected" in str(choice("k", "Which?", {"a": "A", "b": "B"}, "b"))
    True
    """
    shown = "".join(
        f'<option value="{text(value)}"{" selected" if value == chosen else ""}>{text(title)}'
        "</option>"
        for value, title in options.items()
    )
    return Html(
        f'<label class="rb-choose"><span>{text(label)}</span> '
        f'<select name="{text(name)}">{shown}</select></label>'
    )


def slider(
    name: str, label: str, low: int, high: int, value: int, *, step: int = 1, unit: str = ""
) -> Html:
    """Return a slider with its current number.

    Args:
        unit: unit behind the number, such as " %".

    >>> 'value="15"' in str(slider("confidence", "At most", 0, 100, 15, unit=" %"))
    True
    """
    return Html(
        f'<label class="rb-move"><span>{text(label)}</span> '
        f'<input type="range" name="{text(name)}" min="{low}" max="{high}" step="{step}" '
        f'value="{value}" data-unit="{text(unit)}"> <b>{value}{text(unit)}</b></label>'
    )


def ticks(
    name: str, legend: str, groups: Mapping[str, Mapping[str, str]], ticked: Sequence[str]
) -> Html:
    """Return check boxes, those of a group side by side.

    Args:
        groups: title of a group -> value -> text that a reader sees; a title may be empty.
        ticked: values in the paper's setting.

    >>> str(ticks("with", "With", {"": {"fog": "Fog", "snow": "Snow"}}, ["fog"])).count("checked")
    1
    """
    every = '<button type="button" data-all>All</button> ' * (
        len(list(chain(*groups.values()))) > len(groups)
    )
    return lines(
        f'<fieldset class="rb-tick"><legend>{text(legend)}</legend>{every}',
        *(
            f'<div role="group"{_named(title)}>{_boxes(name, options, ticked)}</div>'
            for title, options in groups.items()
        ),
        "</fieldset>",
    )


def _named(title: str) -> str:
    return f' aria-label="{text(title)}"' if title else ""


def _boxes(name: str, options: Mapping[str, str], ticked: Sequence[str]) -> str:
    return "".join(
        f'<label><input type="checkbox" name="{text(name)}" value="{text(value)}"'
        f"{' checked' if value in ticked else ''}> {text(title)}</label> "
        for value, title in options.items()
    )
