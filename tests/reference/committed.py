"""Measured tables as the book shows them: a csv of texts as shown, and a yaml of what they are."""

import csv
import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path

import yaml

from robust_book.commands.commit_table import FACTS
from robust_lib import atomic, paths
from robust_lib.run.provenance import commit_of, provenance


def write(name, rows, *, title, convention, seconds, command, profile="none", device="cpu"):
    """Write data_manifests/measured/<name>.csv and .yaml and return the csv.

    Args:
        rows: dicts of texts, the same keys in each; the number of digits is what is shown.
        title, convention: texts that stand above and below the table.
        seconds: what measuring took.
        command: what makes it again.
        profile: whose pictures and networks were used, if any.
        device: what computed.
    """
    facts = provenance(
        profile=profile,
        parameters={},
        seeds=(0,),
        datasets={},
        weights={},
        device=device,
        seconds=seconds,
        command=command,
    )
    kept = {fact: facts[fact] for fact in FACTS}
    kept["commit"], kept["dirty"] = commit()
    kept["seeds"] = str(facts["seeds"])
    if device == "cpu":
        kept["device"] = f"cpu ({processor()}, one thread a process)"
    about = {"title": title, "convention": convention, "provenance": kept}
    target = paths.manifests() / "measured" / f"{name}.csv"
    with (
        atomic.file(target) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    with atomic.file(target.with_suffix(".yaml")) as temporary:
        temporary.write_text(yaml.safe_dump(about, sort_keys=False, allow_unicode=True), "utf-8")
    return target


@cache
def commit():
    """Return the commit and whether files differed from it before the first table was written."""
    return commit_of()


def markdown(rows):
    """Return the same rows as a Markdown table."""
    lines = [list(rows[0]), ["---"] * len(rows[0]), *(row.values() for row in rows)]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def processor():
    """Return the processor's name, where the system tells it."""
    file = Path("/proc/cpuinfo")
    for line in file.read_text("utf-8").splitlines() if file.exists() else ():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def versions(*packages):
    """Return names and versions in words."""
    return ", ".join(f"{package} {version(package)}" for package in packages)
