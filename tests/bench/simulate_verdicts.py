"""How often verdicts are wrong: simulated networks whose truth is known, judged by `judge`.

    python -m tests.bench.simulate_verdicts [--write] [--only WORDS] [--times NUMBER]

Each kind of claim is simulated where it is exactly on the border, so that "holds" and "does not
hold" are both wrong, and with an effect of the size that a paper has. --write puts the table where
the book shows it, data_manifests/measured/simulated_verdicts.csv and .yaml; --only makes the rows
whose words have this in them, --times as many simulations of each. All take a few minutes.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from scipy.optimize import brentq

from robust_lib import seeds
from robust_lib.datasets.frame_sets import from_names
from robust_lib.metrics.intervals import Sample
from robust_lib.metrics.leaning import mirrored
from robust_lib.protocols import overlap
from robust_lib.protocols.corruption_error import enhancements, style_transfer
from robust_lib.protocols.pm_k import classes, classification
from robust_lib.protocols.pm_k.frame_predictions import FramePredictions
from robust_lib.results.claims import parse
from robust_lib.results.estimate import Draws, Estimate, ends_of
from robust_lib.results.judgement import judge
from robust_lib.results.lookup import Lookup
from robust_lib.results.table import Results
from robust_lib.vocabulary import COMMON, NOISE
from tests.bench import simulated
from tests.bench.simulated import PICTURES, accuracies, answers, corrupted, networks, ratios, row

parsed = cache(parse)
TITLE = "How often verdicts are wrong, by simulation"
CONVENTION = (
    "percent of simulations, judged by the code that judges runs; border: both verdicts are wrong; "
    "if there are several borders, the worst share is given; standard error: that of the larger "
    "share at the border; holds, not decided, does not hold: with the effect, as many or fewer "
    "simulations"
)


@dataclass(frozen=True)
class Kind:
    """A kind of claim.

    Attributes:
        world: takes a generator and an effect, and returns rows.
        borders: effects with which the claim is on its border; the worst share of each is told.
        effect: one with which the claim is true, and what it is in words.
    """

    words: str
    of: str
    claim: str
    world: Callable
    borders: tuple
    effect: object
    told: str
    times: int = 200

    def shares(self, effect, times):
        """Return word -> share of simulations that are judged so."""
        rng = seeds.generator("simulated verdicts", self.words, self.of, str(effect))
        claim = parsed(self.claim)
        found = Counter(
            judge(
                claim, Lookup(results=Results.of(self.world(rng, effect)), item=simulated.ITEM)
            ).word
            for _ in range(times)
        )
        return {word: number / times for word, number in found.items()}

    def row(self, times=None):
        """Return the row of the table."""
        times = times or self.times
        borders = [self.shares(border, times) for border in self.borders]
        wrong = [max(one.get(word, 0.0) for one in borders) for word in ("holds", "does not hold")]
        true = self.shares(self.effect, max(times // 2, 1))
        error = max(0.025, *wrong)
        return {
            "claim": self.words,
            "of": self.of,
            "border: holds": percent(wrong[0], 1),
            "border: does not hold": percent(wrong[1], 1),
            "standard error": percent((error * (1 - error) / times) ** 0.5, 1),
            "simulations": f"{times * len(borders)}",
            "effect": self.told,
            "holds": percent(true.get("holds", 0.0)),
            "not decided": percent(1 - true.get("holds", 0.0) - true.get("does not hold", 0.0)),
            "does not hold": percent(true.get("does not hold", 0.0)),
        }


def percent(share, digits=0):
    return f"{100 * share:.{digits}f}"


# The worlds that take more than a line


def one_pair(rng, effect, pictures):
    rate, more = effect
    return networks(rng, [more, 0], pictures=pictures, rate=rate)


def against_one(rng, better, pictures=971, rate=0.4):
    names = [f"net{place}" for place in range(len(better))] + ["base"]
    return networks(rng, [*better, 0], pictures=pictures, rate=rate, names=names)


def two_sets(rng, drops, pictures=971, rate=0.6):
    """The same networks on two sets of other pictures, worse by so much on the first."""
    shape = [len(drops)]
    hard = networks(rng, -np.asarray(drops), pictures=pictures, rate=rate, dataset="hard")
    return hard + networks(rng, np.zeros(shape), pictures=pictures, rate=rate, dataset="ordinary")


def gain_and_cost(rng, effect):
    gain, cost = effect
    sets = {"hard": [0, gain], "ordinary": [0, -cost]}
    return [
        one
        for name, better in sets.items()
        for one in networks(rng, better, pictures=971, rate=0.6, dataset=name)
    ]


def mces(rng, harder, pictures=320, each=1, **options):
    return ratios(corrupted(rng, harder, pictures=pictures, each=each), **options)


def mces_and_errors(rng, effect):
    """Two networks whose mCEs differ by so much more than their clean errors."""
    errors = corrupted(rng, [effect / 2, 0], pictures=320)
    clean = [1 - one.clean for one in errors]
    return ratios(errors) + accuracies([one < 0.5 for one in clean], "pictures", "error")


def lower(rng, harder):
    errors = corrupted(rng, [harder, np.zeros(len(COMMON))], pictures=320)
    rows = [one for name in COMMON for one in ratios(errors, [name], metric="ce", corruption=name)]
    return enhancements._counts(Results.of(rows), ["a"], "b")


def worst(rng, harder):
    """A style beside fifteen corruptions: how much harder than the style each of these is."""
    names = (*COMMON, "style_transfer")
    (one,) = corrupted(rng, [np.append(harder, 0)], pictures=320, names=names)
    largest = style_transfer._largest([one], COMMON, 1000)
    style = ratios([one], ["style_transfer"], metric="ce", corruption="style_transfer")
    return [*style, row(largest, "largest_ce", "a")]


def groups(rng, noise):
    return [*overlap.results(simulated.overlapping(rng, noises(noise), pictures=1200)).rows]


@cache
def noises(noise):
    """Return overlaps of 0.18 each but those of the noises."""
    found = np.full((len(COMMON), len(COMMON)), 0.18)
    places = [COMMON.index(name) for name in NOISE]
    found[np.ix_(places, places)] = noise
    np.fill_diagonal(found, 1)
    return found


def border(rng, largest):
    names = (*COMMON, "border")
    matrix = np.full((len(names), len(names)), 0.18)
    matrix[-1] = matrix[:, -1] = largest
    np.fill_diagonal(matrix, 1)
    found = simulated.overlapping(rng, matrix, pictures=1200, names=names)
    return [*overlap.results(found).select(metric="largest_overlap").rows]


def line(rng, explained, *, kinds=20, pictures=300):
    """A line through networks' accuracies, of which this much of the variance is explained."""
    x = np.linspace(0.55, 0.9, kinds)
    off = np.cos(2.5 * np.arange(kinds))
    off -= np.polyval(np.polyfit(x, off, 1), x)
    on = 0.9 * (x - x.mean())
    off *= (on.var() / off.var() * (1 / explained - 1)) ** 0.5
    rates = np.concatenate([x, 0.5 + on + off])
    rights = answers(rng, rates, pictures, np.tile(np.arange(kinds), 2))
    before, after = np.split(rights, 2)

    def drawn():
        rates = simulated.intervals.shared_rates(rights.astype(np.float32), PICTURES)
        found = classification.fitted(*np.split(rates, 2, axis=1))[2]
        return mirrored(found, value)

    value = float(classification.fitted(before.mean(1), after.mean(1))[2])
    draws = Draws(PICTURES, cache(drawn))
    return Estimate.over([value], partial(ends_of, draws), n=pictures, draws=draws)


