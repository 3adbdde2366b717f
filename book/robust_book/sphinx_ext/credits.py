"""Whose drawings the miniature world is made of: each icon set's version, authors, licence."""

import pandas as pd

from robust_book.html.markup import Html, text
from robust_book.html.table import table
from robust_book.sphinx_ext.page import Page
from robust_lib.config.manifests import load_dataset


def draw(page: Page) -> Html:
    """Return a row an icon set, with links to its authors and its licence."""
    return table(rows(), caption="The nine icon sets, as fetched", decimals=0, filterable=False)


def rows() -> pd.DataFrame:
    """Return what the manifest says of each set; the version is that of the fetched package."""
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
