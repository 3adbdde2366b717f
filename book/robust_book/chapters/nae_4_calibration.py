"""Calibration on ImageNet-A: are wrong predictions less confident? [nae, app. D]."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from robust_book.chapters.nae import absent, gains, pairs_figure
from robust_book.chapters.view import Names, cell, cell_of, percents
from robust_book.figures import calibration as diagrams
from robust_book.figures.dot_plots import words
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.protocols.nae import calibration
from robust_lib.protocols.nae.networks import ATTENTION, is_paired
from robust_lib.results.estimate import SEEDS, Estimate, difference
from robust_lib.results.interval import PercentInterval
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, paired_points, percent
from robust_lib.results.notation import listed, with_interval
from robust_lib.results.table import Results
from robust_lib.run.network import network_title, titled
from robust_lib.run.papers import nae
from robust_lib.run.roles import is_there
from robust_lib.run.run import Run

ORDINARY = "imagenet_val_a"
"""Shown to one pair alone, by the notebook itself, if they are there."""

CHAPTER = replace(
    nae.record("nae_4_calibration", nae.IMAGENET_A, evaluates=is_paired), if_there=(ORDINARY,)
)


def response_rates(page: Page, results: Results, imagenet_a: MaskedPredictions) -> Html:
    """Return Figure 13: accuracy by response rate."""
    networks = looked_at(imagenet_a, page.run.paper_names)
    return page.item(
        "nae-fig13",
        results,
        figure=diagrams.response_rate(titled(response_curves(results))),
        table=table(
            response_frame(results),
            caption="Accuracy (%) on the most confident tenth, on the more confident half, and on "
            "all images, with its interval",
        ),
        alt=f"Accuracy against response rate of {listed([*map(network_title, networks)])}.",
        convention="Ordered by the largest probability, most confident first, ties in the data's "
        f"order; {imagenet_a.convention}; n = {imagenet_a.n}; {page.run.interval_words}.",
    )


def attention(page: Page, results: Results, imagenet_a: MaskedPredictions) -> Html:
    """Return Figure 14: the effect of squeeze-and-excitation on calibration."""
    return _calibration_errors(
        page,
        results,
        imagenet_a,
        "nae-fig14",
        xlabel="with attention minus without",
        alt="Calibration error and AURRA with squeeze-and-excitation, minus those without it",
    )


def size(page: Page, results: Results, imagenet_a: MaskedPredictions) -> Html:
    """Return Figure 15: calibration of larger networks minus that of smaller ones.

    >>> imagenet_a = toys.masked("hard", {"resnet18_mini": 60}, images=300)
    >>> rows = calibration.results(imagenet_a, run.paper_names, samples=20)
    >>> block = str(size(page, rows, imagenet_a))  # no other size of it
    >>> "This run has no pair of these networks." in block, "<svg" in block
    (True, False)
    """
    return _calibration_errors(
        page,
        results,
        imagenet_a,
        "nae-fig15",
        xlabel="larger minus smaller",
        alt="Calibration error and AURRA of the larger network minus those of the smaller one, in "
        "three families",
    )


def _calibration_errors(
    page: Page,
    results: Results,
    imagenet_a: MaskedPredictions,
    item: str,
    *,
    xlabel: str,
    alt: str,
) -> Html:
    metrics = {"calibration error": "rms_calibration_error_change", "AURRA": "aurra_change"}
    panels = {title: (metric, imagenet_a.dataset) for title, metric in metrics.items()}
    names, frame = page.run.paper_names, calibration_frame(results, item)
    found = gains(results, item, panels, names)
    shown = {title: {"": dots} for title, dots in found.items() if dots}
    return page.item(
        item,
        results,
        figure=pairs_figure(page, results, item, panels, xlabel=xlabel, better=("lower", "higher")),
        table=table(
            frame,
            caption="Calibration error (%), in the authors' variant and with all bins, and AURRA "
            "(%), with their intervals",
        )
        if len(frame)
        else None,
        alt=f"{alt}: {words(shown, ' points') or 'no pair'}.",
        convention=f"{absent(results, item, panels, names)}Calibration error: bins of 100 "
        f"images, the last bin omitted; {imagenet_a.convention}; {page.run.interval_words}. "
        "The bias that resampling adds to a calibration error is subtracted from "
        "the ends of its interval, not from the value. Intervals of differences are paired: both "
        "networks are evaluated on the same resampled images.",
    )


def on_ordinary(run: Run, networks: Sequence[str]) -> MaskedPredictions | None:
    """Return predictions for ordinary images of the same classes; None without such images.

    >>> on_ordinary(replace(run, profile=run.profile.model_copy(update={"data": {}})), ["mine"])
    """
    return run.predict(ORDINARY, networks=networks) if is_there(run.profile, ORDINARY) else None


def reliability(
    page: Page,
    imagenet_a: MaskedPredictions,
    imagenet_val: MaskedPredictions | None,
    networks: Sequence[str],
) -> Html:
    """Return reliability diagrams for ImageNet-A and for ordinary images of its classes.

    Args:
        imagenet_val: predictions for the ordinary images; None if there are none, which the caption
            states.
        networks: names of the networks shown, from `looked_at`.

    >>> hard = toys.masked("hard", {"mine": 3})
    >>> told = texts(reliability(page, hard, None, ["mine"]), "figcaption")[0]
    >>> told[told.index("Left out") : told.index(" PNG")]
    'Left out, because they are not available: ordinary images of the same classes (imagenet...'
    """
    sets = {"hard": imagenet_a} | ({} if imagenet_val is None else {"ordinary": imagenet_val})
    found = {name: calibration.diagrams(masked, networks) for name, masked in sets.items()}
    absent = (
        " Left out, because they are not available: ordinary images of the same classes "
        f"({ORDINARY})."
    )
    return page.figure(
        "fig-reliability",
        diagrams.reliability_diagrams(
            {
                network_title(network): {name: found[name][network] for name in sets}
                for network in networks
            }
        ),
        caption="Accuracy against confidence. On the diagonal a network is as accurate as it is "
        "confident; below it, it is overconfident. A dot is a bin of confidence, and its area "
        "shows the number of images in it; lines are 95 % intervals for that number of images "
        "(Clopper-Pearson)." + absent * (imagenet_val is None),
        alt="Accuracy against confidence: "
        + "; ".join(f"on {name} images {_bins(masked, networks)}" for name, masked in sets.items())
        + ".",
        description=page.run.described(
            page.run.chapter.role, *([] if imagenet_val is None else [ORDINARY])
        ),
    )


def _bins(masked: MaskedPredictions, networks: Sequence[str]) -> str:
    """Return a text on each network's accuracy in its least and its most confident bin."""
    told = []
    for name, found in calibration.diagrams(masked, networks).items():
        there = np.flatnonzero(found.count)
        if len(there):
            first, last = (
                f"{100 * found.accuracy[bin]:.0f} % at {100 * found.confidence[bin]:.0f} %"
                for bin in (there[0], there[-1])
            )
            told.append(
                f"{network_title(name)} has an accuracy of {first} confidence and of {last}"
            )
    return "; ".join(told)


