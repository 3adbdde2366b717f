"""Simulated networks whose truth is known, as the rows that chapters would make of their answers.

Pictures are easy or hard for all networks alike: of what decides about an answer, a share (`ALIKE`)
belongs to the picture, and one (`ITS_OWN`) to the network's view of it, whatever is done to it; the
rest is chance. Numbers are resampled with the product's code; the draws of a row are kept,
because a claim asks for them several times.
"""

import argparse
import time
from dataclasses import replace
from functools import cache, partial

import numpy as np
from scipy.stats import beta, norm

from robust_lib import seeds
from robust_lib.metrics import anomaly, intervals, leaning
from robust_lib.metrics.boxes import Detections, Truth
from robust_lib.metrics.detection import map_of, matched
from robust_lib.metrics.intervals import Sample
from robust_lib.metrics.map_draws import map_draws
from robust_lib.protocols import overlap
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.corruption_error.ratio import ImageErrors, mean_ratio
from robust_lib.protocols.overlap.accuracies import Accuracies
from robust_lib.results.estimate import Draws, Estimate, ends_of
from robust_lib.results.row import Row
from robust_lib.vocabulary import COMMON
from tests.reference import committed

ITEM, PICTURES = "inc-fig2", "pictures"
ALIKE, ITS_OWN = 0.5, 0.25
CLEAN = 0.85
CLASSES = 20  # of things that a detector looks for
SIDE, ACROSS, BELOW = (np.array(box) for box in ((0, 0, 50, 50), (1, 0, 1, 0), (0, 60, 0, 60)))


def weights_once():
    """Make the weights of resamples of some pictures once, though every number asks for them."""
    made = intervals._weights
    known = {}

    def kept(images, samples, rng):
        state = rng.bit_generator.state["state"]
        key = (images, samples, *state["key"].tolist(), *state["counter"].tolist())
        if key not in known:
            if len(known) > 8:
                known.clear()
            known[key] = list(made(images, samples, rng))
        return known[key]

    intervals._weights = kept


def answers(rng, rates, pictures, network=None):
    """Return (rows, pictures), which are right.

    Args:
        rates: of each row, or of each row and picture.
        network: number of the network that each row is of; None: each of its own.
    """
    rates = np.asarray(rates, np.float64)
    rates = rates[:, None] if rates.ndim == 1 else rates
    shared = rng.standard_normal(pictures, dtype=np.float32)
    latent = rng.standard_normal((len(rates), pictures), dtype=np.float32)
    if network is None:
        latent *= (1 - ALIKE) ** 0.5
    else:
        latent *= (1 - ALIKE - ITS_OWN) ** 0.5
        own = rng.standard_normal((int(np.max(network)) + 1, pictures), dtype=np.float32)
        latent += ITS_OWN**0.5 * own[network]
    latent += ALIKE**0.5 * shared
    return latent < norm.ppf(rates).astype(np.float32)


def row(estimate, metric, model=None, dataset=PICTURES, **conditions):
    """Return an estimate's row, whose draws are made once."""
    found = Row.of(estimate, item=ITEM, dataset=dataset, model=model, metric=metric, **conditions)
    drawn = found.draws
    if drawn is None:
        return found
    again = drawn.pictures
    again = None if again is None else replace(again, values=cache(again.values))
    return replace(found, draws=replace(drawn, values=cache(drawn.values), pictures=again))


def accuracies(rights, dataset=PICTURES, metric="accuracy", names=None):
    """Return rows of networks `a`, `b`, ... or of some names, of which pictures each has right."""
    names = names or [chr(ord("a") + place) for place in range(len(rights))]
    return [
        row(Estimate.of_rate([right], images=dataset), metric, name, dataset)
        for name, right in zip(names, rights, strict=True)
    ]


def networks(rng, better, *, pictures, rate, names=None, dataset=PICTURES):
    """Return accuracies of networks, each better than `rate` by so much."""
    return accuracies(answers(rng, rate + np.asarray(better), pictures), dataset, names=names)


