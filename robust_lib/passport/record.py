"""A passport as a record: the content of its JSON file, and the published schema.

The schema publishes the docstrings of the records, so all their attributes are described.
"""

import json
from pathlib import Path
from typing import Annotated, Literal

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from robust_lib import atomic
from robust_lib.config.strict_json import first_wrong
from robust_lib.errors import DataError
from robust_lib.results.row import METRICS
from robust_lib.run.network import LONGEST

VERSION: Literal[1] = 1


Kind = Literal[
    "surest mistakes", "surest and right", "least sure and right", "surest of foreign things"
]
"""Kinds of images to show: the worst, the best, the barely correct, and those of no class."""


# Docstrings here are published: the schema of passports quotes them, attributes included.
class Part(BaseModel):
    """A part of a passport: immutable, and without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Number(Part):
    """One number; rates, ratios and differences are fractions.

    Attributes:
        item: ledger id of the figure or table whose protocol it follows.
        metric: the metric; see the page on conventions.
        dataset: the image set.
        corruption: the corruption, or the name of a half of ImageNet-C.
        severity: 1 to 5; None for a mean over all.
        k: number of frames on either side of the anchor.
        value: the number.
        low: lower end of its 95 % interval.
        high: upper end of this interval.
        n: number of images or frame sets.
        n_full: number of images or frame sets in the full data set.
        convention: how the number is computed.
    """

    item: str
    metric: str
    dataset: str
    corruption: str | None = None
    severity: int | None = None
    k: int | None = None
    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    n_full: int | None = None
    convention: str | None = None

    @property
    def in_percent(self) -> bool:
        """Return whether the number is a fraction that is shown as a percentage."""
        return METRICS[self.metric] in ("rate", "ratio", "relative", "difference")


class Other(Part):
    """A different network's number of the same kind.

    Attributes:
        network: name of the network in tables.
        value: its number, a fraction.
        source: "here", the same profile's book; "paper", the paper's own number; or "public", a
            published number for public weights on the paper's data.
    """

    network: str
    value: float
    source: Literal["here", "paper", "public"]


class Headline(Part):
    """A headline number, with the numbers of other networks.

    Attributes:
        title: title of the number.
        better: which direction is better.
        number: the model's number.
        others: numbers of other networks.
    """

    title: str
    better: Literal["higher", "lower"]
    number: Number
    others: tuple[Other, ...] = ()


class Answer(Part):
    """One image and the model's prediction for it.

    Attributes:
        kind: kind of prediction: wrong with the highest confidence, correct with the highest or
            lowest confidence, or out of distribution with high confidence.
        images: the image set.
        id: id of the image.
        label: class of the image; "" if it has none.
        predicted: the class that the model predicts.
        confidence: confidence of the prediction, a fraction.
    """

    kind: Kind
    images: str
    id: str
    label: str
    predicted: str
    confidence: float


class Section(Part):
    """The results of one benchmark, or the reason why it was left out.

    Attributes:
        benchmark: key of the benchmark.
        title: title of the benchmark.
        paper: key of the benchmark's paper.
        left_out: reason why the benchmark was not evaluated; None if it was.
        headlines: the headline numbers.
        numbers: all numbers.
        answers: noteworthy images.
        lacks: numbers that could not be computed, each with the reason.
        sets: names of the benchmark's image sets.
        corrupted: geometry of corrupted images, before a network's own resize; None if there are
            none.
    """

    benchmark: str
    title: str
    paper: str
    left_out: str | None = None
    headlines: tuple[Headline, ...] = ()
    numbers: tuple[Number, ...] = ()
    answers: tuple[Answer, ...] = ()
    lacks: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    corrupted: str | None = None


class Made(Part):
    """The provenance of the numbers.

    Attributes:
        commit: commit of the library.
        dirty: whether files differed from this commit.
        date: date of the run.
        seconds: duration of the run in seconds.
        device: device of the computation.
        versions: versions of the packages that affect the numbers.
        datasets: name of an image set -> its digest.
    """

    commit: str
    dirty: bool
    date: str
    seconds: float
    device: str
    versions: dict[str, str]
    datasets: dict[str, str]


class Clean(Part):
    """A network's clean number, as others published it and as found here.

    It is a classifier's accuracy on ImageNet's validation images, or a detector's mAP on COCO.

    Attributes:
        published: the published number, a fraction.
        source: source of the published number.
        found: the number found here; None if it was not computed, or only on other images.
        outcome: whether both agree; if not, the other numbers cannot be trusted.
        words: the comparison in a sentence.
    """

    published: float
    source: str
    found: float | None = None
    outcome: Literal["same", "within", "FAILED", "not run"]
    words: str


class Passport(Part):
    """The results of one model on the benchmarks of the five papers.

    Attributes:
        version: version of this format.
        model: name of the model.
        fingerprint: digest of the model's weights and settings.
        asks: "classifier" or "detector".
        classes: the model's label space.
        outputs: number of outputs.
        sees: how images are resized and cropped for the model.
        profile: profile whose data were used.
        words: description of the data.
        sections: one section for each benchmark.
        made: provenance of the numbers.
        answers: name of the file with the model's predictions, next to this one; None if none were
            kept.
        clean: comparison of the clean number with the published one; None if none was published.
        weights: number of weights; None if unknown.
    """

    version: Literal[1] = VERSION
    model: Annotated[str, Field(min_length=1, max_length=LONGEST)]
    fingerprint: str
    asks: Literal["classifier", "detector"]
    classes: str
    outputs: int
    sees: str
    profile: str
    words: str
    sections: tuple[Section, ...]
    made: Made
    answers: str | None = None
    clean: Clean | None = None
    weights: int | None = None

    @property
    def is_refused(self) -> bool:
        """Return whether the network missed the published clean number of its name."""
        return self.clean is not None and self.clean.outcome == "FAILED"

    def section(self, benchmark: str) -> Section | None:
        """Return the section of a benchmark; None if it was not requested."""
        return next((one for one in self.sections if one.benchmark == benchmark), None)


def schema() -> str:
    """Return the published JSON schema as text."""
    return json.dumps(Passport.model_json_schema(), indent=1) + "\n"


def write_json(passport: Passport, path: Path) -> None:
    """Write a passport as JSON."""
    atomic.write_bytes(path, (passport.model_dump_json(indent=1) + "\n").encode())


def read(path: Path) -> Passport:
    """Return the passport in a JSON file.

    Raises:
        DataError: no such file, or one of a different format.
    """
    try:
        return Passport.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise DataError(
            f"Expected a model report at {path.absolute()}, but there is none."
        ) from None
    except ValidationError as error:
        wrong = first_wrong(error)
        raise DataError(
            f"Expected a model report of version {VERSION} in {path}, but "
            f"{wrong.where or 'the file'}: {wrong.why}. "
            "Make it again with `robust passport`."
        ) from None


def frame(passport: Passport) -> pd.DataFrame:
    """Return all numbers as a table with one row each, in fractions; the benchmark comes first."""
    rows = [
        {"benchmark": section.benchmark, **number.model_dump()}
        for section in passport.sections
        for number in section.numbers
    ]
    return pd.DataFrame(rows, columns=["benchmark", *Number.model_fields])
