"""Training density and the map in numbers, as the chapter's table and its prose show them."""

import pandas as pd

from robust_book.chapters.nao_3_blind_spots.maps import KEPT, Maps, kept_frame
from robust_book.chapters.view import cell
from robust_lib.protocols.blind_spots.results import ITEM
from robust_lib.protocols.blind_spots.spots import BlindSpots
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, percent
from robust_lib.results.notation import Cell
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title


def density_frame(results: Results) -> pd.DataFrame:
    """Return training density, and the share in blind spots, at adversarial pictures and at all.

    >>> from robust_lib.protocols.blind_spots.results import results
    >>> density_frame(results(toys.blind_spots(), 1))["Pictures"].tolist()
    ['chosen', 'pool']
    """
    rows = results.select(item=ITEM, metric="training_density").rows
    return pd.DataFrame(
        {
            "Pictures": row.dataset,
            "Training density": Cell(row.value, row.low, row.high),
            "In blind spots": cell(
                results.select(item=ITEM, metric="share", dataset=row.dataset).rows[0]
            ),
        }
        for row in rows
    )


def key_numbers(results: Results, found: BlindSpots, made: Maps) -> dict[str, KeyNumber]:
    """Return the numbers that the prose names.

    >>> from robust_lib.protocols.blind_spots.results import results
    >>> found = toys.blind_spots()
    >>> numbers = key_numbers(results(found, 1), found, toys.maps())
    >>> numbers["spots"].text, numbers["chosen_inside"].text, numbers["pool_inside"].text
    ('1', '75.0 %', '28.6 %')
    """
    chosen, pool = (one.dataset for one in (found.space.adversarial, found.space.pool))
    kept = kept_frame(found, made)

    def density(dataset: str) -> KeyNumber:
        row = results.row(item=ITEM, metric="training_density", dataset=dataset)
        return NOT_MEASURED if row is None else _score(row)

    def share(title: str, column: str) -> KeyNumber:
        value = float(kept.loc[kept["Map"] == title, column].dropna().iloc[0])
        text = f"{value:.{0 if value >= 1 else 1}f} %"  # chance is small, and not nothing
        return KeyNumber(text, value / 100, f"share of {KEPT} nearest pictures kept")

    others = [title for title in made.others if title.startswith("seed")]
    return {
        "network": KeyNumber(network_title(found.space.training.model)),
        "training": _count(len(found.space.training)),
        "pool": _count(len(found.space.pool)),
        "adversarial": _count(len(found.space.adversarial)),
        "neighbours": _count(found.settings.neighbours),
        "spots": _count(found.count),
        "chosen_density": density(chosen),
        "pool_density": density(pool),
        "chosen_inside": percent(results.row(item=ITEM, metric="share", dataset=chosen)),
        "pool_inside": percent(results.row(item=ITEM, metric="share", dataset=pool)),
        "method": KeyNumber(made.first.method),
        "kept_of_embedding": share(made.first.method, "Kept of the embedding"),
        "kept_by_seed": share(others[0], "Kept of the map") if others else NOT_MEASURED,
        "kept_by_chance": share("chance", "Kept of the map"),
    }


def _score(row: Row) -> KeyNumber:
    text = f"{row.value:.2f}"
    if row.low is not None and row.high is not None:
        text += f" [{row.low:.2f}, {row.high:.2f}]"
    return KeyNumber(text.replace("-", "\N{MINUS SIGN}"), row.value, row.convention or "", row.n)


def _count(number: int) -> KeyNumber:
    return KeyNumber(f"{number:,}", number)
