"""The numbers and claims that the five papers print, and the ledger of their items."""

import csv
import difflib
import io
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from pydantic import ValidationError

from robust_lib import paths
from robust_lib.config.manifests import is_dataset, load_dataset
from robust_lib.config.papers import Paper, paper_keys
from robust_lib.config.strict_json import first_wrong
from robust_lib.config.strict_yaml import Record, parse_record, read_yaml
from robust_lib.errors import DataError, InputError, ManifestError, one_of
from robust_lib.results.row import matching

Unit = Literal["percent", "fraction", "count", "points", "text", "none"]

# Powers of ten, thousands and fractions as the papers write them.
_NUMBER = re.compile(
    r"(?P<digits>-?[\d,]*\.?\d+)(?:e(?P<power>-?\d+)|(?P<many>k|M| million)|/(?P<under>\d+))?"
)
_TEN_TO = re.compile(r"10\^(?P<power>-?\d+)")
_MANY = {"k": 1e3, "M": 1e6, " million": 1e6}


class LedgerItem(Record):
    """One figure, table, claim or list of a paper, and its chapter."""

    id: str
    paper: Paper
    kind: Literal["figure", "table", "claim", "list"]
    title: str
    notebook: str
    shows: str
    numbers: bool


class Networks(Record):
    """The networks that claims of a paper are about, in the paper's names.

    Attributes:
        left_out: networks that are neither counted nor mentioned, since they selected the images.
    """

    networks: tuple[str, ...]
    left_out: tuple[str, ...]


class Reported(Record):
    """One number or claim as a paper prints it, even if it is wrong.

    Its `note` names the erratum ("see erratum ..."), or gives the reason why no run of ours has a
    comparable number ("not comparable: ...").

    Attributes:
        severity: 1 to 5; for a setting that is printed several times, such as the epochs of
            learning rate drops, its position.
        metric: measure, a key of `row.METRICS` (or one with `_low` or `_high` for an end of its
            interval, or a key of `WORDS`); for a direction or range, the claim itself in the
            grammar of `robust_lib.results.claims`.
        value: the printed text; "+" for a claim.
        decimals: printed digits after the point; None for words and claims.
        locator: table, section or appendix in the paper.
        status: printed; derived (follows from what is printed); setting (a number that this
            project takes over from the paper, so that it agrees by construction); direction (a
            claim, judged on any data); range (a printed "about", "less than" or "usually" as a
            claim, judged as numbers are: on the paper's own data alone); construction (a claim that
            follows from how its numbers are defined, so that no run can refute it).
        sentence: the claim as a sentence for readers; empty for numbers.
    """

    item: str
    model: str | None
    corruption: str | None
    severity: int | None
    k: int | None
    dataset: str | None
    metric: str
    value: str
    unit: Unit
    decimals: int | None
    locator: str
    status: Literal["printed", "derived", "setting", "direction", "range", "construction"]
    sentence: str
    note: str

    @property
    def is_claim(self) -> bool:
        """Return whether the record is a claim about how numbers compare, not a number."""
        return self.status in CLAIMS

    @property
    def number(self) -> float | None:
        """Return the printed number, with percent and points as fractions; None for words."""
        return None if self._worded else parse_number(self.value)[0] * self._factor

    @property
    def percent(self) -> float:
        """Return the printed number in percent or points, exactly as printed.

        Raises:
            InputError: the paper prints words.
        """
        return round(100 * number(self), 4)

    @property
    def tolerance(self) -> float | None:
        """Return half a unit of the last printed digit, on the scale of `number`."""
        return None if self._worded else parse_number(self.value)[1] / 2 * self._factor

    @property
    def _worded(self) -> bool:
        return self.unit == "text" or self.is_claim

    @property
    def _factor(self) -> float:
        return 0.01 if self.unit in ("percent", "points") else 1.0


CLAIMS = frozenset({"direction", "range", "construction"})
"""The values of `status` that mark a claim."""

