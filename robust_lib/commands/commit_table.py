"""Tables of runs that not every reader repeats, written for committing with their provenance."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import pandas as pd
import yaml

from robust_lib import atomic, paths
from robust_lib.errors import DataError, InputError, one_of
from robust_lib.figures.style import corruption_label, label
from robust_lib.results.row import Row
from robust_lib.results.table import Results

FACTS = ("commit", "dirty", "profile", "seeds", "device", "seconds", "date", "command")


def write(name: str, profile: str, notebook: str, *, title: str, kind: str = "networks") -> Path:
    """Write a table of a run's results for committing, and return the file.

    Args:
        name: of the table, data_manifests/measured/<name>.csv with <name>.yaml beside it.
        profile: whose run.
        notebook: which run.
        title: what the table shows.
        kind: a key of `TABLES`.

    Raises:
        InputError: an unknown kind of table.
        DataError: there is no such run.
    """
    if kind not in TABLES:
        raise InputError(one_of("kind", kind, TABLES))
    folder = paths.profile(profile) / "results"
    record = folder / f"{notebook}.json"
    if not record.exists():
        raise DataError(
            f"Expected the results of {notebook} in {folder}, but there are none. Run "
            f"`robust run {notebook} --profile {profile}` first."
        )
    saved = json.loads(record.read_text("utf-8"))
    target = paths.manifests() / "measured" / f"{name}.csv"
    frame = TABLES[kind](Results.load(folder / f"{notebook}.parquet"))
    with atomic.file(target) as made:
        frame.to_csv(made, index=False, float_format="%.1f")
    about = {
        "title": title,
        "convention": f"percent; {saved['words']}; low and high: range over seeds, or 95 % "
        "intervals over images where there is one seed",
        "provenance": {fact: _plain(saved["provenance"][fact]) for fact in FACTS},
    }
    text = yaml.safe_dump(about, sort_keys=False, allow_unicode=True)
    atomic.write_bytes(target.with_suffix(".yaml"), text.encode())
    return target


def networks(results: Results) -> pd.DataFrame:
    """Return a row a network: error, mCE and relative mCE with their ends, in percent."""
    rows: dict[str, dict[str, float | str]] = {}
    for metric in ("error", "mce", "relative_mce"):
        for row in results.select(metric=metric, corruption=None).rows:
            shown = rows.setdefault(str(row.model), {"Network": label(str(row.model))})
            head = {"error": "clean error", "mce": "mCE", "relative_mce": "relative mCE"}[metric]
            shown[head] = 100 * row.value
            shown |= {f"{head} {end}": value for end, value in _ends(row).items()}
    return pd.DataFrame(list(rows.values()))


def severities(results: Results) -> pd.DataFrame:
    """Return the baseline's error in percent: a row a corruption, clean and by severity.

    The baseline is the first network of the table.
    """
    clean = results.select(metric="error", corruption=None).rows[0]
    rows: dict[str, dict[str, float | str]] = {}
    for row in results.select(metric="error", model=clean.model).rows:
        if row.corruption is not None:
            shown = rows.setdefault(
                row.corruption,
                {"Corruption": corruption_label(row.corruption), "clean": 100 * clean.value},
            )
            shown[f"severity {row.severity}"] = 100 * row.value
    return pd.DataFrame(list(rows.values()))


def surface(results: Results) -> pd.DataFrame:
    """Return a row a network and protocol of ICONS-50: accuracy with its ends, in percent."""
    return pd.DataFrame(
        [
            {
                "Network": label(str(row.model)),
                "Held out": row.dataset.rpartition("_")[2],
                "accuracy": 100 * row.value,
                **{f"accuracy {end}": value for end, value in _ends(row).items()},
                "icons": row.n,
            }
            for row in results.select(metric="accuracy").rows
        ]
    )


def overlaps(results: Results) -> pd.DataFrame:
    """Return a row an architecture and group of corruptions: their overlap, times 100."""
    metrics = ("group_overlap", "mean_overlap", "largest_overlap", "rank_correlation")
    return pd.DataFrame(
        [
            {
                "Network": "all" if row.model is None else label(row.model),
                "What": metric.replace("_", " "),
                "Corruptions": "all"
                if row.corruption is None
                else corruption_label(row.corruption),
                **_score(row),
            }
            for metric in metrics
            for row in results.select(metric=metric).rows
        ]
    )


def pairs(results: Results) -> pd.DataFrame:
    """Return a row an architecture and pair of corruptions: their overlap, times 100."""
    rows = []
    for row in results.select(metric="overlap").rows:
        one, _, other = str(row.corruption).partition("+")
        names = {"One": corruption_label(one), "Other": corruption_label(other)}
        rows.append({"Network": label(str(row.model)), **names, **_score(row)})
    return pd.DataFrame(rows)


def _score(row: Row) -> dict[str, float]:
    return {"score": 100 * row.value, **_ends(row)}


def _ends(row: Row) -> dict[str, float]:
    ends = {"low": row.low, "high": row.high}
    return {end: 100 * value for end, value in ends.items() if value is not None}


TABLES: Mapping[str, Callable[[Results], pd.DataFrame]] = MappingProxyType(
    {
        "networks": networks,
        "severities": severities,
        "surface": surface,
        "overlaps": overlaps,
        "pairs": pairs,
    }
)


def _plain(value: object) -> object:
    return value if isinstance(value, str | int | float | bool) else json.dumps(value)
