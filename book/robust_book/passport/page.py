"""A passport as one self-contained page: headline numbers, bars, images, conventions."""

import base64
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from PIL import Image

from robust_book.html import policy
from robust_book.html.markup import Html, apart, lines, text
from robust_book.passport.strips import bars, percent, placed, severities, strip
from robust_lib.config.manifests import is_dataset, load_dataset
from robust_lib.config.papers import papers
from robust_lib.passport.record import Answer, Number, Passport, Section
from robust_lib.run.network import network_title
from robust_lib.types import Picture
from robust_lib.vocabulary import corruption_label

_STYLE = Path(__file__).with_name("passport.css")


def page(passport: Passport, pictures: Mapping[tuple[str, str], Picture] | None = None) -> str:
    """Return the page of a passport as HTML text.

    Args:
        pictures: (image set, id) -> image, for images that may be shown.
    """
    taken = [section for section in passport.sections if section.left_out is None]
    body = lines(
        _head(passport),
        _plate(passport, taken),
        *(_details(section, pictures or {}) for section in taken),
        _left_out(passport.sections),
        _made(passport),
    )
    return document(f"{network_title(passport.model)}: model report", body)


def document(title: str, body: Html) -> str:
    """Return a page of its own, with its style.

    >>> document("Mine", Html("<p>here</p>")).startswith("<!doctype html>")
    True
    """
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"{policy.meta()}"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{text(title)}</title><style>{_STYLE.read_text('utf-8')}</style></head>\n"
        f"<body><main>{body}</main></body></html>\n"
    )


def _head(passport: Passport) -> Html:
    facts = {
        "Name": passport.model,
        "Kind": f"{passport.asks}, {passport.outputs:,} outputs ({passport.classes})",
        "Sees": passport.sees,
        "Data": passport.words,
        "Weights": passport.fingerprint[:16],
        "Date": passport.made.date,
        "Library": _commit(passport),
    }
    if passport.clean is not None:
        facts["Checked"] = passport.clean.words
    rows = "".join(f"<div><dt>{text(k)}</dt><dd>{text(v)}</dd></div>" for k, v in facts.items())
    return Html(
        '<header><p class="kind">Model report</p>'
        f'<h1>{apart(network_title(passport.model))}</h1><dl class="facts">{rows}</dl></header>'
    )


def _commit(passport: Passport) -> str:
    version = passport.made.versions.get("robust-lib", "")
    commit = passport.made.commit[:12]
    return f"robust-lib {version}, {commit}{', changed' if passport.made.dirty else ''}"


def _plate(passport: Passport, taken: list[Section]) -> Html:
    groups, cited = [], {paper.key: paper.cited for paper in papers()}
    for section in taken:
        rows = "".join(
            f'<tr><th scope="row">{text(one.title)}</th>'
            f'<td class="number"><b>{percent(one.number.value)}</b>'
            f"<small>{_interval(one.number)}</small></td>"
            f'<td class="n">{_n(one.number)}</td>'
            f'<td class="axis">{strip(one)}<small>{text(placed(one))}</small></td></tr>'
            for one in section.headlines
        )
        groups.append(
            f'<tbody><tr class="group"><th colspan="4" scope="rowgroup">{text(section.title)}'
            f"<small>{text(cited[section.paper])}</small></th></tr>{rows}</tbody>"
        )
    if not groups:
        return Html(
            '<p class="empty">No benchmark applies to this model; the reasons are below.</p>'
        )
    same = any(map(_of_the_papers, passport.made.datasets))
    data = "on these data" if same else "on the papers' data: not comparable with this model"
    return Html(
        '<section class="plate"><table><thead><tr><th scope="col">Benchmark</th>'
        '<th scope="col" class="number">% [95 %]</th><th scope="col" class="n">n</th>'
        '<th scope="col">Among other networks <span class="better">better →</span></th></tr>'
        f"</thead>{''.join(groups)}</table>"
        '<p class="legend"><span class="mine">◆</span> this model '
        '<span class="here">●</span> networks of this data '
        '<span class="paper">○</span> the papers\' networks '
        f'<span class="public">❙</span> public weights, as others measured them; both {data}</p>'
        "</section>"
    )


def _of_the_papers(name: str) -> bool:
    """Return whether a data set is one of the papers', not a stand-in."""
    return is_dataset(name) and load_dataset(name).access != "generated"


def _interval(number: Number) -> str:
    return "" if number.low is None else f" {percent(number).partition(' ')[2]}"