WORDS = frozenset({"schedule", "prediction", "ground_truth", "step_size", "software"})


def parse_number(text: str) -> tuple[float, float]:
    """Return a printed number and the size of one unit of its last digit.

    Raises:
        InputError: the text is not a number in any of the papers' notations.

    >>> parse_number("81,413"), parse_number("40k"), parse_number("76.7")
    ((81413.0, 1.0), (40000.0, 1000.0), (76.7, 0.1))
    """
    if power := _TEN_TO.fullmatch(text):
        return 10.0 ** int(power["power"]), 10.0 ** int(power["power"])
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise InputError(f"Expected a number in the papers' format, but got {text!r}.")
    digits = found["digits"].replace(",", "")
    last = 10.0 ** -len(digits.partition(".")[2])
    if found["power"]:  # one correctly rounded step, so that 1e-4 is 0.0001 exactly
        return float(f"{digits}e{found['power']}"), last * 10.0 ** int(found["power"])
    scale = _MANY.get(found["many"] or "", 1.0) / int(found["under"] or 1)
    return float(digits) * scale, last * scale


def number(row: Reported) -> float:
    """Return a printed number as a fraction.

    Raises:
        InputError: the paper prints words.
    """
    if row.number is None:
        raise InputError(f"Expected a number in {row.item}, but got {row.value!r}.")
    return row.number


def ledger() -> tuple[LedgerItem, ...]:
    """Return all items of the ledger, in the papers' order."""
    path = paths.manifests() / "ledger.yaml"
    return tuple(
        parse_record(raw, LedgerItem, path, position)
        for position, raw in enumerate(read_yaml(path))
    )


def item(name: str) -> LedgerItem:
    """Return the ledger item with an id such as "inc-tab1".

    Raises:
        InputError: no item has this id.
    """
    items = {entry.id: entry for entry in ledger()}
    if name not in items:
        near = difflib.get_close_matches(name, items) or list(items)[:3]
        raise InputError(
            f"Expected a ledger id (one of {len(items)}, such as {', '.join(near)}), "
            f"but got {name!r}. They are in data_manifests/ledger.yaml."
        )
    return items[name]


def reported(name: str) -> tuple[Reported, ...]:
    """Return the records of a paper ("inc") or of one of its items ("inc-tab1"), in printed order.

    Raises:
        InputError: an unknown paper or item.
        ManifestError: an invalid line, given with its file.
    """
    if name in paper_keys():
        return _read(paths.manifests() / "reported" / f"{name}.csv")
    paper = name.partition("-")[0]
    known = paper in paper_keys()
    found = tuple(row for row in reported(paper) if row.item == name) if known else ()
    if not found:
        item(name)  # an item may report nothing, but it must exist
    return found


def printed(name: str, **conditions: Any) -> tuple[Reported, ...]:
    """Return the numbers printed in a paper or item, from the rows with the given values.

    Args:
        name: paper or ledger item.
        conditions: as for `Results.select`; a list allows any of its values.

    >>> [row.percent for row in printed("inc-tab1", model="resnet50", metric="mce")]
    [76.7]
    """
    rows = matching(reported(name), Reported.model_fields, conditions)
    return tuple(row for row in rows if row.number is not None)


def reported_frame(name: str) -> pd.DataFrame:
    """Return the numbers of a paper or item as a data frame with a column `number` (fractions)."""
    rows = [row for row in reported(name) if not row.is_claim]
    columns = [*Reported.model_fields, "number"]
    return pd.DataFrame(
        [row.model_dump() | {"number": row.number} for row in rows], columns=columns
    )


def networks(name: str) -> Networks:
    """Return the networks of a list in reported/networks.yaml, or of a ledger item's printed rows.

    Raises:
        InputError: there is neither a list nor an item of this name.

    >>> networks("overlap").networks, len(networks("inc-tab1").networks)
    (('resnet18', 'densenet121'), 7)
    """
    path = paths.manifests() / "reported" / "networks.yaml"
    lists = read_yaml(path)
    if name in lists:
        return parse_record(lists[name], Networks, path)
    named = [row.model for row in reported(name) if row.model is not None]
    return Networks(networks=tuple(dict.fromkeys(named)), left_out=())


