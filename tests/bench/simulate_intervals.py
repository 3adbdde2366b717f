"""How often intervals hold the truth: simulated networks and detectors whose truth is known.

    python -m tests.bench.simulate_intervals [--write] [--only WORDS] [--times NUMBER]

--write puts the table where the book shows it, data_manifests/measured/simulated_intervals.csv and
.yaml; --only makes the rows whose words have this in them, --times as many simulations of each.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from scipy.stats import spearmanr

from robust_lib import seeds
from robust_lib.metrics import calibration
from robust_lib.metrics.class_means import class_means, mean_over_classes
from robust_lib.metrics.detection import map_of
from robust_lib.metrics.intervals import shared_rates
from robust_lib.protocols.pm_k import classification
from robust_lib.results.comparison import LEVEL, Comparison
from robust_lib.results.estimate import Draws, ends_of
from tests.bench import simulated
from tests.bench.simulate_verdicts import apart, border, groups, icons, line, mces, percent, worst
from tests.bench.simulated import answers, networks

TITLE = "How often intervals contain the true value, by simulation"
CONVENTION = (
    "percent of simulations; nominal: 95; too high: the whole interval lies above the true value; "
    "too low: below it; standard error: that of the share of intervals that contain the true value"
)
MANY = 20_000


@dataclass(frozen=True)
class Kind:
    """A kind of interval.

    Attributes:
        truth: the number of endless pictures.
        ends: takes a generator and returns an interval of some.
    """

    words: str
    of: str
    truth: Callable
    ends: Callable
    times: int = 200

    def row(self, times=None):
        """Return the row of the table."""
        times = times or self.times
        rng = seeds.generator("simulated intervals", self.words, self.of)
        truth = self.truth()
        found = np.array([self.ends(rng) for _ in range(times)], np.float64)
        above, below = (found[:, 0] > truth).mean(), (found[:, 1] < truth).mean()
        holds = 1 - above - below
        spread = max(0.05, 1 - holds)
        return {
            "interval of": self.words,
            "over": self.of,
            "holds the truth": percent(holds, 1),
            "too high": percent(above, 1),
            "too low": percent(below, 1),
            "standard error": percent((spread * (1 - spread) / times) ** 0.5, 1),
            "simulations": f"{times}",
        }


def of_row(rows, metric, **conditions):
    """Return the interval of the one row of a metric."""
    (found,) = (
        one
        for one in rows
        if one.metric == metric and all(getattr(one, key) == it for key, it in conditions.items())
    )
    return found.low, found.high


def of_difference(rows):
    """Return the interval by which the first row exceeds the second, as a claim has it."""
    one, other = rows[:2]
    return Comparison(one.value - other.value, True, ((1, one), (-1, other))).ends(LEVEL)


def confident(rng, pictures, too_sure):
    """Return confidences of 50 to 100 %, and which answers are right, less often by so much."""
    confidence = rng.uniform(0.5, 1.0, pictures)
    return confidence, rng.random(pictures) < confidence - too_sure


def calibration_error(rng, pictures, too_sure):
    return calibration.rms_calibration_error_interval(
        *confident(rng, pictures, too_sure), rng=rng, samples=200
    )


def aurra(rng, pictures):
    return calibration.aurra_interval(*confident(rng, pictures, 0.1), rng=rng, samples=200)


@cache
def true_aurra():
    rng = seeds.generator("endless pictures")
    return np.mean([calibration.aurra(*confident(rng, MANY, 0.1)) for _ in range(20)])


@cache
def true_map():
    rng = seeds.generator("simulated detector")
    return map_of(simulated.matches(MANY, rng), np.arange(MANY), "101-point")


def mean_precision(rng, pictures):
    found = simulated.mean_precision(rng, pictures, f"pictures {rng.integers(1 << 30)}")
    return found.low, found.high


RATES = np.linspace(0.55, 0.9, 20)
DROPS = 0.3 - 0.15 * RATES + 0.05 * np.cos(2.5 * np.arange(20))


OBJECTS = np.geomspace(2, 30, 13)
CHANGES = 0.45 + 0.2 * np.cos(np.arange(13))


def rank_correlation(rng, pictures):
    """Twenty networks of which the better lose less, by and large."""
    rights = answers(rng, np.append(RATES, RATES - DROPS), pictures, np.tile(np.arange(20), 2))

    def drawn():
        rates = shared_rates(rights.astype(np.float32), simulated.PICTURES)
        return classification.rank_correlation(*np.split(rates, 2, axis=1))

    return ends_of(Draws(simulated.PICTURES, drawn))


def explained(rng, share):
    found = line(rng, share)
    return found.low, found.high


def aupr(rng, above, ordinary, others):
    (_, found) = simulated.foreign(rng, (apart(above),), ordinary=ordinary, others=others)
    return found.low, found.high


def kinds_of_networks(rng, number):
    return of_difference(
        simulated.trained(
            rng, [0.05, 0.0], pictures=971, rate=0.6, trainings=number, spread=0.02, names="ab"
        )
    )


def harder(rng, metric, **options):
    """A network whose errors are five points above the divisor's, which errs on half."""
    return of_row(mces(rng, [0.05], metric=metric, **options), metric)


