"""CIFAR-100: some subtypes of each broad class are held out for the test [inc, app. E]."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from robust_book.chapters.learning import trained
from robust_book.chapters.view import cell
from robust_book.figures import image_grids
from robust_book.figures.curves import by_count
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.config.manifests import load_model
from robust_lib.config.profiles import Profile
from robust_lib.datasets.icons50 import Icons50
from robust_lib.errors import InputError
from robust_lib.protocols import cifar_100_subtypes as protocol
from robust_lib.protocols.cifar_100_subtypes import ByNumber, Unseen
from robust_lib.results.estimate import Estimate, difference
from robust_lib.results.interval import PercentInterval
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, percent
from robust_lib.results.notation import listed, with_interval
from robust_lib.results.reported import printed
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run import image_kinds, image_sets
from robust_lib.run.chapter import Chapter, is_trained_here
from robust_lib.run.experiments import as_list
from robust_lib.run.network import Network, network_title
from robust_lib.run.run import Run

ROLE, TRAINED_ON = "cifar100_test", "cifar100_train"
COLUMNS = {"seen": "Seen subtypes", "unseen": "Held-out subtypes"}
SHOWN = 8  # classes
EACH = 2  # pictures of each


def record(notebook: str, also: tuple[Chapter, ...] = ()) -> Chapter:
    """Return the record of a chapter that evaluates networks on held-out subtypes."""
    return Chapter(
        notebook,
        networks="cifar100",
        role=ROLE,
        variants=per_number,
        every_image=True,
        description="{title}: {images} images of {classes} broad classes, {seeds}",
        also=also,
    )


def per_number(
    models: Sequence[str], profile: Profile, corruptions: Sequence[str] = ()
) -> tuple[Network, ...]:
    """Return each model, trained without one, two, three and four subtypes of each class.

    >>> from robust_lib.config.profiles import load_profile
    >>> [str(one) for one in per_number(["net"], load_profile("mini"))][:2]
    ['net@some_a_class:1', 'net@some_a_class:2']
    """
    return tuple(
        Network(model, hold_out=protocol.hold_out(number))
        for model in models
        for number in protocol.NUMBERS
    )


def settings(run: Run, held_out: object = None) -> tuple[int, ...]:
    """Return the number of held-out subtypes of each class, one number per setting.

    Args:
        held_out: the numbers, or a list as text; None: all that leave a subtype for training.

    Raises:
        InputError: no number is given, one leaves no subtype on one side, or a network of the run
            is not trained on these classes' training images.
    """
    for network in run.networks:
        if not is_trained_here(network) or load_model(network.model).trained_on != TRAINED_ON:
            raise InputError(
                f"Expected a network that is trained here on {run.profile.data[TRAINED_ON]}, so "
                f"that subtypes can be held out of its training, but got {network.model}. Use one "
                f"whose row in data_manifests/models has a recipe and `trained_on: {TRAINED_ON}`, "
                f"such as {next(iter(run.paper_names.values()))}."
            )
    subtypes = min(map(len, protocol.by_class(pictures(run).icons).values()))
    possible = [number for number in protocol.NUMBERS if number < subtypes]
    given = possible if held_out is None else as_list(held_out)
    asked = list(given) if isinstance(given, list | tuple) else [given]
    wanted = tuple(one for one in asked if type(one) is int and one in possible)
    if not asked or len(wanted) < len(asked):
        raise InputError(
            "Expected numbers of subtypes to hold out of each class, each from 1 to "
            f"{possible[-1]}, because each class of {run.images.name} has {subtypes}, but got "
            f"{held_out!r}. Pass a list, such as '[1, 2]', or omit it for all."
        )
    return tuple(dict.fromkeys(wanted))


def pictures(run: Run) -> Icons50:
    """Return the test images with their subtypes."""
    return image_kinds.as_icons(run.images)


def unseen(run: Run, settings: Sequence[int]) -> dict[int, np.ndarray]:
    """Return setting -> mask of the test images of held-out subtypes."""
    places = {
        number: image_sets.held_out(run.images, protocol.hold_out(number)).test
        for number in settings
    }
    return {number: np.isin(np.arange(len(run.images)), test) for number, test in places.items()}


def networks(run: Run, settings: Sequence[int]) -> list[Network]:
    """Return the run's networks for some settings."""
    wanted = [protocol.hold_out(number) for number in settings]
    return [network for network in run.networks if network.hold_out in wanted]


def predictions(run: Run, settings: Sequence[int]) -> ByNumber:
    """Return the predictions of each setting's networks on all test images."""
    by_setting = {}
    for number in settings:
        found = run.predict(run.images, networks=networks(run, [number])).predictions
        by_setting[number] = {Network.read(name).model: seeds for name, seeds in found.items()}
    return by_setting


def training(page: Page, settings: Sequence[int]) -> Html:
    """Return the training curves of the networks of each setting.

    >>> texts(training(page, [1]), "text")[-1:]
    ['Wide ResNet-like']
    """
    curves = page.run.training_curves(networks(page.run, settings))
    return trained(page, curves, of="training images")


