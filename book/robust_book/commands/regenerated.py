"""The command `robust regenerated`: ImageNet-C made here compared with the archive."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from robust_book.chapters import chapter
from robust_lib import atomic
from robust_lib.errors import InputError
from robust_lib.protocols import regenerated
from robust_lib.run.experiments import table_folder
from robust_lib.run.regenerated import copies
from robust_lib.run.start import start

STEM = "regenerated"


def compare(
    profile: str,
    *,
    models: Sequence[str] | None = None,
    corruptions: Sequence[str] | None = None,
    severities: Sequence[int] | None = None,
    limit: int | None = None,
    device: str | None = None,
) -> tuple[pd.DataFrame, Path]:
    """Return the table of both copies of ImageNet-C, and the file that it was written to.

    The profile's own table is in build/<profile>/regenerated; tables with other settings, such as
    fewer images or networks, have folders of their own under build/runs.

    Args:
        corruptions: names of corruptions; None: the profile's.
        severities: severities from 1 to 5; None: the profile's.
        limit: number of images per condition; None: the profile's.
        device: cpu or cuda; None: the profile's.

    Raises:
        InputError: the profile has no archive, or a network is trained under several seeds.
        DataError: data is missing or incomplete.
    """
    asked: dict[str, Any] = {
        "models": list(models or ()) or None,
        "corruptions": list(corruptions or ()) or None,
        "severities": list(severities or ()) or None,
        "limit": limit,
    }
    run = start(chapter("inc_2_mce"), profile, device=device, **asked)
    if len(run.profile.seeds) > 1:
        raise InputError(
            "Expected one seed, since predictions are paired image by image, but the profile has "
            f"{len(run.profile.seeds)}. Set `seeds` to 1 in the profile."
        )
    both = copies(run)
    samples = run.profile.bootstrap
    table = regenerated.table(both.archive, both.generated, both.levels, samples=samples)
    home = table_folder(STEM, profile, asked)
    with atomic.folder(home) as folder:
        table.to_parquet(folder / f"{STEM}.parquet", index=False)
        table.to_csv(folder / f"{STEM}.csv", index=False)
    return table, home / f"{STEM}.csv"


def lines(table: pd.DataFrame) -> Iterator[str]:
    """Yield the lines to print: one per corruption, and the meaning of the columns."""
    yield regenerated.summary(table).to_string(index=False, float_format="{:.2f}".format)
    pictures, networks = int(table["n"].max()), table["model"].nunique()
    yield (
        f"Mean accuracy (%) of {networks} networks over the severities, {pictures:,} images per "
        "condition; generated minus archive; number of networks for which the 95 % interval of the "
        "paired difference excludes 0; difference between pixels, in levels of 255."
    )