def datasets() -> Mapping[str, str]:
    """Return the description of each data set, by its name in the column `dataset`."""
    return dict(read_yaml(paths.manifests() / "reported" / "datasets.yaml"))


def data_title(name: str) -> str:
    """Return a data set's title: the papers' name, or the title in its manifest.

    >>> data_title("imagenet_a"), data_title("scenes_val_c"), data_title("my_set/car")
    ('ImageNet-A', 'Scenes of the miniature world, test split, corrupted', 'my_set, car')
    """
    whole, _, part = name.partition("/")
    base, known = whole.removesuffix("_c"), datasets()
    corrupted = base != whole and whole not in known and (base in known or is_dataset(base))
    named = base if corrupted else whole
    words = known.get(named) or (load_dataset(named).title if is_dataset(named) else named)
    return ", ".join(filter(None, (words, "corrupted" * corrupted, part)))


REFERENCES = (
    "alexnet_errors",
    "clean_reference",
    "resnet50_reference",
    "testbed_reference",
    "timm_reference",
    "timm_clean",
    "open_clip_clean",
    "robust_reference",
    "detector_reference",
)
"""Tables of results that others published for public weights."""


def reference(name: str, *, as_printed: bool = False) -> pd.DataFrame:
    """Return numbers that others published, with a column for their source.

    Args:
        name: one of `REFERENCES`; "alexnet_errors" has fractions, the others have percentages, and
            parameters as counts.
        as_printed: whether numbers remain strings, whose last digit shows the rounding.
    """
    path = paths.manifests() / "reported" / f"{name}.csv"
    if name not in REFERENCES:
        raise InputError(one_of("reference", name, REFERENCES))
    texts = dict.fromkeys(("value", "accuracy", "ce"), str) if as_printed else None
    return pd.read_csv(path, dtype=texts)


def alexnet_errors() -> dict[str, np.ndarray]:
    """Return AlexNet's error at each severity, the normaliser of the corruption error.

    Keys are the 19 corruptions, each with five fractions, and "clean" with one. [inc, App. C]

    >>> round(float(alexnet_errors()["fog"].mean()), 3)
    0.819
    """
    errors = reference("alexnet_errors")
    return {
        str(name): part.sort_values("severity")["error"].to_numpy(dtype=np.float64)
        for name, part in errors.groupby("corruption", sort=False)
    }


def _read(path: Path) -> tuple[Reported, ...]:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return _parsed(file.read())
    except FileNotFoundError:
        raise DataError(f"Expected a file at {path}, but there is none.") from None
    except ManifestError as error:
        raise ManifestError(f"{path}:{error}") from None


@lru_cache(maxsize=16)
def _parsed(text: str) -> tuple[Reported, ...]:
    """Return the rows of a file's text; cached, since a leaderboard reads every item of it."""
    table = csv.DictReader(io.StringIO(text, newline=""))
    if tuple(table.fieldnames or ()) != tuple(Reported.model_fields):
        raise ManifestError(
            f"1: expected the columns {', '.join(Reported.model_fields)}, but found "
            f"{', '.join(table.fieldnames or ())}."
        )
    return tuple(_record(raw, table.line_num) for raw in table)


def _record(raw: Mapping[str, str], line: int) -> Reported:
    filled = {name: text or None for name, text in raw.items()} | {
        name: raw[name] for name in ("sentence", "note")
    }
    try:
        row = Reported.model_validate(filled)
        if not row._worded:
            parse_number(row.value)
    except ValidationError as error:
        raise ManifestError(f"{line}: column {first_wrong(error)}.") from None
    except InputError as error:
        raise ManifestError(f"{line}: {error}.") from None
    return row
