"""Small figures of a passport, as SVG in the page: axes with other networks, and bars."""

from collections.abc import Mapping, Sequence

from robust_book.html.markup import Html, text
from robust_lib.passport.record import Headline, Number
from robust_lib.results.notation import with_interval, written

WIDTH, HEIGHT, EDGE = 300, 30, 8
BAR, LABEL, ROW = 300, 128, 19


def percent(number: Number | float) -> str:
    """Return a fraction in percent with its interval.

    >>> percent(0.5), percent(Number(item="nae-fig2", metric="accuracy", dataset="toy", value=0.5,
    ...                              low=0.25, high=0.75))
    ('50.0', '50.0 [25.0, 75.0]')
    """
    if isinstance(number, float):
        return written(100 * number)
    low, high = (None if end is None else 100 * end for end in (number.low, number.high))
    return with_interval(100 * number.value, low, high)


def strip(headline: Headline) -> Html:
    """Return the model between other networks on one axis, better to the right.

    >>> number = Number(item="nae-fig2", metric="accuracy", dataset="toy", value=0.5)
    >>> "Accuracy: 50.0" in str(strip(Headline(title="Accuracy", better="higher", number=number)))
    True
    """
    number = headline.number
    ends = [one for one in (number.value, number.low, number.high) if one is not None]
    values = [*ends, *(one.value for one in headline.others)]
    low, high = min(values), max(values)
    room = max(0.08 * (high - low), 0.01)
    low, high = low - room, high + room

    def at(value: float) -> float:
        share = (value - low) / (high - low)
        share = share if headline.better == "higher" else 1 - share
        return round(EDGE + share * (WIDTH - 2 * EDGE), 1)

    middle = HEIGHT / 2
    parts = [f'<line class="axis" x1="{EDGE}" x2="{WIDTH - EDGE}" y1="{middle}" y2="{middle}"/>']
    for one in headline.others:
        told = f"<title>{text(one.network)}: {percent(one.value)}</title>"
        parts.append(_mark(one.source, at(one.value), middle, Html(told)))
    if number.low is not None and number.high is not None:
        first, last = sorted((at(number.low), at(number.high)))
        parts.append(f'<line class="range" x1="{first}" x2="{last}" y1="{middle}" y2="{middle}"/>')
    x = at(number.value)
    parts.append(
        f'<path class="mine" d="M{x} {middle - 8}L{x + 6} {middle}L{x} {middle + 8}'
        f'L{x - 6} {middle}Z"/>'
    )
    told = f"{headline.title}: {percent(number)}; {_placed(headline)}"
    return Html(
        f'<svg class="strip" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{text(told)}">'
        f"{''.join(parts)}</svg>"
    )


def _mark(source: str, x: float, y: float, told: Html) -> str:
    """Return the marker of another network: a dot, a ring, or a tick for public weights."""
    if source == "public":
        return (
            f'<rect class="public" x="{x - 1:.1f}" y="{y - 6}" width="2" height="12">{told}</rect>'
        )
    return f'<circle class="{source}" cx="{x}" cy="{y}" r="4">{told}</circle>'


def _placed(headline: Headline) -> str:
    """Return the number of the book's networks that are worse, as text."""
    here = [one.value for one in headline.others if one.source == "here"]
    if not here:
        return "no other network on these data is known"
    mine = headline.number.value
    worse = sum(one < mine if headline.better == "higher" else one > mine for one in here)
    return f"better than {worse} of {len(here)} networks on these data"


def placed(headline: Headline) -> str:
    """Return how many of the book's networks are worse, in words, "" if none is known.

    >>> number = Number(item="nae-fig2", metric="accuracy", dataset="toy", value=0.5)
    >>> placed(Headline(title="Accuracy", better="higher", number=number))
    ''
    """
    here = any(one.source == "here" for one in headline.others)
    return _placed(headline) if here else ""


def bars(numbers: Mapping[str, Number], *, title: str) -> Html:
    """Return horizontal bars with their intervals, and a line at the normaliser's own.

    Args:
        numbers: label -> number, fractions; the first on top.
        title: content of the figure, for screen readers.

    >>> one = Number(item="inc-tab1", metric="ce", dataset="toy", value=0.5)
    >>> "Fog 50.0" in str(bars({"Fog": one}, title="CE"))
    True
    """
    most = max(1.0, *(one.high or one.value for one in numbers.values())) * 1.04
    height = ROW * len(numbers) + 18

    def at(value: float) -> float:
        return round(LABEL + value / most * (BAR - 12), 1)

    parts: list[str] = []
    for place, (label, one) in enumerate(numbers.items()):
        y = place * ROW + 4
        parts.append(
            f'<text class="label" x="{LABEL - 6}" y="{y + 10}">{text(label)}</text>'
            f'<rect class="bar" x="{LABEL}" y="{y}" height="12" width="{at(one.value) - LABEL:.1f}"'
            "/>"
            f'<text class="value" x="{LABEL + BAR + 2}" y="{y + 10}">{percent(one.value)}</text>'
        )
        if one.low is not None and one.high is not None:
            parts.append(
                f'<line class="whisker" x1="{at(one.low)}" x2="{at(one.high)}" y1="{y + 6}" '
                f'y2="{y + 6}"/>'
            )
    bottom = ROW * len(numbers) + 2
    parts.append(
        f'<line class="even" x1="{at(1.0)}" x2="{at(1.0)}" y1="0" y2="{bottom}"/>'
        f'<text class="tick" x="{at(1.0)}" y="{bottom + 12}">100</text>'
    )
    told = f"{title}: {'; '.join(f'{label} {percent(one)}' for label, one in numbers.items())}"
    return Html(
        f'<svg class="bars" viewBox="0 0 {LABEL + BAR + 40} {height}" role="img" '
        f'aria-label="{text(told)}">{"".join(parts)}</svg>'
    )


def severities(errors: Mapping[str, Sequence[Number]]) -> Html:
    """Return errors by corruption and severity as a table whose cells are shaded by the error.

    >>> one = Number(item="inc-tab1", metric="error", dataset="toy", severity=1, value=0.5)
    >>> "50.0" in str(severities({"Fog": [one]}))
    True
    """
    steps = sorted({int(one.severity or 0) for many in errors.values() for one in many})
    head = "".join(f'<th scope="col">{step}</th>' for step in steps)
    rows = []
    for label, many in errors.items():
        by_step = {one.severity: one for one in many}
        cells = "".join(
            f'<td style="--error:{by_step[step].value:.3f}">{percent(by_step[step].value)}</td>'
            if step in by_step
            else "<td>–</td>"
            for step in steps
        )
        rows.append(f'<tr><th scope="row">{text(label)}</th>{cells}</tr>')
    return Html(
        # Whoever has no mouse scrolls it, too, where a screen is too narrow.
        '<table class="severities" tabindex="0">'
        "<caption>Error (%) by corruption and severity</caption>"
        f'<thead><tr><th scope="col">Corruption</th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )
