"""A miniature of the miniature: four icon sets of a few shapes, a project around them, no network.

The sets have the traps of the real ones: one drops the hyphens, two share one hand, one icon is
hidden, one is a mirrored alias, and one is missing somewhere.
"""

import base64
import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

SHAPES = {
    "ball": '<circle cx="8" cy="8" r="6" fill="{}"/>',
    "square-box": '<path d="M2 2h12v12H2z" fill="{}"/>',
    "red-heart": '<path d="M8 14L2 6l3-4 3 3 3-3 3 4z" fill="{}"/>',
    "blue-heart": '<path d="M8 15L1 6l4-4 3 2 3-2 4 4z" fill="{}"/>',
    "flag": '<path d="M3 1h1v14H3zM4 2h9v6H4z" fill="{}"/>',
    "dot": '<circle cx="8" cy="8" r="3" fill="{}"/>',
    "triangle": '<path d="M8 2l6 11H2z" fill="{}"/>',
    "plus": '<path d="M6 2h4v4h4v4h-4v4H6v-4H2V6h4z" fill="{}"/>',
    "bar": '<path d="M2 6h12v4H2z" fill="{}"/>',
    "ring": '<circle cx="8" cy="8" r="5" fill="none" stroke-width="2" stroke="{}"/>',
}
SETS = {"plain": "#c33", "nohyphens": "#3a3", "fluent-emoji": "#36c", "fluent-emoji-flat": "#69f"}

WORLD = {
    "name": "toys",
    "title": "Shapes",
    "source": "drawn for tests",
    "inside": {
        "ball": ["ball"],
        "box": ["square-box"],
        "heart": ["red-heart", "blue-heart"],
        "flag": ["flag"],
    },
    "outside": {"dot": ["dot"], "ring": ["ring"]},
    "clutter": {"triangle": ["triangle"], "plus": ["plus"]},
    "subsets": {"a": ["ball", "heart"], "o": ["box", "heart", "flag"]},
    "wide": {"vid": {"angular": ["box", "flag"], "round": ["ball"]}},
}
RECIPES = {
    "quick": {"epochs": 1, "batch": 8, "rate": 0.01, "padding": 2},
    "augmented": {"epochs": 1, "batch": 8, "rate": 0.01, "augmentation": "pose_and_colour"},
}


def icon_set(prefix: str, colour: str) -> dict[str, Any]:
    """Return what the icons.json of a set holds."""
    bodies = {name: body.format(colour) for name, body in SHAPES.items()}
    if prefix == "nohyphens":
        bodies = {name.replace("-", ""): body for name, body in bodies.items()}
    icons: dict[str, Any] = {name: {"body": body} for name, body in bodies.items()}
    content: dict[str, Any] = {"prefix": prefix, "icons": icons, "width": 16, "height": 16}
    if prefix == "plain":
        icons["dot"]["hidden"] = True
        icons["galf"] = icons.pop("flag")  # `flag` is its mirror image
        content["aliases"] = {"flag": {"parent": "galf", "hFlip": True}}
    return content


def pack(archive: Path, content: object, member: str = "package/icons.json") -> Path:
    """Write an npm archive that holds one file, the same bytes each time."""
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    info = tarfile.TarInfo(member)
    info.size = len(data)
    with tarfile.open(archive, "w:gz") as members:
        members.addfile(info, io.BytesIO(data))
    return archive


def packages(folder: Path) -> tuple[Path, ...]:
    """Write the four icon packages and return where they lie."""
    folder.mkdir(parents=True, exist_ok=True)
    return tuple(
        pack(folder / f"{prefix}-1.0.0.tgz", icon_set(prefix, colour))
        for prefix, colour in SETS.items()
    )


def project(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a whole project of the shapes, whose icon packages are fetched already."""
    manifests = folder / "data_manifests"
    archives = packages(folder / "data" / "icons")
    _write(manifests / "worlds" / "toys.yaml", WORLD)
    _write(manifests / "recipes.yaml", RECIPES)
    _write(manifests / "classes" / "lists.yaml", {})
    _write(
        manifests / "datasets" / "icons.yaml",
        {
            "name": "icons",
            "title": "Shapes",
            "kind": "icons",
            "layout": "archives",
            "licence": "none",
            "access": "open",
            "files": [
                {
                    "name": archive.name,
                    "npm": f"{archive.name.removesuffix('-1.0.0.tgz')}@1.0.0",
                    "bytes": archive.stat().st_size,
                    "sha512": integrity(archive),
                }
                for archive in archives
            ],
        },
    )
    row = {
        "title": "A small network",
        "builder": "mini",
        "arguments": {"family": "alexnet", "width": 2},
        "classes": "toys",
        "preprocessing": {"resize": None, "crop": None},
        "mean": [0.5, 0.5, 0.5],
        "std": [0.25, 0.25, 0.25],
    }
    _write(
        manifests / "models" / "toys.yaml",
        {
            "small": row | {"recipe": "quick"},
            "augmented": row | {"recipe": "augmented"},
            "given": row,
        },
    )
    monkeypatch.setenv("ROBUST_ROOT", str(folder))
    monkeypatch.setenv("ROBUST_DATA", str(folder / "data"))
    monkeypatch.setenv("ROBUST_BUILD", str(folder / "build"))
    return folder


def integrity(archive: Path) -> str:
    """Return npm's integrity text of a file."""
    digest = hashlib.sha512(archive.read_bytes()).digest()
    return f"sha512-{base64.b64encode(digest).decode()}"


def _write(path: Path, content: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(dict(content), sort_keys=False))