def errors(page: Page, results: Results) -> Html:
    """Return the errors on seen and on held-out subtypes, by setting and on average."""
    dataset = page.run.images.name
    drawn = error_lines(results, dataset)
    return page.item(
        protocol.ITEM,
        results,
        figure=by_count(
            drawn,
            xlabel="subtypes held out of each class",
            ylabel="error (%)",
            means={f"the paper's mean, {side}": value for side, value in paper_means().items()},
        ),
        table=table(
            errors_frame(results, dataset),
            caption=(
                "Error (%) on the broad class, with its interval, by number of held-out subtypes"
            ),
        ),
        alt="Error against the number of held-out subtypes: "
        + "; ".join(
            f"{name} from {values[min(values)][0]:.0f} to {values[max(values)][0]:.0f} %"
            for name, values in drawn.items()
        )
        + ".",
        convention="Test images only; the subtypes of each class are held out in a random "
        f"order, the same in all settings. {page.run.interval_words}; means over "
        "settings are resampled over the test images.",
        stand_ins=protocol.stand_ins(dataset),
    )


def by_class(page: Page, predictions: ByNumber, unseen: Unseen) -> Html:
    """Return the table of the first network's errors by class."""
    return table(
        classes_frame(pictures(page.run), predictions, unseen),
        caption="Error (%) of the first network by class, over all settings together, and the most "
        "frequent wrong prediction for held-out subtypes",
    )


def worst(page: Page, predictions: ByNumber, unseen: Unseen) -> Html:
    """Return images of each class's held-out subtype that is misclassified most."""
    icons = pictures(page.run)
    frame = subtypes_frame(icons, predictions, unseen).drop_duplicates("Class").head(SHOWN)
    places: list[int] = []
    captions: list[str] = []
    for row in frame.to_dict("records"):
        found = [
            place
            for place, icon in enumerate(icons.icons)
            if (icon.motif.replace("_", " "), icons.names([place])[0])
            == (row["Subtype"], row["Class"])
        ][:EACH]
        taken = f", not {row['Taken for']}" if row["Taken for"] else ""
        places += found
        captions += [f"{row['Subtype']}:\n{row['Class']}{taken}"] * len(found)
    return page.figure(
        "fig-subtypes",
        image_grids.grid(icons.pictures(places), captions, columns=8, size=0.87),
        caption="The held-out subtypes that the network misclassifies most often, at most one per "
        "class, with their names and predictions.",
        alt=f"Images of held-out subtypes: {listed(list(frame['Subtype']))}.",
    )


def by_subtype(page: Page, predictions: ByNumber, unseen: Unseen) -> Html:
    """Return the table of all subtypes that any setting holds out."""
    return table(
        subtypes_frame(pictures(page.run), predictions, unseen),
        caption="Held-out subtypes of each setting, and the first network's error (%) on them; "
        "each image has one prediction per setting",
        decimals={"Predictions": 0},
    )


def error_lines(results: Results, dataset: str) -> dict[str, dict[int, PercentInterval]]:
    """Return title of a line -> number of held-out subtypes -> error."""
    models = dict.fromkeys(
        str(row.model) for row in results.select(item=protocol.ITEM, metric="error").rows
    )
    found: dict[str, dict[int, PercentInterval]] = {}
    for model in models:
        whose = f"{network_title(model)}, " if len(models) > 1 else ""
        for side, part in protocol.parts(dataset).items():
            rows = results.select(
                item=protocol.ITEM, metric="error", model=model, dataset=part
            ).rows
            found[f"{whose}{COLUMNS[side].lower()}"] = {
                row.severity: row.percent for row in rows if row.severity is not None
            }
    return found


def paper_means() -> dict[str, float]:
    """Return title of a side -> the paper's error, the mean over its four settings, in percent."""
    found = {}
    for side, part in protocol.parts(protocol.PAPER).items():
        (row,) = printed(protocol.ITEM, metric="error", dataset=part)
        found[COLUMNS[side].lower()] = row.percent
    return found


def errors_frame(results: Results, dataset: str) -> pd.DataFrame:
    """Return one row per network and setting, the means last: error in percent on both sides.

    If there is a single network, the rows do not contain its name.
    """
    rows: dict[tuple[str, int | None], dict[str, object]] = {}
    for side, part in protocol.parts(dataset).items():
        for row in results.select(item=protocol.ITEM, metric="error", dataset=part).rows:
            held = "mean" if row.severity is None else str(row.severity)
            named = {"Network": network_title(str(row.model)), "Held out": held}
            found = rows.setdefault((str(row.model), row.severity), dict(named))
            found |= {COLUMNS[side]: cell(row), f"Images, {side}": row.n}
    frame = pd.DataFrame(list(rows.values()))
    return frame if frame["Network"].nunique() > 1 else frame.drop(columns="Network")