def looked_at(masked: MaskedPredictions, names: Names) -> tuple[str, ...]:
    """Return the first pair, without and with attention, and the networks outside all pairs.

    If there are neither, the first network is returned.

    Args:
        masked: predictions of the available networks.
    """
    known = masked.predictions
    return calibration.shown(ATTENTION[:1], names, known) or tuple(known)[:1]


def response_curves(results: Results) -> dict[str, dict[int, PercentInterval]]:
    """Return network -> response rate, percent -> (accuracy, low, high), percent."""
    found: dict[str, dict[int, PercentInterval]] = {}
    for row in results.select(item="nae-fig13").rows:
        found.setdefault(str(row.model), {})[int(row.k or 0)] = row.percent
    return found


def response_frame(results: Results) -> pd.DataFrame:
    """Return accuracy (%) by network and response rate."""
    rows = results.select(item="nae-fig13", k=calibration.ANSWERED).rows
    models = list(dict.fromkeys(str(row.model) for row in rows))
    found = {(str(row.model), row.k): cell(row) for row in rows}
    frame = pd.DataFrame({"Network": [network_title(model) for model in models]})
    for percentage in sorted({row.k for row in rows if row.k is not None}):
        frame[f"{percentage} %"] = [found[model, percentage] for model in models]
    return frame


def calibration_frame(results: Results, item: str) -> pd.DataFrame:
    """Return both calibration errors and AURRA (%) by network, each with its interval."""
    columns = {
        "Authors'": "rms_calibration_error",
        "All bins": "rms_calibration_error_all_bins",
        "AURRA": "aurra",
    }
    found = {
        title: percents(results.select(item=item, metric=name)) for title, name in columns.items()
    }
    models = list(dict.fromkeys(str(row.model) for row in results.select(item=item).rows))
    frame = pd.DataFrame({"Network": [network_title(model) for model in models]})
    for title, by_model in found.items():
        column: list[object] = [cell_of(by_model[m]) if m in by_model else np.nan for m in models]
        frame[title] = pd.Series(column, dtype=object)
    return frame


