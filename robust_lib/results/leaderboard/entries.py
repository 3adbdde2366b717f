"""Cells and rows of the leaderboard: single numbers, and the numbers of one network."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from robust_lib.config.papers import Paper
from robust_lib.results.leaderboard.columns import COLUMNS, Column, column

Source = Literal["paper", "reference", "run"]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One number in a column of the leaderboard.

    Attributes:
        value: a fraction.
        n: number of images or frame sets; None if unknown.
        decimals: decimals in percent, as printed or as shown for runs.
        item: id of the ledger item to which the number belongs; "" if there is none.
        also: other values of the same number, printed elsewhere.
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
    item: str = ""
    note: str = ""
    also: tuple[str, ...] = ()

    @property
    def part(self) -> str:
        """Return the part of the data behind the number, as text; "" if it is all of the data."""
        whole = self.n is None or self.n_full is None or self.n == self.n_full
        return "" if whole else f"{self.n:,} of {self.n_full:,}"

    @property
    def text(self) -> str:
        """Return the number in percent, as text."""
        return f"{100 * self.value:.{self.decimals}f}"

    @property
    def bed(self) -> tuple[str, str]:
        """Return which images are behind the number, clean or corrupted: data set and part."""
        return self.dataset.removesuffix("_c").removesuffix("_val"), self.part


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One row of the leaderboard.

    Attributes:
        model: the paper's name of the network, or ours.
    """

    model: str
    source: Source
    paper: Paper | None = None
    cells: Mapping[str, Cell]

    @property
    def asks(self) -> str:
        """Return whether the network is a classifier or a detector."""
        return column(next(iter(self.cells))).asks


Found = tuple[str, Column, Cell]
"""Name of a network, and one of its numbers."""


_DROPS = (("nao_drop", "coco", "nao"), ("pm_drop", "pm0", "pm10"))
FOLLOWS = "the difference of the two"


def with_drops(found: Iterable[Found]) -> list[Found]:
    """Return the numbers, adding drops that follow from two of them unless they are printed."""
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
    """Yield rows; numbers of one network share a row if their images and methods are the same.

    A number printed twice appears once, with the other value as a note.
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
