"""Tables of runs that few readers repeat, written with their provenance to be committed."""

import json
from collections.abc import Collection
from pathlib import Path

import yaml

from robust_book import chapters
from robust_book.chapters.view import Committed
from robust_lib import atomic, paths
from robust_lib.config.manifests import load_model, model_names
from robust_lib.errors import DataError, InputError, one_of
from robust_lib.results.table import Results
from robust_lib.run.network import Network
from robust_lib.run.trained_as import trained_as

FACTS = ("commit", "dirty", "profile", "seeds", "device", "seconds", "date", "command")


def write(name: str, profile: str, notebook: str, *, title: str, kind: str = "networks") -> Path:
    """Write a table of a run's results to be committed, and return the file.

    Args:
        name: stem of data_manifests/measured/<name>.csv and <name>.yaml.
        kind: a key of `COMMITTED` in the notebook's module.

    Raises:
        InputError: no such notebook, or it has no such table.
        DataError: there is no such run.
    """
    tables: Committed = getattr(chapters.module(notebook), "COMMITTED", {})
    if kind not in tables:
        raise InputError(one_of(f"a committed table of {notebook}", kind, tables or ["none"]))
    folder = paths.profile(profile) / "results"
    record = folder / f"{notebook}.json"
    if not record.exists():
        raise DataError(
            f"Expected the results of {notebook} in {folder}, but there are none. Run "
            f"`robust run {notebook} --profile {profile}` first."
        )
    saved = json.loads(record.read_text("utf-8"))
    target = paths.manifests() / "measured" / f"{name}.csv"
    results = Results.load(folder / f"{notebook}.parquet")
    frame = tables[kind](results)
    with atomic.file(target) as made:
        frame.to_csv(made, index=False, float_format="%.1f")
    about = {
        "title": title,
        "convention": f"percent; {saved['words']}; low and high: range over seeds, or 95 % "
        "intervals over images if there is one seed",
        "provenance": {fact: _plain(saved["provenance"][fact]) for fact in FACTS},
        "recipes": recipes({str(row.model) for row in results.rows}),
    }
    text = yaml.safe_dump(about, sort_keys=False, allow_unicode=True)
    atomic.write_bytes(target.with_suffix(".yaml"), text.encode())
    return target


def recipes(networks: Collection[str]) -> dict[str, str]:
    """Return the digests of the trainings of those networks that are trained here."""
    read = {name: Network.read(name).model for name in sorted(networks)}
    known = set(model_names())
    return {
        name: trained_as(name)
        for name, model in read.items()
        if model in known and load_model(model).recipe is not None
    }


def _plain(value: object) -> object:
    return value if isinstance(value, str | int | float | bool) else json.dumps(value)
