"""The packs of a release: its trained networks, without and with their predictions."""

import datetime
import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from robust_book.commands.release import packages
from robust_book.engine import pace, pack
from robust_lib import atomic, paths
from robust_lib.cache import TAKEN
from robust_lib.config.profiles import load_profile
from robust_lib.fetch import sums

ALONE, WITH_PREDICTIONS = "networks.zip", "networks-and-predictions.zip"
README = """\
# Trained networks of {version}, profile {profile}

In a checkout of the same version, these networks replace training:

    make book NETWORKS={name}

A network is trained nevertheless if its recipe, training images or code differ in the checkout.
The pack saves time and changes no result: it contains arrays of numbers and no code, and with
`--retrain 5` five of its networks are trained again and compared with the pack.
"""

Runs = Mapping[str, Mapping[str, Any]]


def trained(profile: str, runs: Runs) -> list[str]:
    """Return the keys of all networks of a released book that were trained for it.

    Raises:
        RunError: one of them is not stored.
    """
    # Which all import torch.
    from robust_book.chapters import chapter
    from robust_book.commands.taken import stored
    from robust_book.engine.plan import plan

    seeds = max(len(run["provenance"]["seeds"]) for run in runs.values())
    return stored(plan(load_profile(profile), [chapter(name) for name in runs], seeds), profile)


def write(
    folder: Path, networks: Iterable[str], runs: Runs, about: Mapping[str, str],
    when: datetime.datetime,
) -> dict[str, str]:  # fmt: skip
    """Write both packs into a folder; return name -> description.

    Args:
        networks: keys of the networks in the store.
        about: version, commit and profile.
        when: date of the files.
    """
    store = paths.cache() / pack.STORE
    alone = sorted(f"{key[:2]}/{key}.json" for key in networks)
    if not alone:
        return {}
    shown = {mark for run in runs.values() for mark in run["provenance"]["weights"].values()}
    models = {_entry(store / name)["description"]["model"] for name in alone}
    public = _on_photographs(about["profile"])

    def is_part(one: Mapping[str, Any]) -> bool:
        if one.get("what") not in pack.PREDICTIONS:
            return False
        if "filters" in one:  # two networks, which the provenance of a page does not name
            return all(model in models for model, _ in one["filters"])
        return one["fingerprint"] in shown or one.get("model") in public

    also = sorted(
        path.relative_to(store).as_posix()
        for path in store.glob("*/*.json")
        if is_part(_entry(path)["description"])
    )
    _write(folder / ALONE, store, alone, (), about, when)
    _write(folder / WITH_PREDICTIONS, store, [*alone, *also], tuple(runs), about, when)
    return {
        ALONE: f"The {len(alone)} trained networks: make book NETWORKS={ALONE}",
        WITH_PREDICTIONS: f"The same with {len(also):,} sets of their predictions",
    }


def _on_photographs(profile: str) -> set[str]:
    """Return the public networks whose results on photographs pages show beside a profile's."""
    beside = load_profile(profile).beside
    return set(load_profile(beside).networks["imagenet_c"].values()) if beside else set()


def _write(
    target: Path,
    store: Path,
    names: Sequence[str],
    chapters: Sequence[str],
    about: Mapping[str, str],
    when: datetime.datetime,
) -> None:
    aside = target.with_name(f".{target.stem}")
    try:
        made_here = True
        for name in names:
            entry = _entry(store / name)
            made_here &= TAKEN not in entry
            place = (aside / pack.STORE / name).parent
            place.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(store / name, place / f"{entry['key']}.json")
            shutil.copyfile((store / name).with_name(entry["file"]), place / entry["file"])
        machine = pace.name(1) if made_here else ""
        code = pack.code(about["profile"])
        made = {"format": 1, **about, "chapters": chapters, "code": code, "machine": machine}
        record = pack.About.model_validate(made)
        atomic.write_json(aside / pack.RECORD, record.model_dump(mode="json"))
        atomic.write_bytes(aside / "README.md", README.format(name=target.name, **about).encode())
        sums.write(aside)
        packages.archive(aside, target, when)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _entry(path: Path) -> dict[str, Any]:
    entry: dict[str, Any] = json.loads(path.read_bytes())
    return entry
