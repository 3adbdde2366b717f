"""Hours of work on machines: what reading costs was measured here, the rest says who found it."""

from dataclasses import dataclass

import pandas as pd

from robust_book.engine.forecast import Work
from robust_lib import paths
from robust_lib.config.strict_yaml import read_yaml

ARCHIVED, PHOTOGRAPH = "a picture of the archive", "a photograph of 500 x 375 pixels"
"""Rows of data_manifests/measured/reading_cost.csv."""


@dataclass(frozen=True)
class Reading:
    """What reading costs one core, from a file to 8 bits.

    Attributes:
        archived: milliseconds for a picture of ImageNet-C's archive.
        photograph: likewise, for one that is resized and cropped.
        measured: when, and on what.
    """

    archived: float
    photograph: float
    measured: str

    def seconds(self, work: Work) -> float:
        """Return the seconds in which one core reads the pictures of a chapter's predictions.

        >>> Reading(0.5, 3.0, "").seconds(Work("one", 3000, 3000, 0.0, 0.0, archive=2000))
        4.0
        """
        photographs = work.pictures - work.archive
        return (work.archive * self.archived + photographs * self.photograph) / 1000


@dataclass(frozen=True)
class Machine:
    """What a machine does in a second.

    Attributes:
        words: what it is.
        reading: what reading costs one of its cores.
        gigaflops: of forward passes, billion multiply-adds.
        training: of the forward passes of trainings; their ways back are paid, too.
        readers: cores that read beside what computes; 0: what computes reads, too.
        share: of an even split that each more of them still does.
        status: whether somebody timed what it computes, or it is assumed.
        source: who found that, and how.
    """

    words: str
    reading: Reading
    gigaflops: float
    training: float
    readers: int = 0
    share: float = 1.0
    status: str = "assumed"
    source: str = ""

    def hours(self, work: Work, devices: int = 1) -> float:
        """Return the hours of a chapter's work on some of these machines side by side.

        Where readers have cores of their own, they read while networks compute, and the slower of
        both decides; otherwise both take their time.

        >>> work, reading = Work("one", 1_200_000, 1_200_000, 36_000.0, 0.0), Reading(0.6, 3.0, "")
        >>> [Machine("one", reading, 10.0, 3.0, readers=cores).hours(work) for cores in (8, 0)]
        [1.0, 2.0]
        """
        reading, computing = self.reading.seconds(work), work.gigaflops / self.gigaflops
        beside = max(reading / max(self.readers, 1), computing)
        predicting = beside if self.readers else reading + computing
        seconds = predicting + work.training / self.training
        return seconds / (devices * self.share ** (devices > 1)) / 3600


def reading_cost() -> Reading:
    """Return what reading was measured to cost, as data_manifests/measured has it."""
    stem = paths.manifests() / "measured" / "reading_cost"
    cost = pd.read_csv(stem.with_suffix(".csv")).set_index("read")["CPU ms"]
    made = read_yaml(stem.with_suffix(".yaml"))["provenance"]
    words = f"{made['date']}, {made['device']}"
    return Reading(float(cost[ARCHIVED]), float(cost[PHOTOGRAPH]), words)


def machines() -> dict[str, Machine]:
    """Return the machines whose rates stand in data_manifests/rates.csv, by their keys."""
    table, reading = pd.read_csv(paths.manifests() / "rates.csv"), reading_cost()
    return {
        str(row["key"]): Machine(
            str(row["machine"]), reading, float(row["gigaflops"]), float(row["training"]),
            int(row["readers"]), float(row["share"]), str(row["status"]), str(row["source"]),
        )
        for row in table.to_dict("records")
    }  # fmt: skip


def rates_in_words() -> list[str]:
    """Return which rates hours are made of, who found them, and which of them are assumed.

    >>> rates_in_words()[0].partition(":")[0]
    'Reading'
    """
    reading = reading_cost()
    return [
        f"Reading: {reading.archived:.2f} ms of a core for a picture of the archive, "
        f"{reading.photograph:.2f} ms for a photograph; measured ({reading.measured}).",
        *(
            f"Computing, {machine.words}: {machine.gigaflops:,.0f} billion multiply-adds a second "
            f"in predictions, {machine.training:,.0f} in trainings; {machine.status} "
            f"({machine.source})."
            for machine in machines().values()
        ),
        "This machine's cores are taken to be as fast as that one: nothing is timed here and now.",
    ]
