"""Calibration on ImageNet-A: whether networks know when they are wrong [nae, app. D]."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from jaxtyping import Bool

from robust_book.chapters.nae import pairs_figure
from robust_book.chapters.view import Names, cell, cell_of, percents
from robust_book.figures import calibration as diagrams
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.protocols.nae import calibration
from robust_lib.protocols.nae.networks import ATTENTION, is_paired
from robust_lib.results.estimate import Estimate
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, percent
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
    """Return Figure 13: accuracy against response rate."""
    networks = looked_at(imagenet_a, page.run.paper_names)
    return page.item(
        "nae-fig13",
        results,
        figure=diagrams.response_rate(
            titled(calibration.curves(imagenet_a, networks)), titled(response_intervals(results))
        ),
        table=table(
            response_frame(results),
            caption="Accuracy (%) on the surest tenth, on the surer half, and on all, with its "
            "interval",
        ),
        alt=f"Accuracy against response rate of {listed([*map(network_title, networks)])}.",
        convention="Surest first by the largest probability, ties in the data's order; "
        f"{imagenet_a.convention}; n = {imagenet_a.n}; {page.run.interval_words}.",
    )


def attention(page: Page, results: Results, imagenet_a: MaskedPredictions) -> Html:
    """Return Figure 14: calibration without and with squeeze-and-excitation."""
    return _calibration_errors(
        page,
        results,
        imagenet_a,
        "nae-fig14",
        words=("without", "with squeeze-and-excitation"),
        alt="Calibration error and AURRA of two networks with and without squeeze-and-excitation.",
    )


def size(page: Page, results: Results, imagenet_a: MaskedPredictions) -> Html:
    """Return Figure 15: calibration of smaller and larger networks.

    >>> imagenet_a = toys.masked("hard", {"resnet18_mini": 60}, images=300)
    >>> rows = calibration.results(imagenet_a, run.paper_names, samples=20)
    >>> texts(size(page, rows, imagenet_a), "text")[:3]  # no other size of it
    ['calibration error (%)', 'lower is better', 'not asked in this run']
    """
    return _calibration_errors(
        page,
        results,
        imagenet_a,
        "nae-fig15",
        words=("smaller", "larger"),
        alt="Calibration error and AURRA of a smaller and a larger network of three families.",
    )


def _calibration_errors(
    page: Page,
    results: Results,
    imagenet_a: MaskedPredictions,
    item: str,
    *,
    words: tuple[str, str],
    alt: str,
) -> Html:
    metrics = {"calibration error": "rms_calibration_error", "AURRA": "aurra"}
    panels = {title: (metric, imagenet_a.dataset) for title, metric in metrics.items()}
    return page.item(
        item,
        results,
        figure=pairs_figure(page, results, item, panels, words=words, better=("lower", "higher")),
        table=table(
            calibration_frame(results, item),
            caption="Calibration error (%), the authors' and with all bins, and AURRA (%), with "
            "their intervals",
        ),
        alt=alt,
        convention=f"Calibration error: bins of 100, the last left out; {imagenet_a.convention}; "
        f"{page.run.interval_words}. What resampling adds to a calibration error is taken off the "
        "ends of its interval, not off the value.",
    )


def reliability(page: Page, imagenet_a: MaskedPredictions, networks: Sequence[str]) -> Html:
    """Return accuracy against confidence on ImageNet-A.

    Args:
        networks: whose; of `looked_at`.
    """
    return page.figure(
        "fig-reliability",
        diagrams.reliability_diagrams(titled(calibration.diagrams(imagenet_a, networks))),
        caption="On hard pictures. A network that knows what it knows lies on the diagonal; below "
        "it, a network is surer than it is right.",
        alt=f"Accuracy against confidence on the hard pictures: {_bins(imagenet_a, networks)}.",
    )


def on_ordinary(run: Run, networks: Sequence[str]) -> MaskedPredictions | None:
    """Return what networks say of ordinary pictures of the same classes; None: there are none.

    >>> on_ordinary(replace(run, profile=run.profile.model_copy(update={"data": {}})), ["mine"])
    """
    return run.predict(ORDINARY, networks=networks) if is_there(run.profile, ORDINARY) else None


def ordinary_reliability(
    page: Page, imagenet_val: MaskedPredictions | None, networks: Sequence[str]
) -> Html:
    """Return accuracy against confidence on ordinary pictures of the same classes.

    Args:
        imagenet_val: None: there are no such pictures, and that is said.
        networks: whose; of `looked_at`.

    >>> texts(ordinary_reliability(page, None, ["mine"]), "p")
    ['Left out, since they are not there: ordinary pictures of the same classes (imagenet_val_a).']
    """
    if imagenet_val is None:
        return Html(
            '<p class="rb-convention">Left out, since they are not there: ordinary pictures of the '
            f"same classes ({ORDINARY}).</p>"
        )
    return page.figure(
        "fig-reliability-ordinary",
        diagrams.reliability_diagrams(titled(calibration.diagrams(imagenet_val, networks))),
        caption="The same networks on ordinary pictures of the same classes.",
        alt=f"Accuracy against confidence on ordinary pictures: {_bins(imagenet_val, networks)}.",
        description=page.run.described(ORDINARY),
    )


def _bins(masked: MaskedPredictions, networks: Sequence[str]) -> str:
    """Return how right each network is in its least and in its most confident bin, in words."""
    told = []
    for name, found in calibration.diagrams(masked, networks).items():
        there = np.flatnonzero(found.count)
        if len(there):
            first, last = (
                f"{100 * found.accuracy[bin]:.0f} % at {100 * found.confidence[bin]:.0f} %"
                for bin in (there[0], there[-1])
            )
            told.append(f"{network_title(name)} is right in {first} confidence and in {last}")
    return "; ".join(told)


def looked_at(masked: MaskedPredictions, names: Names) -> tuple[str, ...]:
    """Return the first pair, without and with attention, and the networks that no pair holds.

    If there are neither, it is the first network.

    Args:
        masked: predictions of the networks that there are.
    """
    known = masked.predictions
    return calibration.shown(ATTENTION[:1], names, known) or tuple(known)[:1]


def response_intervals(results: Results) -> dict[str, dict[float, tuple[float, float]]]:
    """Return network -> response rate -> the ends of the accuracy's interval, fractions."""
    found: dict[str, dict[float, tuple[float, float]]] = {}
    for row in results.select(item="nae-fig13").rows:
        if row.k is not None and row.low is not None and row.high is not None:
            found.setdefault(str(row.model), {})[row.k / 100] = (row.low, row.high)
    return found


