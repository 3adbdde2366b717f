"""The basis of a chapter's verdicts, in a form that a program without numpy can read.

For each judged claim, the file contains the rows that are compared, in the claim's own order; the
rows of its premises; and, for a claim about many networks, the rows of each network. For each of
these rows, it has the draws, and the contribution of each image if the number is a mean over
images. A reader can thus judge every claim again; see `robust_book.verify`. Draws are stored in
single precision, ten times finer than a judgement requires.
"""

import base64
import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from robust_lib.results.estimate import SEEDS, Draws
from robust_lib.results.judgement import Judgement
from robust_lib.results.row import CONDITIONS, METRICS, REAL, Row
from robust_lib.results.verdicts import Verdict

Record = dict[str, Any]

EVIDENCE = "evidence.json.gz"
"""Ending of the name of a chapter's file."""


def packed(
    rows: Iterable[Row],
    verdicts: Mapping[str, Iterable[Verdict]],
    stored: Mapping[str, tuple[str, str]],
) -> bytes:
    """Return the content of a chapter's file: the basis of its verdicts, and the input files.

    Args:
        rows, verdicts: rows and verdicts, as for `grounds`.
        stored: file in the store -> its content (predictions, weights, images) and its SHA-256.
    """
    found = {**grounds(rows, verdicts), "stored": dict(stored)}
    return gzip.compress(json.dumps(found).encode(), mtime=0)


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file that a run has made, by name."""
    made = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in made}


def grounds(rows: Iterable[Row], verdicts: Mapping[str, Iterable[Verdict]]) -> Record:
    """Return the claims of a chapter's items with the basis of their verdicts, as data for JSON.

    Args:
        rows: saved rows, to which the claims refer by position.
        verdicts: ledger id -> the verdicts on the item.
    """
    places = {row.key: place for place, row in enumerate(rows)}
    used: dict[tuple[object, ...], Row] = {}
    claims = [
        {
            "item": item,
            "claim": one.metric,
            "dataset": one.dataset,  # the same claim may be made about two sets of images
            "status": one.status,
            **_judged(one.judgement, used),
        }
        for item, many in verdicts.items()
        for one in many
        if one.judgement is not None
    ]
    names = {key: str(number) for number, key in enumerate(used)}
    return {
        "claims": [_named(claim, names) for claim in claims],
        "rows": {names[key]: _row(row, places.get(key)) for key, row in used.items()},
    }


def _judged(found: Judgement, used: dict[tuple[object, ...], Row]) -> Record:
    """Return the parts of a judgement, its rows as their conditions; `used` gets the rows."""
    used.update({row.key: row for side in found.sides for _, row in side.rows})
    if found.models:
        return {"models": {name: _judged(one, used) for name, one in found.models.items()}}
    record: Record = {
        "sides": [
            [[sign, row.key] for sign, row in side.rows] if side.rows else side.value
            for side in found.sides
        ]
    }
    if found.premises:
        record["premises"] = [_judged(one, used) for one in found.premises]
    return record


def _named(part: Any, names: Mapping[tuple[object, ...], str]) -> Any:
    """Return a record with the conditions of each row replaced by its name."""
    if isinstance(part, dict):
        return {key: _named(value, names) for key, value in part.items()}
    if isinstance(part, list):
        return [_named(value, names) for value in part]
    return names[part] if isinstance(part, tuple) else part


def _row(row: Row, place: int | None) -> Record:
    """Return a row's draws, and its position among the saved rows, or the row if it has none."""
    record: Record = {"kind": METRICS[row.metric]}
    if place is None:
        columns = (*CONDITIONS, *REAL, "n")
        record["row"] = {name: getattr(row, name) for name in columns}
    else:
        record["place"] = place
    return record if row.draws is None else record | {"draws": _draws(row.draws)}


def _draws(draws: Draws) -> Record:
    values = np.asarray(draws.values())
    record: Record = {"of": draws.of, "values": _encoded(values, exact=draws.of == SEEDS)}
    if draws.by_image is not None:
        record["images"] = _encoded(np.asarray(draws.by_image()), exact=True)
    if draws.pictures is not None:
        record["pictures"] = {"values": _encoded(np.asarray(draws.pictures.values()))}
    return record


def _encoded(values: np.ndarray, *, exact: bool = False) -> Record:
    """Return numbers as base64: bits where all are 0 or 1, else floats, little-endian."""
    if bool(np.isin(values, (0, 1)).all()):
        kind, content = "bits", np.packbits(values.astype(np.uint8)).tobytes()
    else:
        kind = "f8" if exact else "f4"
        content = values.astype(f"<{kind}").tobytes()
    return {"kind": kind, "number": len(values), "base64": base64.b64encode(content).decode()}
