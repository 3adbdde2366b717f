"""The box that says where a chapter's numbers come from: generated, never typed."""

from collections.abc import Mapping
from typing import Any

from robust_book.html.markup import Html, lines, text
from robust_book.sphinx_ext.page import Page
from robust_lib.run.provenance import UNKNOWN


def draw(page: Page, notebook: str | None = None) -> Html:
    """Return the folded box of a chapter, by default of the page's own.

    Raises:
        InputError: the chapter is not part of this site.
    """
    _, saved = page.chapter(notebook)
    known = saved["provenance"]
    commit = str(known["commit"])
    rows = {
        "Run": saved.get("words"),
        "Profile": known["profile"],
        "Commit": Html(f"{linked(page, commit)} with uncommitted changes")
        if known.get("dirty")
        else linked(page, commit),
        "Command": Html(f"<code>{text(known['command'])}</code>"),
        "Parameters": _pairs(known["parameters"]),
        "Seeds": ", ".join(str(seed) for seed in known.get("seeds", [])),
        "Data": _pairs(known.get("datasets", {}), short=True),
        "Weights": _pairs(known.get("weights", {}), short=True),
        "Versions": _pairs(known["versions"]),
        "Device": known.get("device"),
        "Time": _duration(known.get("seconds")),
        "Date": known["date"],
    }
    shown = [f"<dt>{name}</dt><dd>{text(value)}</dd>" for name, value in rows.items() if value]
    return lines(
        '<details class="rb-provenance"><summary>Provenance of this chapter</summary>',
        "<dl>",
        *shown,
        "</dl></details>",
    )


def linked(page: Page, commit: str) -> Html:
    """Return the first digits of a commit, as a link into the repository where both are known."""
    if commit == UNKNOWN or not page.repository:
        return Html(text(commit[:12]))
    address = f"{page.repository.rstrip('/')}/commit/{commit}"
    return Html(f'<a href="{text(address)}">{text(commit[:12])}</a>')


def _pairs(mapping: Mapping[str, Any], *, short: bool = False) -> Html | None:
    """Return names and values as a list; digests cut to what tells them apart."""
    if not mapping:
        return None
    shown = {name: str(value)[:16] if short else value for name, value in mapping.items()}
    entries = "".join(
        f"<li><span>{text(name)}</span> <code>{text(value)}</code></li>"
        for name, value in shown.items()
    )
    return Html(f'<ul class="rb-pairs">{entries}</ul>')


def _duration(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"