def response_frame(results: Results) -> pd.DataFrame:
    """Return accuracy (%) by network and response rate."""
    rows = results.select(item="nae-fig13").rows
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
    """Return the numbers that the prose names, ready for the `{result}` role."""
    metrics = {
        "error": "rms_calibration_error",
        "error_all": "rms_calibration_error_all_bins",
        "aurra": "aurra",
        "at_ten": "response_rate_accuracy",
    }
    numbers = {
        key: percent(results.first(model=network, metric=name), missing="an undefined share")
        for key, name in metrics.items()
    }
    numbers["network"] = KeyNumber(network_title(network), value=network)
    numbers |= accuracies(hard, network, "hard")
    numbers |= accuracies(ordinary, network, "ordinary")
    return numbers | {"outcome": outcome(numbers)}


def accuracies(masked: MaskedPredictions | None, network: str, key: str) -> dict[str, KeyNumber]:
    """Return how right a network is where it is surest and where it is least sure, for the prose.

    Args:
        masked: None: it was not asked.
        key: begins the names of the numbers.

    >>> numbers = accuracies(toys.masked("hard", {"mine": 10}), "mine", "hard")
    >>> numbers["hard_surest"].text, numbers["hard_surest"].n, numbers["hard_confidence"].text
    ('100.0 % [69.2, 100.0]', 10, '81.7 %')
    """
    if masked is None:
        return {f"{key}_{name}": NOT_MEASURED for name in ("surest", "least_sure", "confidence")}
    by_seed = masked.predictions[network]
    ranked = [one.correct[one.by_confidence] for one in by_seed]
    size = max(1, len(ranked[0]) // 3)
    words = f"of {network_title(network)} on {masked.dataset}; means over seeds"
    sure = float(np.mean([one.confidence.mean() for one in by_seed]))
    thirds = {
        "surest": ("surest", [right[:size] for right in ranked]),
        "least_sure": ("least sure", [right[-size:] for right in ranked]),
    }
    found = {
        f"{key}_{name}": _third(right, f"accuracy on the third that it is {how} of, {words}")
        for name, (how, right) in thirds.items()
    }
    confidence = KeyNumber(f"{100 * sure:.1f} %", sure, f"mean confidence {words}", len(ranked[0]))
    return {**found, f"{key}_confidence": confidence}


def _third(by_seed: Sequence[Bool[np.ndarray, " images"]], words: str) -> KeyNumber:
    rate = Estimate.of_rate(by_seed)
    low, high = (None if end is None else 100 * end for end in (rate.low, rate.high))
    text = with_interval(100 * rate.value, low, high, sign=" %")
    kind = "exact interval" if len(by_seed) == 1 else "from the least to the greatest seed"
    return KeyNumber(text, rate.value, f"{words}; {kind}", rate.n)


def outcome(numbers: Mapping[str, KeyNumber]) -> KeyNumber:
    """Return whether confidence says less of hard pictures than of ordinary ones, in words.

    >>> values = {"hard_surest": 0.2, "hard_least_sure": 0.1, "ordinary_surest": 0.9,
    ...     "ordinary_least_sure": 0.4}
    >>> outcome({key: KeyNumber("", value) for key, value in values.items()}).text[:69]
    'confidence says less of hard pictures (10 points between the thirds) '
    """
    if NOT_MEASURED in numbers.values():
        return KeyNumber("hard pictures alone were shown, so nothing is compared")
    hard, ordinary = (
        100
        * (
            float(numbers[f"{key}_surest"].value or 0)
            - float(numbers[f"{key}_least_sure"].value or 0)
        )
        for key in ("hard", "ordinary")
    )
    order = "less of" if hard < ordinary else "no less of"
    text = (
        f"confidence says {order} hard pictures ({hard:.0f} points between the thirds) than of "
        f"ordinary ones ({ordinary:.0f})"
    )
    words = "accuracy on the surest third less that on the least sure third; no interval"
    return KeyNumber(text, (hard - ordinary) / 100, words)
