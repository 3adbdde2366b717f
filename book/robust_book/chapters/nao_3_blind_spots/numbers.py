"""Training density and the map in numbers, for the chapter's table and its prose."""

import pandas as pd

from robust_book.chapters.nao_3_blind_spots.maps import KEPT, Maps, kept_frame
from robust_book.chapters.view import cell
from robust_lib.protocols.blind_spots.results import ITEM
from robust_lib.protocols.blind_spots.spots import BlindSpots
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, count, percent, score
from robust_lib.results.notation import Cell
from robust_lib.results.table import Results
from robust_lib.run.network import network_title


def density_frame(results: Results) -> pd.DataFrame:
    """Return training density, and the share in blind spots, at adversarial pictures and at all."""
    rows = results.select(item=ITEM)
    return pd.DataFrame(
        {
            "Pictures": row.dataset,
            "Training density": Cell(row.value, row.low, row.high),
            "In blind spots": cell(rows.row(metric="share", dataset=row.dataset)),
        }
        for row in rows.select(metric="training_density").rows
    )


def key_numbers(results: Results, found: BlindSpots, made: Maps) -> dict[str, KeyNumber]:
    """Return the numbers that the prose names."""
    chosen, pool = (one.dataset for one in (found.space.adversarial, found.space.pool))
    kept = kept_frame(found, made)

    rows = results.select(item=ITEM)

    def share(title: str, column: str) -> KeyNumber:
        value = float(kept.loc[kept["Map"] == title, column].dropna().iloc[0])
        text = f"{value:.{0 if value >= 1 else 1}f} %"  # chance is small, and not nothing
        return KeyNumber(text, value / 100, f"share of {KEPT} nearest pictures kept")

    others = [title for title in made.others if title.startswith("seed")]
    return {
        "network": KeyNumber(network_title(found.space.training.model)),
        "training": count(len(found.space.training)),
        "pool": count(len(found.space.pool)),
        "adversarial": count(len(found.space.adversarial)),
        "neighbours": count(found.settings.neighbours),
        "spots": count(found.count),
        "chosen_density": score(rows.row(metric="training_density", dataset=chosen)),
        "pool_density": score(rows.row(metric="training_density", dataset=pool)),
        "chosen_inside": percent(rows.row(metric="share", dataset=chosen)),
        "pool_inside": percent(rows.row(metric="share", dataset=pool)),
        "method": KeyNumber(made.first.method),
        "kept_of_embedding": share(made.first.method, "Kept of the embedding"),
        "kept_by_seed": share(others[0], "Kept of the map") if others else NOT_MEASURED,
        "kept_by_chance": share("chance", "Kept of the map"),
    }