def lines(rng, explained):
    return [row(line(rng, explained), "r_squared")]


def few_classes(rng, held, alike=0.0):
    """Sets of 16 classes, three drawings of each, of which the worst six hold so many of the lost.

    Args:
        alike: how what becomes of the eight sets of a drawing correlates; 0: each is by itself.
    """
    sets, label = sets_of_classes()
    worse = label < 6
    chance = 0.23 * 16 * np.where(worse, held / 6, (1 - held) / 10)
    drawing = np.arange(len(label)) // 8
    if alike:
        many = 1 / alike - 1
        first = np.unique(drawing, return_index=True)[1]
        chance = rng.beta(chance[first] * many, (1 - chance[first]) * many)[drawing]
    said = np.stack([label, np.where(rng.random(len(label)) < chance, (label + 1) % 16, label)], 1)
    together = tuple(map(str, drawing)) if alike else None
    found = FramePredictions(PICTURES, sets, {"a": (said.ravel(),)}, "", together=together)
    spread = classes._worst_third(found, "a")
    return [row(spread["worst_third_excess"], "worst_third_excess", "a")]


@cache
def sets_of_classes():
    """Return 384 sets of an anchor and a neighbour, and the class of each."""
    label = np.repeat(np.arange(16), 24)
    frames = [
        [f"val/{place:04}/{frame:06}.JPEG" for frame in (1, 2)] for place in range(len(label))
    ]
    labels = {name: [int(one)] for both, one in zip(frames, label, strict=True) for name in both}
    return from_names(labels, {first: [second] for first, second in frames}, classes=16), label