def class_mean(rng, pictures=96):
    """Return the class means of objects in pictures, of classes from 2 to 30 objects each."""
    many = rng.poisson(OBJECTS)
    classes = np.repeat(np.arange(len(OBJECTS)), many)
    values = np.clip(CHANGES[classes] + rng.normal(0, 0.2, len(classes)), 0, 1)
    found = rng.integers(0, pictures, len(classes))
    return class_means(values, found, classes, (pictures, len(OBJECTS)))


@cache
def true_class_mean():
    rng = seeds.generator("simulated objects")
    worlds = (class_mean(rng) for _ in range(MANY // 10))
    return float(np.mean([one.over_classes(one.values) for one in worlds]))


def over_classes(rng):
    found = class_mean(rng)
    drawn = found.draws(f"pictures {rng.integers(1 << 30)}", counted=True)
    return ends_of(Draws(simulated.PICTURES, lambda: mean_over_classes(drawn)))


def constant(number):
    return lambda: number


KINDS = (
    *(
        Kind("an accuracy", f"{pictures:,} images, truly {100 * rate:.0f} %", constant(rate),
             partial(lambda rng, n, rate: of_row(networks(rng, [0.0], pictures=n, rate=rate),
                                                 "accuracy"), n=pictures, rate=rate), 400)
        for pictures, rate in ((50, 0.05), (971, 0.6))
    ),
    Kind("an accuracy on images that are correlated", "50 subtypes, 8 images of each, "
         "correlation 0.3", constant(0.6),
         lambda rng: of_row(icons(rng, [0.0, 0.0])[:1], "accuracy"), 300),
    Kind("a difference of accuracies", "971 images, truly 5 points", constant(0.05),
         lambda rng: of_difference(networks(rng, [0.05, 0.0], pictures=971, rate=0.6)), 300),
    Kind("a difference of accuracies", "50 images, truly 5 points of 5 %", constant(0.05),
         lambda rng: of_difference(networks(rng, [0.05, 0.0], pictures=50, rate=0.05)), 400),
    *(
        Kind(f"a difference of kinds of networks, {number} trainings of each",
             "971 images, trainings differ by 2 points", constant(0.05),
             partial(kinds_of_networks, number=number), 300)
        for number in (5, 8)
    ),
    Kind("an mCE", "320 images, 75 corruptions", constant(1.1), partial(harder, metric="mce"),
         400),
    Kind("an mCE of images that are correlated",
         "64 drawings, 10 images of each, correlation 0.3", constant(1.1),
         partial(harder, metric="mce", pictures=640, each=10), 200),
    Kind("a relative mCE", "320 images, 75 corruptions", constant(0.35 / 0.3),
         partial(harder, metric="relative_mce", relative=True), 100),
    Kind("the largest of fifteen CEs", "320 images, all equal", constant(1.0),
         lambda rng: of_row(worst(rng, (0.0,) * 15), "largest_ce"), 60),
    Kind("an overlap of a group", "1,200 images, truly 0.6", constant(0.6),
         lambda rng: of_row(groups(rng, 0.6), "group_overlap", corruption="noise"), 60),
    Kind("the largest of fifteen overlaps", "1,200 images, all 0.3", constant(0.3),
         lambda rng: of_row(border(rng, 0.3), "largest_overlap", corruption="border", model="a"),
         60),
    *(
        Kind("an AUPR", f"{others} out-of-distribution, {ordinary} ordinary images, truly "
             f"{100 * above:.0f} points above chance",
             partial(lambda above, ordinary, others: simulated.true_aupr(
                 apart(above), ordinary, others), above, ordinary, others),
             partial(aupr, above=above, ordinary=ordinary, others=others))
        for above, ordinary, others in ((0.03, 960, 192), (0.3, 960, 192))
    ),
    *(
        Kind("an RMS calibration error", f"{pictures:,} images, "
             f"truly {100 * too_sure:.0f} points",
             constant(too_sure),
             partial(calibration_error, pictures=pictures, too_sure=too_sure))
        for pictures, too_sure in ((400, 0.1), (1200, 0.1), (1200, 0.0))
    ),
    Kind("an AURRA", "400 images", true_aurra, partial(aurra, pictures=400)),
    *(
        Kind("an mAP", f"{pictures} images, 20 classes", true_map,
             partial(mean_precision, pictures=pictures), times)
        for pictures, times in ((60, 300), (200, 150))
    ),
    Kind("a mean over the classes with at least five objects",
         "96 images, 13 classes of 2 to 30 objects", true_class_mean, over_classes, 400),
    Kind("a rank correlation of accuracy and drop", "20 networks, 971 images",
         constant(float(spearmanr(RATES, DROPS).statistic)),
         partial(rank_correlation, pictures=971), 200),
    *(
        Kind("the variance that a line explains",
             f"20 networks, 300 images, truly {100 * share:.0f} %", constant(share),
             partial(explained, share=share), 200)
        for share in (0.8, 0.99)
    ),
)  # fmt: skip


if __name__ == "__main__":
    about = {"title": TITLE, "convention": CONVENTION}
    simulated.make(KINDS, "simulated_intervals", about, __doc__.partition("\n")[0])
