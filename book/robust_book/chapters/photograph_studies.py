"""Further studies on a few photographs: occlusion, calibration, attribution."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import torch

from robust_book.chapters.photographs import OPEN, begun
from robust_book.figures import image_grids
from robust_book.figures.heat import over
from robust_book.html.markup import Html, lines, text
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib import seeds
from robust_lib.datasets import to_images
from robust_lib.datasets.imagenet_c import BENCHMARK
from robust_lib.errors import InputError, one_of
from robust_lib.explain.integrated_gradients import Attribution, within
from robust_lib.metrics.calibration import (
    rms_calibration_error,
    rms_calibration_error_interval,
)
from robust_lib.metrics.intervals import bootstrap
from robust_lib.models.adapter import TorchClassifier
from robust_lib.models.contract import Classifier
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols.corruption_error import mean_error
from robust_lib.protocols.grid import Grid
from robust_lib.results.notation import Cell
from robust_lib.run.network import network_title
from robust_lib.vocabulary import OCCLUSION, corruption_label

BIN = 100  # predictions; an error of fewer than two bins is no error of calibration
STEPS, MOST = 32, 256  # gradients along a picture's path from black, to begin with and at most

EXPLAINED = ("n07920052/coffee.png", "n02123045/chelsea.png")
"""Photographs whose attribution is shown: each takes some seconds."""
CREDITS = (
    "Photographs: coffee by Rachel Michetti and Chelsea the cat by Stefan van der Walt, both CC0, "
    "of scikit-image"
)


def occlusions(page: Page) -> Html:
    """Return the errors of real networks on photographs under border and obstruction."""
    run = begun(page, OCCLUSION)
    if isinstance(run, Html):
        return run
    grid = run.grid()
    rows = mean_error.results(grid, samples=run.profile.bootstrap)
    found = []
    for model in grid.models:
        means = {
            corruption_label(name): rows.first(metric="mean_error", model=model, corruption=name)
            for name in grid.corruptions
        }
        clean = 100 * float(np.mean([~one.correct for one in grid.clean[model]]))
        cells = {
            label: Cell(100 * row.value, *(100 * (end or 0) for end in (row.low, row.high)))
            for label, row in means.items()
            if row is not None
        }
        found.append({"Network": network_title(model), "Clean error": clean, **cells})
    return lines(
        table(
            pd.DataFrame(found),
            caption=f"Error (%) of real networks on {grid.images} partly covered photographs",
        ),
        (
            '<p class="rb-convention"><span class="rb-label">Convention</span> Mean over '
            f"severities {text(run.severity_words)}, which cover more and more of the image; not "
            "divided by AlexNet's errors, because none are published; "
            f"{text(run.interval_words)}.</p>"
        ),
    )


def calibration(page: Page) -> Html:
    """Return the confidence and accuracy of real networks on clean and corrupted photographs."""
    run = begun(page)
    if isinstance(run, Html):
        return run
    grid, samples = run.grid(), run.profile.bootstrap
    found = [
        _calibrated(network_title(model), words, said, samples)
        for model in grid.models
        for words, said in (("clean", grid.clean[model]), ("corrupted", _corrupted(grid, model)))
    ]
    few = ""
    if len(grid.clean[grid.models[0]][0].ids) < 2 * BIN:
        few = (
            f" On {grid.images} clean photographs this error is not computed: it needs two bins of "
            f"{BIN} predictions."
        )
    return lines(
        table(
            pd.DataFrame(found),
            caption=f"Confidence of real networks on {grid.images} photographs (%)",
        ),
        '<p class="rb-convention"><span class="rb-label">Convention</span> The calibration error '
        f"is the root mean square over all bins of {BIN} predictions.{few} Predictions on one "
        "photograph are correlated, so intervals resample photographs and not predictions. A "
        "positive gap is overconfidence.</p>",
    )


def _corrupted(grid: Grid, model: str) -> tuple[Predictions, ...]:
    return tuple(cell[0] for key, cell in grid.cells.items() if key[0] == model)


def _calibrated(
    network: str, words: str, said: Sequence[Predictions], samples: int
) -> dict[str, object]:
    sure = np.concatenate([one.confidence for one in said]).astype(np.float64)
    right = np.concatenate([one.correct for one in said])
    photographs = [name for one in said for name in one.ids]
    rng = partial(seeds.generator, "photographs", network, words)

    def gap(chosen: np.ndarray) -> float:
        return float(sure[chosen].mean() - right[chosen].mean())

    every = np.arange(len(sure))
    ends = bootstrap(gap, len(sure), rng=rng(), samples=samples, together=photographs)
    error = None
    if len(sure) >= 2 * BIN:
        interval = rms_calibration_error_interval(
            sure, right, "all-bins", BIN, rng=rng(), samples=samples, together=photographs
        )
        value = rms_calibration_error(sure, right, "all-bins", BIN)
        error = Cell(100 * value, *(100 * end for end in interval))
    return {
        "Network": network,
        "Photographs": words,
        "Predictions": str(len(sure)),
        "Correct": 100 * float(right.mean()),
        "Mean confidence": 100 * float(sure.mean()),
        "Gap (points)": Cell(100 * gap(every), *(100 * end for end in ends)),
        "Calibration error": error,
    }


def attribution(page: Page) -> Html:
    """Return integrated gradients of a real network's prediction on the open photographs."""
    run = begun(page, ("gaussian_noise",))
    if isinstance(run, Html):
        return run
    name, (model, *_) = next(iter(run.models.items()))
    images = run.image_set(OPEN)
    drawn, captions, errors = [], [], []
    for one in EXPLAINED:
        picture = images.read(images.ids.index(one), BENCHMARK)
        image = to_images(picture[None])[0]
        label, found = attributed(model, image)
        drawn.append(over(picture, found.heat[0].astype(np.float64), times=1))
        errors.append(float(found.error[0]))
        captions.append(images.class_names[label].replace("_", " "))
    title = network_title(name)
    return page.figure(
        "fig-photographs-heat",
        image_grids.grid(drawn, captions, columns=len(drawn), size=2.1),
        caption=f"Red pixels raise {title}'s logit for the class that it predicts; blue pixels "
        "lower this logit. The sums deviate from the change in the logit by "
        f"at most {100 * max(errors):.0f} %. {CREDITS}.",
        alt=f"{len(drawn)} grey photographs under heat maps: {', '.join(captions)}.",
        description=f"{len(drawn)} photographs out of packages, public weights",
    )


def attributed(model: Classifier, image: torch.Tensor) -> tuple[int, Attribution]:
    """Return the class that a network predicts, and the contribution of each pixel to its logit.

    Args:
        image: (3, h, w) in [0, 1].

    Raises:
        InputError: the network is not a PyTorch module, so it has no gradients.
    """
    if not isinstance(model, TorchClassifier):
        raise InputError(one_of("a kind of network", type(model).__name__, ["TorchClassifier"]))
    mean, std = (image.new_tensor(one).view(1, 3, 1, 1) for one in (model.mean, model.std))
    module = model.module

    def logits(pictures: torch.Tensor) -> torch.Tensor:
        answer: torch.Tensor = module((pictures - mean) / std)
        return answer

    with torch.no_grad():
        label = int(logits(image[None]).argmax())
    return label, within(
        lambda pictures: logits(pictures)[:, [label]], image, steps=STEPS, most=MOST
    )
