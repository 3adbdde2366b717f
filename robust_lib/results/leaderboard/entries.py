"""A number of the leaderboard, and a row: those of one network that may stand together."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from robust_lib.results.leaderboard.columns import COLUMNS, Column, column
from robust_lib.results.reported import Paper

Source = Literal["paper", "reference", "run"]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One number in a column of the leaderboard.

    Attributes:
        value: a fraction.
        low: lower end of its interval.
        high: its upper end.
        n: how many pictures, sets of frames it is of; None where nobody says so.
        n_full: how many there would be.
        decimals: in percent, as printed or as runs are shown.
        dataset: whose name says which data.
        way: how it is computed, in words.
        where: table, section or publication.
        note: what is odd about it, such as an erratum.
        also: other values of the same, as printed elsewhere.
    """

    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    n_full: int | None = None
    decimals: int = 1
    dataset: str
    way: str
    where: str
    note: str = ""
    also: tuple[str, ...] = ()

    @property
    def part(self) -> str:
        """Return which part of the data it is of; "" for all."""
        whole = self.n is None or self.n_full is None or self.n == self.n_full
        return "" if whole else f"{self.n:,} of {self.n_full:,}"

    @property
    def text(self) -> str:
        """Return it in percent."""
        return f"{100 * self.value:.{self.decimals}f}"

    @property
    def bed(self) -> tuple[str, str]:
        """Return which pictures it is of, clean or corrupted."""
        return self.dataset.removesuffix("_c").removesuffix("_val"), self.part


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One row of the leaderboard.

    Attributes:
        model: name of the network, the paper's or ours.
        source: whose numbers these are.
        paper: its key, of a paper's.
        cells: key of a column -> number.
    """

    model: str
    source: Source
    paper: Paper | None = None
    cells: Mapping[str, Cell]

    @property
    def asks(self) -> str:
        """Return whether it is a classifier or a detector."""
        return column(next(iter(self.cells))).asks


Found = tuple[str, Column, Cell]
"""Name of a network, and a number of it."""


_DROPS = (("nao_drop", "coco", "nao"), ("pm_drop", "pm0", "pm10"))
FOLLOWS = "the difference of both"


def with_drops(found: Iterable[Found]) -> list[Found]:
    """Return numbers with the drops that follow from two of them, where nobody prints these.

    Args:
        found: of one source.
    """
    every = list(found)
    known = {(model, one.key, cell.dataset) for model, one, cell in every}
    for drop, before, after in _DROPS:
        firsts = {
            (model, cell.bed if one.alone else None): cell
            for model, one, cell in every
            if one.key == before
        }
        for model, one, cell in list(every):
            first = firsts.get((model, cell.bed if one.alone else None))
            if one.key != after or first is None or (model, drop, cell.dataset) in known:
                continue
            lost = replace(
                cell,
                value=round(first.value - cell.value, 9),
                low=None,
                high=None,
                decimals=max(first.decimals, cell.decimals),
                where=FOLLOWS,
                note="; ".join(dict.fromkeys(filter(None, (first.note, cell.note)))),
                also=(),
            )
            every.append((model, column(drop), lost))
    return every


def joined(found: Iterable[Found], *, source: Source, paper: Paper | None) -> Iterator[Entry]:
    """Yield rows: numbers of one network together, but for those of other pictures or ways.

    What is printed twice stands once, with the other value beside it.

    Args:
        found: of one source.
        source: whose they are.
        paper: its key, of a paper's.
    """
    rows: dict[str, list[dict[str, Cell]]] = {}
    for model, one, cell in found:
        mine = rows.setdefault(model, [])
        for cells in mine:
            if one.key in cells and _same(cells[one.key], cell):
                cells[one.key] = _beside(cells[one.key], cell)
                break
            if one.key not in cells and _may_join(cells, one, cell):
                cells[one.key] = cell
                break
        else:
            mine.append({one.key: cell})
    for model, several in rows.items():
        for cells in several:
            ordered = {one.key: cells[one.key] for one in COLUMNS if one.key in cells}
            yield Entry(model=model, source=source, paper=paper, cells=ordered)


def _same(one: Cell, other: Cell) -> bool:
    return (one.dataset, one.way, one.part) == (other.dataset, other.way, other.part)


def _may_join(cells: Mapping[str, Cell], one: Column, cell: Cell) -> bool:
    if column(next(iter(cells))).asks != one.asks:
        return False
    family = [have for key, have in cells.items() if column(key).family == one.family]
    return not one.alone or all(have.bed == cell.bed for have in family)


def _beside(first: Cell, other: Cell) -> Cell:
    if abs(first.value - other.value) < 1e-9:
        return first
    told = f"{other.text} ({other.where})"
    return first if told in first.also else replace(first, also=(*first.also, told))