def trained(rng, better, *, pictures, rate, trainings, spread, names):
    """Return accuracies of kinds of networks, each trained several times."""
    rates = (
        rate + np.repeat(better, trainings) + spread * rng.standard_normal(len(better) * trainings)
    )
    rights = answers(rng, np.clip(rates, 0.001, 0.999), pictures)
    by_kind = rights.reshape(len(better), trainings, pictures)
    return [
        row(Estimate.of_rate(list(kind), images=PICTURES), "accuracy", name)
        for name, kind in zip(names, by_kind, strict=True)
    ]


def by_cluster(rng, rates, clusters, each, alike=0.3, network=None):
    """Return (rates, pictures) of clusters that are right, and each picture's cluster.

    The answers of one network to two pictures of a cluster correlate by `alike`; half of what makes
    a cluster hard is the same for all networks.

    Args:
        network: whose rate each is; None: each is another network's.
    """
    network = np.arange(len(rates)) if network is None else network
    shared, own = rng.standard_normal(clusters), rng.standard_normal((max(network) + 1, clusters))
    place = norm.cdf(0.5**0.5 * (shared + own))[network]
    many = 1 / alike - 1
    rates = np.asarray(rates)[:, None]
    chances = beta.ppf(place, rates * many, (1 - rates) * many)
    right = rng.random((len(rates), clusters, each)) < chances[..., None]
    return right.reshape(len(rates), -1), np.repeat(np.arange(clusters), each)


