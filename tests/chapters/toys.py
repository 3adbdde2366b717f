"""What the examples of the chapters have at hand: small inputs, and what one reads in a block."""

import re
from html.parser import HTMLParser

import numpy as np

from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols import overlap
from robust_lib.protocols.corruption_error import enhancements
from robust_lib.protocols.corruption_error.normaliser import measured
from robust_lib.protocols.nae import accuracy
from robust_lib.protocols.pm_k import classification
from robust_lib.protocols.pm_k.classes import by_class
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.vocabulary import COMMON
from tests import toys
from tests.chapters.nae_1_construction.filtrations import EVERY as EVERY
from tests.chapters.nae_1_construction.filtrations import FILTRATION as FILTRATION
from tests.chapters.nao_1_construction.constructions import CONSTRUCTION as CONSTRUCTION
from tests.chapters.nao_3_blind_spots.toys import drawn as drawn
from tests.chapters.nao_3_blind_spots.toys import maps as maps
from tests.chapters.nao_3_blind_spots.toys import planted as planted
from tests.chapters.nao_4_attribution.toys import study as study
from tests.chapters.vid_1_dataset.toys import REVIEW as REVIEW
from tests.chapters.vid_1_dataset.toys import said_of_frames as said_of_frames
from tests.chapters.vid_1_dataset.toys import watched as watched
from tests.layouts import Shapes as Shapes
from tests.protocols.attribution.toys import changes as changes
from tests.protocols.attribution.toys import found_boxes as found_boxes
from tests.protocols.attribution.toys import shares as shares
from tests.protocols.attribution.toys import untrained as untrained
from tests.protocols.blind_spots.toys import SPOTS as SPOTS
from tests.protocols.blind_spots.toys import blind_spots as blind_spots
from tests.protocols.blind_spots.toys import embeddings as embeddings
from tests.protocols.icons import ICONS as ICONS
from tests.protocols.icons import predicted_on as predicted_on
from tests.protocols.imagenet_22k import subtype_answers as subtype_answers
from tests.protocols.nae.toys import masked as masked
from tests.protocols.objects.toys import by_size as by_size
from tests.protocols.objects.toys import coco_maps as coco_maps
from tests.protocols.objects.toys import kinds_of_error as kinds_of_error
from tests.protocols.objects.toys import object_boxes as object_boxes
from tests.protocols.objects.toys import pictures as pictures
from tests.protocols.overlap.toys import table
from tests.protocols.pm_k.toys import annotations as annotations
from tests.protocols.pm_k.toys import answers as answers
from tests.protocols.pm_k.toys import boxes as boxes
from tests.protocols.pm_k.toys import flat as flat
from tests.protocols.pm_k.toys import frame_sets as frame_sets
from tests.protocols.pm_k.toys import scored as scored
from tests.protocols.pm_k.toys import swatch_frames as swatch_frames
from tests.protocols.subtypes import subtypes as subtypes


def rows(item, metric, values, dataset="toys", **columns):
    """A row a network, of nine pictures; `values`: network -> its number, a fraction."""
    told = {"item": item, "metric": metric, "dataset": dataset, "n": 9, "n_full": 9} | columns
    return Results.of(Row(**told, model=model, value=value) for model, value in values.items())


def grid(*models):
    """Twenty pictures, clean and under fog and snow: each network loses an answer a severity."""
    return toys.grid(
        lambda model, corruption, severity, seed: np.arange(20) < 18 - severity,
        models,
        ("fog", "snow"),
        (1, 3),
        storage="jpeg85",
    )


def enhanced(run):
    """Rows of a run's enhancements, their grid and normaliser: each errs once more of 20."""
    models = [str(one) for one in run.networks]
    made = toys.grid(
        lambda model, corruption, severity, seed: (
            np.arange(20) < 19 - severity - models.index(model)
        ),
        models,
        COMMON,
        (1, 3),
        dataset=run.profile.data["enhancements"],
        storage="jpeg85",
    )
    divisor = measured(made, models[0])
    return enhancements.results(made, divisor, run.paper_names, samples=10), made, divisor


def restyled(first, *others, wrong=5):
    """Twenty pictures restyled and under all fifteen: the first network errs on ten of them.

    The others err on so many of the restyled ones and on four of the corrupted ones.
    """

    def right(model, corruption, severity, seed):
        if corruption is None:
            return np.arange(20) > 0
        mistakes = 10 if model == first else wrong if corruption == "style_transfer" else 4
        return np.arange(20) >= mistakes

    return toys.grid(right, (first, *others), (*COMMON, "style_transfer"), (1, 3))


def corrupting():
    """A run of the chapter on corruption errors, whose one network knows swatches."""
    from tests.chapters import pages  # which imports what imports this

    network = toys.brightest("alexnet_mini", preprocessing=Preprocessing(None, pages.SIDE))
    return pages.page(pages.chapter_of("inc_2_mce"), "toys", alexnet_mini=(network,)).run


def normaliser(grid):
    """The first network's errors, that others are divided by."""
    return measured(grid, grid.models[0])


def overlaps(*corruptions, seeds=1):
    """The accuracies of one architecture: noises overlap by 0.9, fog and snow by 0.1."""
    return {"resnet18": table(names=corruptions, seeds_of=(0.0,) * seeds)}


def judged(*corruptions):
    """Their overlaps, and which of them can be judged: all."""
    return overlap.judged(overlaps(*corruptions))


def on_both(run, right):
    """Rows of accuracies, and the predictions on 30 hard and 30 ordinary pictures behind them.

    `right`: network -> how many of the hard ones it gets right; of the ordinary ones it gets 24.
    """
    hard, ordinary = masked("hard", right), masked("ordinary", dict.fromkeys(right, 24))
    return accuracy.results(hard, ordinary, run.paper_names), hard, ordinary


def pm_k_rows(right, names):
    """Rows of pm-k accuracy on ten sets; `right` as for `answers`."""
    return classification.results(answers(right), names)


def class_rows(right, network):
    """Rows of pm-k accuracy on ten sets, five of lions and five of monkeys."""
    return by_class(answers(right), network, ["lion", "monkey"])


def detected(*models):
    """Predictions on 30 ordinary and on 10 foreign pictures, of which they are as sure."""
    return tuple(
        masked(name, dict.fromkeys(models, images), images)
        for name, images in (("ordinary", 30), ("foreign", 10))
    )


def texts(block, tag):
    """What one reads in a block, in each of its elements of a kind.

    "text" is what stands in a figure, the numbers of its axes aside, "td" a cell of a table and
    "caption" its title, "summary" the verdicts, "p" a line.
    """
    reader = _Reader(tag)
    reader.feed(str(block))
    found = [" ".join(text.split()) for text in reader.found]
    return [text for text in found if tag != "text" or not _NUMBER.fullmatch(text)]


_NUMBER = re.compile(r"[\d.\u2212]*")


class _Reader(HTMLParser):
    def __init__(self, tag):
        super().__init__()
        self.tag, self.found, self.depth = tag, [], 0

    def handle_starttag(self, tag, attrs):
        if tag == self.tag:
            self.found.append("")
            self.depth += 1

    def handle_endtag(self, tag):
        self.depth -= tag == self.tag

    def handle_data(self, data):
        if self.depth:
            self.found[-1] += data
