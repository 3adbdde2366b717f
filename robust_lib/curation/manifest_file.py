"""The file of a filtration: a table of candidates below one line with its settings.

The first line is a comment, `# ` and JSON; `pandas.read_csv(path, skiprows=1)` reads the rest.
"""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np

from robust_lib import atomic
from robust_lib.curation.decisions import SHORTLISTED, STEPS, Filtration, Rule
from robust_lib.errors import DataError

FORMAT = 1
"""Raise it when the columns change; files of another format are refused."""

HEAD = ("id", "true_class", "step")
SAID = ("predicted", "confidence", "confidence_in_truth")
ABOUT = ("format", "rule", "filters", "class_names", "is_reviewed", "settings")


def save(filtration: Filtration, path: Path) -> None:
    """Write a filtration as CSV; the file is replaced only when the new one is whole.

    Columns: id, true_class, step, and for each filter predicted_<name>, confidence_<name> and
    confidence_in_truth_<name>, fractions, empty where some crop was right.
    """
    about: dict[str, Any] = {
        "format": FORMAT,
        "rule": filtration.rule,
        "filters": list(filtration.filters),
        "class_names": list(filtration.class_names),
        "is_reviewed": filtration.is_reviewed,
        "settings": dict(filtration.settings),
    }
    with atomic.file(path) as made, made.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# {json.dumps(about, ensure_ascii=False, allow_nan=False)}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_columns(filtration.filters))
        for one in filtration:
            cells = [one.id, one.truth or "", one.step]
            for answer in one.answers:
                cells += [answer.predicted or "", _cell(answer.confidence), _cell(answer.in_truth)]
            writer.writerow(cells)


def load(path: Path) -> Filtration:
    """Return the filtration that `save` wrote.

    Raises:
        DataError: no such file, or not one that `save` wrote; the message names the line.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            about = _about(file.readline(), path)
            rows = list(_rows(file, about, path))
    except FileNotFoundError:
        raise DataError(
            f"Expected a manifest of a filtration at {path}, but there is no such file. "
            "`robust filter` writes one."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(_no_manifest(path, 1, str(error))) from None
    shape = (len(rows), len(about["filters"]))
    return Filtration(
        rule=about["rule"],
        filters=tuple(about["filters"]),
        class_names=tuple(about["class_names"]),
        ids=tuple(row[0] for row in rows),
        labels=np.array([row[1] for row in rows], np.int64),
        steps=tuple(row[2] for row in rows),
        predicted=np.array([row[3] for row in rows], np.int64).reshape(shape),
        confidence=np.array([row[4] for row in rows], np.float64).reshape(shape),
        in_truth=np.array([row[5] for row in rows], np.float64).reshape(shape),
        settings=about["settings"],
        is_reviewed=about["is_reviewed"],
    )


def _about(line: str, path: Path) -> dict[str, Any]:
    try:
        about = json.loads(line.removeprefix("# ")) if line.startswith("# ") else None
    except ValueError:
        about = None
    if not isinstance(about, dict) or set(about) != set(ABOUT):
        raise DataError(_no_manifest(path, 1, "its first line does not say how it was made"))
    if about["format"] != FORMAT or about["rule"] not in get_args(Rule):
        what = f"it is of format {about['format']} and rule {about['rule']}"
        raise DataError(_no_manifest(path, 1, what))
    return about


def _rows(file: Any, about: dict[str, Any], path: Path) -> Iterator[tuple[Any, ...]]:
    """Yield id, label, step, and each filter's class, confidence and confidence in the truth."""
    classes = {"": -1} | {name: at for at, name in enumerate(about["class_names"])}
    steps = {*STEPS[about["rule"]], SHORTLISTED}
    expected, seen = _columns(about["filters"]), set()
    reader = csv.reader(file)
    if next(reader, []) != expected:
        raise DataError(_no_manifest(path, 2, f"its columns are not {', '.join(expected)}"))
    for cells in reader:
        try:
            name, truth, step, *said = cells
            if len(cells) != len(expected) or step not in steps or name in seen:
                raise ValueError("a cell too many or too few, an unknown step, or an id twice")
            seen.add(name)
            numbers = [[float(cell or "nan") for cell in said[at::3]] for at in (1, 2)]
            yield name, classes[truth], step, [classes[cell] for cell in said[::3]], *numbers
        except (ValueError, KeyError) as error:
            raise DataError(_no_manifest(path, reader.line_num + 1, str(error))) from None


def _columns(filters: tuple[str, ...] | list[str]) -> list[str]:
    return [*HEAD, *(f"{what}_{name}" for name in filters for what in SAID)]


def _cell(number: float) -> str:
    return "" if np.isnan(number) else repr(number)  # the shortest text that reads back the same


def _no_manifest(path: Path, line: int, what: str) -> str:
    return (
        f"Expected a manifest of a filtration in {path}, but it is none: line {line}, {what}. "
        "Write it anew with `robust filter`."
    )
