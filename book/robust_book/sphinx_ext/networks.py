"""One network in all chapters: the numbers from saved runs, next to the papers'."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pandas as pd

from robust_book.html.markup import Html, lines, text
from robust_book.html.table import table
from robust_book.sphinx_ext import downloads
from robust_book.sphinx_ext.page import RESULTS, Page
from robust_lib.config.profiles import Profile, load_profile
from robust_lib.errors import InputError
from robust_lib.results.notation import Cell, listed, with_interval, written
from robust_lib.results.reported import reported
from robust_lib.run.network import Network, network_title, network_titles


@dataclass(frozen=True)
class Measure:
    """A measure of networks that a chapter computes.

    Attributes:
        role: role of the data set; None if the item has only one.
        corruption: a corruption or a set of them; None: the number over all, or without any.
        percent: whether it is shown in percent.
    """

    title: str
    item: str
    metric: str
    role: str | None = None
    corruption: str | None = None
    percent: bool = True

    @property
    def unit(self) -> str:
        """Return the unit behind its numbers."""
        return " %" if self.percent else ""

    @property
    def decimals(self) -> int:
        """Return the number of digits after the point."""
        return 1 if self.percent else 2

    def shown(self, value: float) -> float:
        """Return a fraction formatted for display."""
        return 100 * value if self.percent else value


MEASURES = (
    Measure("clean error", "inc-tab1", "error"),
    Measure("mCE", "inc-tab1", "mce"),
    Measure("relative mCE", "inc-tab2", "relative_mce"),
    Measure("accuracy, ordinary", "nae-fig2", "accuracy", role="imagenet_val_a"),
    Measure("accuracy, hard", "nae-fig2", "accuracy", role="imagenet_a"),
    Measure("AUPR, OOD", "nae-fig3", "aupr"),
    Measure("RMS calibration error", "nae-fig14", "rms_calibration_error"),
    Measure("AURRA", "nae-fig14", "aurra"),
    Measure("mean CE, set1", "overlap-tab1", "mean_ce", corruption="set1"),
    Measure("mean CE, set2", "overlap-tab1", "mean_ce", corruption="set2"),
    Measure("accuracy, new style", "inc-icons-style", "accuracy", role="icons50_style"),
    Measure("accuracy, new subtypes", "inc-icons-subtype", "accuracy", role="icons50_subtype"),
)


@lru_cache(maxsize=4)
def saved_rows(folder: Path, chapters: tuple[str, ...]) -> pd.DataFrame:
    """Return all rows that the chapters of a book saved."""
    files = (folder / RESULTS / f"{name}.csv" for name in chapters)
    frames = [pd.read_csv(file) for file in files if file.exists()]
    frames = [frame for frame in frames if "metric" in frame.columns]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def profile_of(page: Page) -> Profile | None:
    """Return the profile of this site's runs; None if no such profile is known."""
    names = {str(saved["profile"]) for saved in page.results.values()}
    try:
        return load_profile(sorted(names)[0]) if names else None
    except InputError:
        return None


def measured(page: Page, measure: Measure) -> dict[str, Cell]:
    """Return our name of a network -> its number in this run, formatted for display."""
    frame = saved_rows(page.folder, tuple(sorted(page.results)))
    if frame.empty:
        return {}
    mine = frame[(frame["item"] == measure.item) & (frame["metric"] == measure.metric)]
    mine = mine[mine["model"].notna() & mine["severity"].isna() & mine["k"].isna()]
    if measure.corruption is None:
        mine = mine[mine["corruption"].isna()]
    else:
        mine = mine[mine["corruption"] == measure.corruption]
    if measure.role is not None:
        mine = mine[mine["dataset"].isin(_datasets(page, measure.role))]
    found: dict[str, Cell] = {}
    for row in mine.to_dict("records"):
        value, low, high = (
            None if pd.isna(row[name]) else measure.shown(float(row[name]))
            for name in ("value", "low", "high")
        )
        if value is not None:
            found.setdefault(str(row["model"]), Cell(value, low, high))
    return found


def printed(measure: Measure) -> dict[str, float]:
    """Return the paper's name of a network -> its printed number, formatted for display."""
    found: dict[str, float] = {}
    for row in reported(measure.item):
        fits = row.metric == measure.metric and row.corruption == measure.corruption
        if row.number is None or row.model is None or not fits:
            continue
        if measure.role in (None, row.dataset):
            found.setdefault(row.model, measure.shown(row.number) or 0.0)
    return found


