"""Every data set that a chapter can use: where it comes from and what may be done with it."""

import pandas as pd

from bookext.page import Page
from robust_lib.config.manifests import DatasetManifest, dataset_names, load_dataset
from robust_lib.html.markup import Html, text
from robust_lib.html.table import table

ACCESS = {"open": "fetched", "terms": "instructions", "generated": "drawn here"}


def draw(page: Page) -> Html:
    """Return a row a data set, from the manifests."""
    rows = [_row(load_dataset(name)) for name in dataset_names()]
    frame = pd.DataFrame(rows).astype({"Pictures": "Int64"})
    return table(frame, caption="Data sets, as the manifests describe them")


def _row(manifest: DatasetManifest) -> dict[str, object]:
    return {
        "Name": Html(f"<code>{text(manifest.name)}</code>"),
        "What it is": manifest.title,
        "Pictures": manifest.images,
        "Download": _size([file.bytes for file in manifest.files]),
        "How": ACCESS[manifest.access],
        "Licence": manifest.licence,
    }


def _size(sizes: list[int | None]) -> str:
    """Return the sum of the files' sizes in words; a size that nobody states makes it unknown."""
    if not sizes:
        return "none"
    if None in sizes:
        return "not stated"
    total = sum(size for size in sizes if size is not None)
    return f"{total / 1e9:.1f} GB" if total >= 1e8 else f"{total / 1e6:.0f} MB"