def _n(number: Number) -> str:
    if number.n is None:
        return ""
    return f"{number.n:,}" if number.n == number.n_full else f"{number.n:,} of {number.n_full:,}"


def _details(section: Section, pictures: Mapping[tuple[str, str], Picture]) -> Html | None:
    blocks = [*_corruption_blocks(section), *_galleries(section, pictures)]
    told = dict.fromkeys(
        f"{one.title}: {one.number.convention}"
        for one in section.headlines
        if one.number.convention
    )
    conventions = "".join(f"<li>{text(one)}</li>" for one in told)
    return Html(
        f"<section><h2>{text(section.title)}</h2>{''.join(map(str, blocks))}"
        f"<details><summary>How these numbers are made</summary><ul>{conventions}</ul></details>"
        "</section>"
    )


def _corruption_blocks(section: Section) -> list[Html]:
    named = {
        corruption_label(str(one.corruption)): one for one in section.numbers if one.metric == "ce"
    }
    if not named:
        return []
    worst, best = (f(named, key=lambda name: named[name].value) for f in (max, min))
    errors: dict[str, list[Number]] = {}
    for one in section.numbers:
        if one.metric == "error" and one.severity is not None:
            errors.setdefault(corruption_label(str(one.corruption)), []).append(one)
    return [
        Html(
            f"<p>Corruption errors, 100 being the normalising network's. Worst: {text(worst)} "
            f"({percent(named[worst])}); best: {text(best)} ({percent(named[best])}).</p>"
        ),
        bars(named, title="Corruption errors (%)"),
        Html(f"<details><summary>Every severity</summary>{severities(errors)}</details>"),
    ]


def _galleries(section: Section, pictures: Mapping[tuple[str, str], Picture]) -> list[Html]:
    kinds: dict[tuple[str, str], list[Answer]] = {}
    for one in section.answers:
        if (one.images, one.id) in pictures:
            kinds.setdefault((one.images, one.kind), []).append(one)
    if section.answers and not kinds:
        return [Html("<p>The terms of these images do not permit showing them on a page.</p>")]
    return [
        Html(
            f"<h3>{text(images.replace('_', ' '))}, {text(_KINDS.get(kind, kind))}</h3>"
            "<div class='gallery'>"
            + "".join(_figure(one, pictures[one.images, one.id]) for one in many)
            + "</div>"
        )
        for (images, kind), many in kinds.items()
    ]


_KINDS = {
    "surest mistakes": "worst: the most confident mistakes",
    "surest and right": "best: the most confident correct predictions",
    "least sure and right": "correct, but least confident",
}


def _figure(answer: Answer, picture: Picture) -> str:
    said = f"{answer.predicted.replace('_', ' ')} {100 * answer.confidence:.0f} %"
    label = answer.label.replace("_", " ") or "none of the classes"
    return (
        f'<figure><img src="{_encoded(picture)}" alt="{text(label)}" width="96" height="96">'
        f"<figcaption><b>{text(label)}</b><br>{text(said)}</figcaption></figure>"
    )


def _encoded(picture: Picture) -> str:
    held = io.BytesIO()
    Image.fromarray(picture).save(held, "JPEG", quality=85)
    return "data:image/jpeg;base64," + base64.b64encode(held.getvalue()).decode()


def _left_out(sections: Sequence[Section]) -> Html | None:
    reasons = [
        (section.title, reason)
        for section in sections
        for reason in filter(None, (section.left_out, *section.lacks))
    ]
    if not reasons:
        return None
    rows = "".join(f"<li><b>{text(title)}</b>: {text(why)}</li>" for title, why in reasons)
    return Html(f"<section><h2>Left out</h2><ul>{rows}</ul></section>")


def _made(passport: Passport) -> Html:
    made = passport.made
    sets = "".join(
        f"<li>{text(name)}: <code>{text(digest[:16])}</code></li>"
        for name, digest in made.datasets.items()
    )
    versions = ", ".join(f"{name} {version}" for name, version in made.versions.items())
    return Html(
        "<footer><details><summary>Where the numbers come from</summary>"
        f"<p>Profile {text(passport.profile)}; {made.seconds:.0f} seconds on "
        f"{text(made.device)}; commit <code>{text(made.commit)}</code>; weights "
        f"<code>{text(passport.fingerprint)}</code>. {text(versions)}.</p>"
        f"<ul>{sets}</ul></details></footer>"
    )