def classes_frame(icons: Icons50, predictions: ByNumber, unseen: Unseen) -> pd.DataFrame:
    """Return one row per class: the first network's error in percent, pooled over all settings."""
    names = icons.class_names
    mistakes = [
        _mistakes(icons, predictions, unseen, np.flatnonzero(icons.labels == label).tolist())
        for label in dict.fromkeys(icons.labels.tolist())
    ]
    rows = [
        {
            "Class": names[one.label],
            COLUMNS["seen"]: _percent(one.seen),
            COLUMNS["unseen"]: _percent(one.unseen),
            "Held out, predicted as": one.taken_for(names),
        }
        for one in mistakes
    ]
    return pd.DataFrame(rows).sort_values(COLUMNS["unseen"], ascending=False, kind="stable")


def subtypes_frame(icons: Icons50, predictions: ByNumber, unseen: Unseen) -> pd.DataFrame:
    """Return one row per subtype that any setting holds out, those with the most mistakes first.

    Only the first network and its first seed count.
    """
    names = icons.class_names
    groups: dict[tuple[int, str], list[int]] = {}
    for place, icon in enumerate(icons.icons):
        groups.setdefault((icon.label, icon.motif), []).append(place)
    rows = []
    for (label, subtype), places in groups.items():
        one = _mistakes(icons, predictions, unseen, places)
        if one.unseen:
            held_out = [str(number) for number in predictions if unseen[number][places[0]]]
            rows.append(
                {
                    "Class": names[label],
                    "Subtype": subtype.replace("_", " "),
                    "Held out with": ", ".join(held_out),
                    "Predictions": len(one.unseen),
                    "Error": _percent(one.unseen),
                    "Taken for": one.taken_for(names),
                }
            )
    frame = pd.DataFrame(rows)
    order = frame.assign(missed=frame["Error"] * frame["Predictions"])
    order = order.sort_values(["missed", "Error"], ascending=False, kind="stable")
    return order.drop(columns="missed").reset_index(drop=True)


@dataclass(frozen=True)
class _Mistakes:
    """The first network's mistakes on some images of one class, in all settings.

    Attributes:
        label: class of the images.
        seen, unseen: whether each prediction was wrong, in settings that keep or hold out an image.
        taken: wrongly predicted classes of held-out images.
    """

    label: int
    seen: tuple[bool, ...]
    unseen: tuple[bool, ...]
    taken: Counter[int]

    def taken_for(self, names: Sequence[str]) -> str:
        """Return the most frequent wrongly predicted class; an empty text if there is none."""
        return names[self.taken.most_common(1)[0][0]] if self.taken else ""


def _mistakes(
    icons: Icons50, predictions: ByNumber, unseen: Unseen, places: Sequence[int]
) -> _Mistakes:
    wrong_seen: list[bool] = []
    wrong_unseen: list[bool] = []
    taken: Counter[int] = Counter()
    for number, by_network in predictions.items():
        first = next(iter(by_network.values()))[0]
        for place in places:
            wrong = not first.correct[place]
            (wrong_unseen if unseen[number][place] else wrong_seen).append(wrong)
            if wrong and unseen[number][place]:
                taken[int(first.predicted[place])] += 1
    return _Mistakes(int(icons.labels[places[0]]), tuple(wrong_seen), tuple(wrong_unseen), taken)


def _percent(wrong: Sequence[bool]) -> float | None:
    return 100 * float(np.mean(wrong)) if wrong else None


def key_numbers(results: Results, dataset: str) -> dict[str, KeyNumber]:
    """Return the numbers in the prose, on the first network.

    >>> rows = protocol.results(*toys.subtypes(seen_wrong=1, unseen_wrong=3), "toys", samples=20)
    >>> numbers = key_numbers(rows, "toys")
    >>> [numbers[key].text for key in ("network", "seen", "unseen", "fewest", "most")]
    ['Wide ResNet-like', '10.0 %', '72.5 %', '70.0 %', '75.0 %']
    """
    seen, unseen = protocol.parts(dataset).values()
    rows = results.select(item=protocol.ITEM, metric="error")
    model = str(rows.rows[0].model)
    means = [rows.row(model=model, dataset=part, severity=None) for part in (seen, unseen)]
    by_setting = [
        row for row in rows.select(model=model, dataset=unseen).rows if row.severity is not None
    ]
    gap = difference(*(_estimate(row) for row in reversed(means)))
    low, high = (None if end is None else 100 * end for end in (gap.low, gap.high))
    return {
        "network": KeyNumber(network_title(model), model),
        "seen": percent(means[0]),
        "unseen": percent(means[1]),
        "gap": KeyNumber(
            f"{with_interval(100 * gap.value, low, high)} points",
            gap.value,
            "mean error on held-out subtypes minus that on seen ones; paired interval",
            gap.n,
        ),
        "fewest": percent(by_setting[0]) if by_setting else NOT_MEASURED,
        "most": percent(by_setting[-1]) if by_setting else NOT_MEASURED,
    }


def _estimate(row: Row) -> Estimate:
    n, n_full = row.n or 0, row.n_full or 0
    return Estimate(
        value=row.value, low=row.low, high=row.high, n=n, n_full=n_full, draws=row.draws
    )