def auprs(rng, apart):
    return simulated.foreign(rng, apart, ordinary=960, others=192)


@cache
def apart(above):
    """Return how far foreign scores lie above ordinary ones for an AUPR so far above chance."""
    return brentq(lambda one: simulated.true_aupr(one, 960, 192) - 1 / 6 - above, -2, 5)


def maps(rng, found):
    sides = {"nao": (132, found), "coco": (400, 0.0)}
    return [
        row(simulated.mean_precision(rng, number, name, more), "map", "a", name)
        for name, (number, more) in sides.items()
    ]


def trainings(rng, better, *, number, kinds=2, pictures=971):
    names = [f"net{place}" for place in range(len(better))] + ["base"]
    return simulated.trained(
        rng, [*better, 0.0], pictures=pictures, rate=0.6, trainings=number, spread=0.02, names=names
    )


def icons(rng, better):
    """Pictures of 50 subtypes, eight of each, which are right or wrong together."""
    rights, cluster = simulated.by_cluster(rng, 0.6 + np.asarray(better), 50, 8)
    names = tuple(f"subtype {one}" for one in cluster)
    return [
        row(Estimate.of_rate([right], images=Sample(PICTURES, names)), "accuracy", name)
        for right, name in zip(rights, "ab", strict=True)
    ]


BETTER = "accuracy[a] > accuracy[b]"
ALL = "accuracy[net*] > accuracy[base]"
RATES = (0.01, 0.1, 0.5, 0.9)


def all_better(number, effect=0.06):
    return {
        "claim": ALL,
        "world": against_one,
        "borders": (np.zeros(number), np.append(0.0, np.full(number - 1, 0.1))),
        "effect": np.full(number, effect),
        "told": f"each {100 * effect:.0f} points better",
    }


