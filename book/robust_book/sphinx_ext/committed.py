"""Results of runs that not every reader can repeat, committed as such a run leaves them."""

import json
from collections.abc import Mapping
from typing import Any

from robust_lib import paths

Items = Mapping[str, Mapping[str, Any]]


def committed() -> dict[str, Items]:
    """Return a column a run: its words -> ledger id -> what the run saved.

    The files are `data_manifests/measured/<profile>/<notebook>.json`.
    """
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for file in sorted((paths.manifests() / "measured").glob("*/*.json")):
        saved = json.loads(file.read_text("utf-8"))
        found.setdefault(saved["words"], {}).update({i["item"]: i for i in saved["items"]})
    return dict(found)