def key_numbers(
    results: Results, network: str, hard: MaskedPredictions, ordinary: MaskedPredictions | None
) -> dict[str, KeyNumber]:
    """Return the numbers in the prose, ready for the `{result}` role."""
    metrics = {
        "error": "rms_calibration_error",
        "error_all": "rms_calibration_error_all_bins",
        "aurra": "aurra",
        "at_ten": "response_rate_accuracy",
    }
    rates = results.select(item="nae-fig13", k=calibration.ANSWERED[:1])
    rows = results.select(item=["nae-fig14", "nae-fig15"]) + rates
    numbers = {
        key: percent(rows.first(model=network, metric=name), missing="an undefined share")
        for key, name in metrics.items()
    }
    numbers["network"] = KeyNumber(network_title(network), value=network)
    numbers |= accuracies(hard, network, "hard")
    numbers |= accuracies(ordinary, network, "ordinary")
    if ordinary is None:
        alone = "only hard images were evaluated, so there is no comparison"
        return numbers | {"outcome": KeyNumber(alone)}
    both = (calibration.told_apart(masked, network) for masked in (hard, ordinary))
    return numbers | {"outcome": outcome(*both)}


def accuracies(masked: MaskedPredictions | None, network: str, key: str) -> dict[str, KeyNumber]:
    """Return a network's accuracy on its most and its least confident third of the images.

    Args:
        masked: the network's predictions; None if it was not evaluated.
        key: prefix of the names of the numbers.

    >>> numbers = accuracies(toys.masked("hard", {"mine": 10}), "mine", "hard")
    >>> numbers["hard_surest"].text, numbers["hard_surest"].n, numbers["hard_confidence"].text
    ('100.0 % [69.2, 100.0]', 10, '81.7 %')
    """
    if masked is None:
        return {f"{key}_{name}": NOT_MEASURED for name in ("surest", "least_sure", "confidence")}
    by_seed = masked.predictions[network]
    images = len(by_seed[0].ids)
    size = max(1, images // 3)
    seeds = "" if len(by_seed) == 1 else "; means over seeds"
    words = f"of {network_title(network)} on {masked.dataset}{seeds}"
    sure = float(np.mean([one.confidence.mean() for one in by_seed]))
    found = {
        f"{key}_{how.replace(' ', '_')}": _with_ends(
            calibration.surest(by_seed, size, least=least),
            f"accuracy on the {how} third, {words}",
        )
        for how, least in (("surest", False), ("least sure", True))
    }
    confidence = KeyNumber(f"{100 * sure:.1f} %", sure, f"mean confidence {words}", images)
    return {**found, f"{key}_confidence": confidence}


def _with_ends(rate: Estimate, words: str) -> KeyNumber:
    low, high = (None if end is None else 100 * end for end in (rate.low, rate.high))
    text = with_interval(100 * rate.value, low, high, sign=" %")
    several = rate.draws is not None and rate.draws.of == SEEDS
    kind = "from the lowest to the highest seed" if several else "95 % interval over images"
    return KeyNumber(text, rate.value, f"{words}; {kind}", rate.n)


def outcome(hard: Estimate | None, ordinary: Estimate | None) -> KeyNumber:
    """Return a text on whether confidence is less informative on hard images than on ordinary ones.

    Args:
        hard: probability that a correct prediction is more confident than a wrong one, on hard
            images; None if unknown.
        ordinary: the same for ordinary images.

    >>> hard, ordinary = (Estimate(value=one, n=9, n_full=9) for one in (0.6, 0.9))
    >>> outcome(hard, ordinary).text[:55]
    'whether confidence is less informative on hard images t'
    """
    if hard is None or ordinary is None:
        return KeyNumber(
            "confidence cannot be judged if all predictions are right or all are wrong"
        )
    both = " and ".join(
        f"{_with_ends(one, '').text} of pairs of {name} images"
        for name, one in (("hard", hard), ("ordinary", ordinary))
    )
    apart = difference(hard, ordinary)
    gap = paired_points(apart, "").text
    if apart.low is None or apart.high is None or apart.low <= 0 <= apart.high:
        text = (
            "whether confidence is less informative on hard images than on ordinary ones is "
            "not decided"
        )
    else:
        order = "less" if apart.high < 0 else "more"
        text = f"confidence is {order} informative on hard images than on ordinary ones"
    return KeyNumber(
        (
            f"{text}: a right prediction is more confident than a wrong one in {both}, a "
            f"difference of {gap}"
        ),
        apart.value,
        (
            "AUROC with which confidence separates right from wrong predictions; intervals over "
            "images, or over clusters of correlated images"
        ),
        hard.n,
    )