def parts(page: Page) -> Mapping[str, tuple[str, ...]]:
    """Return our name of a network -> the papers' networks that it stands in for, each once."""
    profile = profile_of(page)
    found: dict[str, dict[str, None]] = {}
    for group in () if profile is None else profile.networks.values():
        for name, ours in group.items():
            found.setdefault(ours, {})[name] = None
    return {ours: tuple(names) for ours, names in found.items()}


def _datasets(page: Page, role: str) -> set[str]:
    profile = profile_of(page)
    named = {} if profile is None else profile.data
    family, _, part = role.partition("_")
    inside = {f"{named[family]}_{part}", f"{named[family]}/{part}"} if family in named else set()
    return {role, named.get(role, role)} | inside


Found = Mapping[str, Mapping[str, Cell]]


def draw(page: Page) -> Html:
    """Return the table of all networks, a list to choose one from, and their cards."""
    found = {one.title: measured(page, one) for one in MEASURES}
    # Networks trained with one corruption, or without some pictures, stand in their chapter alone.
    names = [
        name
        for name in dict.fromkeys(name for by_name in found.values() for name in by_name)
        if Network.read(name).is_plain and name != "chance"
    ]
    if not names:
        return Html("<p>This site has no chapter that measures networks.</p>")
    titles = network_titles(names)
    return lines(
        table(
            _frame(found, names, titles),
            caption="Every network of this run, in every chapter that measures it",
            decimals={one.title: one.decimals for one in MEASURES},
        ),
        _choice(names, titles),
        *(_card(page, name, titles[name], found) for name in names),
        downloads.links(page, "networks", _flat(found, titles)),
    )


def _flat(found: Found, titles: Mapping[str, str]) -> list[dict[str, object]]:
    """Return one row per number, formatted as on the page: in percent if the page does so."""
    return [
        {"network": name, "title": titles[name], "measure": one.title, "item": one.item}
        | {"unit": one.unit.strip(), **found[one.title][name]._asdict()}
        for name in titles
        for one in MEASURES
        if name in found[one.title]
    ]


def _frame(found: Found, names: list[str], titles: Mapping[str, str]) -> pd.DataFrame:
    frame = pd.DataFrame(
        {"Network": [Html(f'<a href="#{_slug(name)}">{text(titles[name])}</a>') for name in names]}
    )
    for measure in MEASURES:
        numbers = found[measure.title]
        if numbers:
            shown = [numbers[name].value if name in numbers else None for name in names]
            frame[measure.title] = pd.Series(shown, dtype=float)
    return frame


def _choice(names: list[str], titles: Mapping[str, str]) -> Html:
    options = "".join(
        f'<option value="{_slug(name)}">{text(titles[name])}</option>' for name in names
    )
    return Html(
        '<p class="rb-choose" hidden><label>Follow one network '
        f'<select><option value="">all of them</option>{options}</select></label></p>'
    )


def _card(page: Page, name: str, title: str, found: Found) -> Html:
    shown = [measure for measure in MEASURES if name in found[measure.title]]
    played = parts(page).get(name, (name,))
    rows = [_line(page, measure, found[measure.title][name], played) for measure in shown]
    # One network plays another, too, in a chapter that is not about this page's measures.
    told = [one for one in played if any(one in printed(measure) for measure in shown)]
    names = [network_title(one) for one in told or played[:1]]
    part = f"is the stand-in for {listed(names)}"
    told_of = "is a network of the papers" if name in played else part
    return lines(
        f'<section class="rb-network" id="{_slug(name)}"><h2>{text(title)}</h2>',
        f'<p class="rb-small">It {text(told_of)}. Its key in files and commands: '
        f"<code>{text(name)}</code></p>",
        f'<dl class="rb-facts">{"".join(rows)}</dl></section>',
    )


def _line(page: Page, measure: Measure, number: Cell, played: Sequence[str]) -> str:
    place, paper = page.place(measure.item), printed(measure)
    name = f'<a href="{text(place)}">{measure.title}</a>' if place else measure.title
    sides = [
        f"{network_title(one)} in the paper: {written(paper[one], measure.decimals)}{measure.unit}"
        for one in played
        if one in paper
    ]
    beside = f' <span class="rb-small">{text("; ".join(sides))}</span>' if sides else ""
    shown = with_interval(*number, measure.decimals, measure.unit)
    return f"<dt>{name}</dt><dd>{text(shown)}{beside}</dd>"


def _slug(name: str) -> str:
    return "network-" + "".join(letter if letter.isalnum() else "-" for letter in name.lower())
