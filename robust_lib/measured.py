"""Tables of runs that not every reader repeats, written for committing with their provenance."""

import json
from pathlib import Path

import pandas as pd
import yaml

from robust_lib import paths
from robust_lib.errors import DataError
from robust_lib.figures.style import label
from robust_lib.results import Results
from robust_lib.whole import aside

FACTS = ("commit", "dirty", "profile", "seeds", "device", "seconds", "date", "command")


def write(name: str, profile: str, notebook: str, *, title: str) -> Path:
    """Write the networks' clean error, mCE and relative mCE of a run, and return the file.

    Args:
        name: of the table, data_manifests/measured/<name>.csv with <name>.yaml beside it.
        profile: whose run.
        notebook: which run.
        title: what the table shows.

    Raises:
        DataError: there is no such run.
    """
    folder = paths.profile(profile) / "results"
    record = folder / f"{notebook}.json"
    if not record.exists():
        raise DataError(
            f"Expected the results of {notebook} in {folder}, but there are none. Run "
            f"`robust run {notebook} --profile {profile}` first."
        )
    saved = json.loads(record.read_text("utf-8"))
    target = paths.manifests() / "measured" / f"{name}.csv"
    frame = table(Results.load(folder / f"{notebook}.parquet"))
    with aside(target) as temporary:
        frame.to_csv(temporary, index=False, float_format="%.1f")
    about = {
        "title": title,
        "convention": f"percent; {saved['words']}; low and high: range over seeds, or 95 % "
        "intervals over images where there is one seed",
        "provenance": {fact: _plain(saved["provenance"][fact]) for fact in FACTS},
    }
    with aside(target.with_suffix(".yaml")) as temporary:
        temporary.write_text(yaml.safe_dump(about, sort_keys=False, allow_unicode=True), "utf-8")
    return target


def table(results: Results) -> pd.DataFrame:
    """Return a row a network: error, mCE and relative mCE with their ends, in percent."""
    rows: dict[str, dict[str, float | str]] = {}
    for metric in ("error", "mce", "relative_mce"):
        for row in results.select(metric=metric, corruption=None).rows:
            shown = rows.setdefault(str(row.model), {"Network": label(str(row.model))})
            head = {"error": "clean error", "mce": "mCE", "relative_mce": "relative mCE"}[metric]
            shown[head] = 100 * row.value
            for end in ("low", "high"):
                value = getattr(row, end)
                if value is not None:
                    shown[f"{head} {end}"] = 100 * value
    return pd.DataFrame(list(rows.values()))


def _plain(value: object) -> object:
    return value if isinstance(value, str | int | float | bool) else json.dumps(value)