def corrupted(rng, harder, *, pictures, clean=0.2, base=0.25, names=COMMON, each=1):
    """Return the errors of networks that err more often than the divisor on corrupted pictures.

    Errors rise with the severity, from 30 to 70 %. The divisor, a network like AlexNet, is measured
    on the same pictures.

    Args:
        harder: by network, what is added to the errors of all corruptions, or of each.
        each: pictures that show one drawing, and hang together.
    """
    rise = np.broadcast_to(base + np.linspace(0.05, 0.45, 5), (len(names), 5))
    rates = [np.append(clean, rise + np.reshape(one, (-1, 1))) for one in (0.0, *harder)]
    network = np.repeat(np.arange(len(rates)), len(rates[0]))
    images, every = Sample(PICTURES), np.concatenate(rates)
    if each > 1:
        wrong, drawing = by_cluster(rng, every, pictures // each, each, network=network)
        images = Sample(PICTURES, tuple(map(str, drawing)))
    else:
        wrong = answers(rng, every, pictures, network)
    wrong = wrong.astype(np.float32)
    clean_wrong, *cells = np.split(wrong.reshape(len(rates), -1, pictures), [1], axis=1)
    by_name = [dict(zip(names, one.reshape(len(names), 5, -1), strict=True)) for one in cells[0]]
    divisor = Normaliser(
        {name: one.mean(1) for name, one in by_name[0].items()},
        float(clean_wrong[0].mean()),
        "a baseline",
        by_name[0],
        clean_wrong[0, 0],
    )
    return [
        ImageErrors(one, errors[0], pictures, divisor, images)
        for one, errors in zip(by_name[1:], clean_wrong[1:], strict=True)
    ]


def ratios(errors, over=COMMON, *, relative=False, metric="mce", samples=1000, **conditions):
    """Return rows of networks `a`, `b`, ... of means over corruptions of `corrupted` networks."""
    return [
        row(
            mean_ratio([one], over, relative=relative, samples=samples),
            metric,
            chr(ord("a") + place),
            **conditions,
        )
        for place, one in enumerate(errors)
    ]


def overlapping(rng, overlaps, *, pictures, samples=300, gain=0.2, names=COMMON):
    """Return the product's overlaps of networks whose true ones are a matrix."""
    accuracy = np.full((len(names) + 1, len(names)), 0.5)
    accuracy[1:] += gain * overlaps
    rates = np.append(accuracy.ravel(), np.full(len(names) + 1, CLEAN))
    models = np.arange(len(names) + 1)
    network = np.append(np.repeat(models, len(names)), models)
    right = answers(rng, rates, pictures, network).astype(np.float64)
    cells = right[: accuracy.size].reshape(1, *accuracy.shape, pictures)
    clean = right[accuracy.size :][None]
    table = Accuracies(
        dataset=PICTURES,
        corruptions=tuple(names),
        accuracy=cells.mean(-1),
        clean=clean.mean(-1),
        n=pictures,
        n_full=pictures,
        words="simulated",
        right=cells,
        right_clean=clean,
    )
    return overlap.judged({"a": table}, samples=samples)


def foreign(rng, apart, *, ordinary, others, samples=500):
    """Return AUPRs of networks whose scores of foreign pictures lie so far above the ordinary."""
    shared = rng.standard_normal(ordinary + others)
    rows = [
        row(Estimate(value=others / (others + ordinary), n=others, n_full=others), "aupr", "chance")
    ]
    for place, one in enumerate(apart):
        own = rng.standard_normal(ordinary + others)
        scores = ALIKE**0.5 * shared + (1 - ALIKE) ** 0.5 * own
        sides = scores[:ordinary], scores[ordinary:] + one
        found = Estimate.over(
            [anomaly.aupr(*sides)],
            partial(_aupr_ends, sides, place, samples),
            n=others,
            draws=Draws("both sides", partial(_aupr_draws, sides, samples)),
        )
        rows.append(row(found, "aupr", chr(ord("a") + place)))
    return rows


def _aupr_ends(sides, place, samples):
    return anomaly.aupr_interval(*sides, rng=seeds.generator("aupr", place), samples=samples)


def _aupr_draws(sides, samples):
    return anomaly.aupr_draws(*sides, rng=seeds.generator("both sides"), samples=samples)


@cache
def true_aupr(apart, ordinary, others):
    """Return the AUPR of endless pictures, as many foreign ones to an ordinary one."""
    recall = (np.arange(200_000) + 0.5) / 200_000
    called = norm.sf(norm.isf(recall) + apart)
    return float((recall * others / (recall * others + called * ordinary)).mean())


def matches(images, rng, found=0.0):
    """Draw pictures and a detector's boxes in them, matched at IoU .5; `found`: more often so.

    A picture has one to three objects of twenty uneven classes.
    """
    objects, boxes = [], []
    for image in range(images):
        for place in range(rng.integers(1, 4)):
            label = int(CLASSES * rng.random() ** 1.5)
            box = SIDE + 100.0 * place * ACROSS
            objects.append((image, label, box))
            if rng.random() < 0.35 + 0.4 * label / CLASSES + found:
                boxes.append((image, label, box, rng.beta(4, 2)))
            if rng.random() < 0.5:
                wrong = int(CLASSES * rng.random())
                boxes.append((image, wrong, box + BELOW, rng.beta(2, 3)))
    truth = Truth(*map(np.array, zip(*objects, strict=True)))
    return matched(truth, Detections(*map(np.array, zip(*boxes, strict=True))), 0.5)


def mean_precision(rng, pictures, dataset, found=0.0, samples=200):
    """Return the mAP of a simulated detector on a data set, as an estimate."""
    seen, chosen = matches(pictures, rng, found), np.arange(pictures)
    value = map_of(seen, chosen, "101-point")
    drawn = Draws(dataset, cache(partial(_map_draws, seen, chosen, dataset, samples, value)))
    return Estimate.over([value], partial(ends_of, drawn), n=pictures, draws=drawn)


def _map_draws(seen, chosen, dataset, samples, value):
    rng = seeds.generator("resamples of pictures", dataset, len(chosen))
    draws = map_draws(seen, chosen, rng=rng, samples=samples, interpolation="101-point")
    return leaning.unshifted(draws, value)


def make(kinds, name, about, words):
    """Make the rows of some kinds as a command asks for them, and write the table if it does.

    Args:
        name: of the table, and of the module that was called.
        about: its title and convention.
    """
    chosen = argparse.ArgumentParser(description=words)
    chosen.add_argument("--write", action="store_true")
    chosen.add_argument("--only", default="")
    chosen.add_argument("--times", type=int)
    asked = chosen.parse_args()
    weights_once()
    start, rows = time.process_time(), []
    for kind in kinds:
        if asked.only in kind.words:
            rows.append(kind.row(asked.times))
            print(*rows[-1].values(), sep=" | ", flush=True)
    if asked.write:
        command = f"python -m tests.bench.{name.replace('simulated', 'simulate')} --write"
        seconds = time.process_time() - start
        print(f"Written: {committed.write(name, rows, seconds=seconds, command=command, **about)}")