KINDS = (
    *(
        Kind(
            "one network is better than another",
            f"{number:,} images",
            BETTER,
            partial(one_pair, pictures=number),
            tuple((rate, 0.0) for rate in RATES),
            effect,
            told,
            times=150,
        )
        for number, effect, told in (
            (50, (0.5, 0.1), "10 points, of 50 %"),
            (192, (0.06, 0.08), "8 points, of 6 %"),
            (971, (0.06, 0.08), "8 points, of 6 %"),
            (3000, (0.75, 0.02), "2 points, of 75 %"),
        )
    ),
    Kind("a network is worse on hard images than on ordinary ones", "971 images of each",
         "accuracy[a, dataset=hard] < accuracy[a, dataset=ordinary]", two_sets, ([0.0],), [0.07],
         "7 points"),
    Kind("three networks in an order", "1,920 images", "accuracy[a] > accuracy[b] > accuracy[c]",
         partial(networks, pictures=1920, rate=0.7), ((0.0, 0, 0), (0.1, 0.1, 0)), (0.06, 0.03, 0),
         "3 points a step"),
    Kind("four networks in an order", "1,920 images",
         "accuracy[a] > accuracy[b] > accuracy[c] > accuracy[d]",
         partial(networks, pictures=1920, rate=0.6), ((0.0, 0, 0, 0), (0.2, 0.1, 0.1, 0)),
         (0.09, 0.06, 0.03, 0), "3 points a step"),
    Kind("all of 4 networks are better than another", "971 images", **all_better(4)),
    Kind("all of 16 networks are better than another", "971 images", **all_better(16), times=100),
    Kind("all of 50 networks are better than another", "971 images", **all_better(50), times=50),
    Kind("most of 10 networks are better than another", "971 images", "most " + ALL, against_one,
         ((0.1,) * 5 + (0.0,) * 5, (0.0,) * 10, (0.0,) * 6 + (-0.1,) * 4), (0.06,) * 10,
         "each 6 points better"),
    Kind("two networks differ by less than 5 points", "971 images",
         "-5% < accuracy[a] - accuracy[b] < 5%", partial(networks, pictures=971, rate=0.6),
         ((0.05, 0.0), (-0.05, 0.0)), (0.003, 0), "0.3 points"),
    Kind("a gain is smaller than a cost", "971 hard and 971 ordinary images",
         "accuracy[b, dataset=hard] - accuracy[a, dataset=hard] "
         "< accuracy[a, dataset=ordinary] - accuracy[b, dataset=ordinary]",
         gain_and_cost, ((0.0, 0.0), (0.05, 0.05)), (0.01, 0.07), "gain 1, cost 7 points"),
    Kind("one network is better than another on images that are correlated",
         "50 subtypes, 8 images of each, correlation 0.3", BETTER, icons, ((0.0, 0.0),),
         (0.1, 0.0), "10 points", 200),
    Kind("a claim with a condition: the condition is met", "971 images",
         "accuracy[a] > accuracy[c] if accuracy[a] > accuracy[b]",
         partial(networks, pictures=971, rate=0.6), ((0.0, 0.0, -0.2),), (0.06, 0, -0.2),
         "6 points"),
    Kind("one CE is lower than another", "320 images, five severities", "ce[a] < ce[b]",
         partial(mces, over=["fog"], metric="ce"), ([0.0, 0.0],), [-0.025, 0], "5 points", 100),
    Kind("one mCE is lower than another", "320 images, 75 corruptions", "mce[a] < mce[b]", mces,
         ([0.0, 0.0],), [-0.0175, 0], "3.5 points", 100),
    Kind("one mCE is lower than another on images that are correlated",
         "64 drawings, 10 images of each, correlation 0.3", "mce[a] < mce[b]",
         partial(mces, pictures=640, each=10), ([0.0, 0.0],), [-0.05, 0], "10 points", 400),
    Kind("one relative mCE is lower than another", "320 images, 75 corruptions",
         "relative_mce[a] < relative_mce[b]",
         partial(mces, relative=True, metric="relative_mce"), ([0.0, 0.0],), [-0.015, 0],
         "5 points", 100),
    Kind("a difference of mCEs exceeds that of clean errors", "320 images, 75 corruptions",
         "mce[a] - mce[b] > error[a] - error[b]", mces_and_errors, (0.0,), 0.05, "5 points", 100),
    Kind("at least 12 of 15 CEs are lower", "320 images", "lower_ces[a] > 11.5", lower,
         ((-0.1,) * 11 + (0.0,) * 4,), (-0.0175,) * 15, "all lower by 3.5 points", 40),
    Kind("one CE is larger than each of fifteen", "320 images", "ce[a, corruption=style_transfer]"
         " > largest_ce[a]", worst, ((0.0,) + (-0.2,) * 14, (0.0,) * 15), (-0.1,) * 15,
         "20 points", 40),
    Kind("noises overlap more than corruptions do on average", "1,200 images",
         "group_overlap[a, corruption=noise] > group_overlap[a, corruption=all]", groups, (0.18,),
         0.6, "0.60 and 0.18", 60),
    Kind("a corruption's largest overlap is below 0.3", "1,200 images",
         "largest_overlap[a, corruption=border] < 0.3", border, (0.3,), 0.0, "all 0", 60),
    Kind("a line explains more than 80 % of the variance", "20 networks, 300 images",
         "r_squared[] > 0.8", lines, (0.8,), 0.99,
         "99 %", 300),
    Kind("one AUPR is larger than another", "192 out-of-distribution, 960 ordinary images",
         "aupr[a] > aupr[b]", auprs, ((0.7, 0.7),), (1.0, 0.7), "8 points", 100),
    Kind("an AUPR is less than 10 points above chance",
         "192 out-of-distribution, 960 ordinary images",
         "aupr[a] - aupr[chance] < 10%", auprs, ((apart(0.1),),), (apart(0.03),), "3 points", 200),
    Kind("mAP is lower on adversarial objects", "132 and 400 images",
         "map[a, dataset=nao] < map[a, dataset=coco]", maps, (0.0,), -0.15,
         "15 points fewer objects found", 100),
    Kind("the drop is not that of a few classes", "16 classes, 384 sets, of which 88 are lost",
         "worst_third_excess[a] < 50%", few_classes, (0.757,), 6 / 16, "all classes alike", 400),
    Kind("the drop is not that of a few classes, of sets that are correlated",
         "16 classes, 48 drawings, 8 sets of each, correlation 0.1", "worst_third_excess[a] < 50%",
         partial(few_classes, alike=0.1), (0.803,), 6 / 16, "all classes alike", 400),
    *(
        Kind(f"one kind of network is better than another, {number} trainings of each",
             "971 images, trainings differ by 2 points", ALL,
             partial(trainings, number=number), ((0.0,),), (0.05,), "5 points")
        for number in (5, 8)
    ),
    Kind("all of 16 kinds are better than another, 5 trainings of each",
         "971 images, trainings differ by 2 points", ALL, partial(trainings, number=5),
         ((0.0,) * 16, (0.0,) + (0.15,) * 15), (0.06,) * 16, "each 6 points better", 100),
)  # fmt: skip


if __name__ == "__main__":
    about = {"title": TITLE, "convention": CONVENTION}
    simulated.make(KINDS, "simulated_verdicts", about, __doc__.partition("\n")[0])
