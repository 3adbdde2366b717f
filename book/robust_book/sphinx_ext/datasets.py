"""Every data set that a chapter can use, and the icon sets of the miniature: origin and licence."""

import pandas as pd

from robust_book.html.markup import Html, text
from robust_book.html.table import table
from robust_book.sphinx_ext.page import Page
from robust_lib.config.manifests import DatasetManifest, dataset_names, load_dataset

ACCESS = {"open": "fetched", "terms": "instructions", "generated": "drawn here"}


def draw(page: Page, whose: str = "papers") -> Html:
    """Return one row per data set of the manifests: the papers', or the miniature's."""
    known = map(load_dataset, dataset_names())
    wanted = [one for one in known if (one.access == "generated") == (whose == "miniature")]
    words = "The miniature's data sets" if whose == "miniature" else "The papers' data sets"
    frame = pd.DataFrame(map(_row, wanted)).astype({"Images": "Int64"})
    return table(frame, caption=f"{words}, as the manifests describe them")


def _row(manifest: DatasetManifest) -> dict[str, object]:
    code = f'<br><code class="rb-small">{text(manifest.name)}</code>'
    return {
        "Data set": Html(f"{text(manifest.title)}{code}"),
        "Images": manifest.images,
        "Download": f"{_size([file.bytes for file in manifest.files])}, {ACCESS[manifest.access]}",
        "Licence": manifest.licence.replace("`", ""),
    }


def _size(sizes: list[int | None]) -> str:
    """Return the total size of the files as text; unknown if the size of one is unknown."""
    if not sizes:
        return "none"
    if None in sizes:
        return "not stated"
    total = sum(size for size in sizes if size is not None)
    return f"{total / 1e9:.1f} GB" if total >= 1e8 else f"{total / 1e6:.0f} MB"


def icon_sets(page: Page) -> Html:
    """Return one row per icon set, with links to its authors and its licence."""
    return table(
        _icon_sets(), caption="The nine icon sets, as fetched", decimals=0, filterable=False
    )


def _icon_sets() -> pd.DataFrame:
    """Return the manifest's entry for each set; the version is that of the fetched package."""
    manifest = load_dataset("icons")
    versions = dict((file.npm or "@").rsplit("@", 1) for file in manifest.files)
    return pd.DataFrame(
        [
            {
                "Set": entry["title"],
                "Version": versions[f"@iconify-json/{entry['prefix']}"],
                "Icons": entry["icons"],
                "Authors": _link(entry["author"], entry["author_url"]),
                "Licence": _link(entry["licence"], entry["licence_url"]),
            }
            for entry in manifest.options["sets"]
        ]
    )


def _link(words: str, address: str) -> Html:
    return Html(f'<a href="{text(address)}">{text(words)}</a>')
