"""Numbers of other networks next to a passport's: the book's, the papers', public weights'."""

from functools import cache
from pathlib import Path

from robust_lib import paths
from robust_lib.config.profiles import Profile
from robust_lib.passport.headlines import Headline
from robust_lib.passport.record import Other
from robust_lib.protocols.overlap import halves
from robust_lib.results.leaderboard.columns import column
from robust_lib.results.leaderboard.sources import of_references
from robust_lib.results.reported import number, reported
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title


def others(
    headline: Headline, row: Row, profile: Profile, model: str, *, own: bool = False
) -> tuple[Other, ...]:
    """Return other networks' numbers of the same kind.

    Numbers of the profile's book are comparable: the same images, the same protocol. Numbers of the
    papers, and published ones of public weights, are on the papers' data, and comparable only in
    profile full.

    Args:
        row: the model's own row, which determines the data set.
        model: the model whose own number is left out.
        own: whether the images are the user's own, for which the book has no numbers.
    """
    here = () if own else _of_the_book(headline, row, profile, model)
    return (*here, *_of_the_paper(headline), *_public(headline))


def _of_the_book(headline: Headline, row: Row, profile: Profile, model: str) -> tuple[Other, ...]:
    path = paths.profile(profile.name) / "results" / f"{headline.notebook}.parquet"
    if not path.exists():
        return ()
    return tuple(
        Other(network=network_title(str(one.model)), value=one.value, source="here")
        for one in _stored(path, path.stat().st_mtime_ns).rows
        if one.model not in (None, model, "chance") and headline.fits(one, row.dataset)
    )


@cache
def _stored(path: Path, changed: int) -> Results:
    return Results.load(path)


def _of_the_paper(headline: Headline) -> tuple[Other, ...]:
    return tuple(
        Other(network=network_title(str(one.model)), value=number(one), source="paper")
        for one in reported(headline.item)
        if one.model not in (None, "chance")
        and one.status == "printed"
        and not one.is_claim
        and one.severity is None
        and (one.metric, one.corruption, one.k)
        == (headline.metric, headline.corruption, headline.k)
        and headline.role in (None, one.dataset)
    )


def _public(headline: Headline) -> tuple[Other, ...]:
    """Return published numbers of public weights, if their convention is the papers'."""
    found = {
        entry.model: entry.cells[headline.column]
        for entry in of_references()
        if headline.column is not None and headline.column in entry.cells
    }
    numbers = {
        model: 1 - cell.value if headline.metric == "error" else cell.value
        for model, cell in found.items()
        if cell.way == column(str(headline.column)).way
    }
    if headline.metric == "mean_ce":
        exact = halves.published("exact").select(corruption=headline.corruption)
        numbers |= {str(one.model): one.value for one in exact.rows}
    return tuple(
        Other(network=network_title(model), value=round(value, 9), source="public")
        for model, value in numbers.items()
    )
