"""CIFAR-100 on the page: some subtypes of each broad class are held out, and met at the end."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from robust_lib.chapters.learning import trained
from robust_lib.chapters.tables import cell_of, printed_values
from robust_lib.config.profiles import Profile
from robust_lib.datasets.icons50 import Icons50
from robust_lib.errors import InputError
from robust_lib.figures import image_grids
from robust_lib.figures.bars import Interval
from robust_lib.figures.by_number import by_number
from robust_lib.html.markup import Html
from robust_lib.html.table import table
from robust_lib.protocols import held_out_subtypes as protocol
from robust_lib.protocols.held_out_subtypes import ITEM, ByNumber, Unseen
from robust_lib.results.notation import listed
from robust_lib.results.reported import reported
from robust_lib.results.table import Results
from robust_lib.run import image_kinds, image_sets
from robust_lib.run.chapter import Chapter
from robust_lib.run.network import Network, network_title
from robust_lib.run.page import Page
from robust_lib.run.run import Run
from robust_lib.run.start import as_list

ROLE = "cifar100_test"
COLUMNS = {"seen": "Seen subtypes", "unseen": "Held-out subtypes"}
SHOWN = 6  # held-out subtypes, the worst
EACH = 4  # pictures of each


def record(notebook: str, also: tuple[Chapter, ...] = ()) -> Chapter:
    """Return the record of a chapter that shows networks pictures of held-out subtypes.

    >>> record("inc_5_auxiliary").role
    'cifar100_test'
    """
    return Chapter(
        notebook,
        networks="cifar100",
        role=ROLE,
        variants=per_number,
        every_image=True,
        description="{title}: {images} pictures of {classes} broad classes, {seeds}",
        also=also,
    )


def per_number(
    models: Sequence[str], profile: Profile, corruptions: Sequence[str] = ()
) -> tuple[Network, ...]:
    """Return each model trained without one, two, three and four subtypes of each class.

    >>> from robust_lib.config.profiles import load_profile
    >>> [str(one) for one in per_number(["net"], load_profile("mini"))][:2]
    ['net@some_a_class:1', 'net@some_a_class:2']
    """
    return tuple(
        Network(model, hold_out=protocol.hold_out(number))
        for model in models
        for number in protocol.NUMBERS
    )


def numbers(run: Run, named: Sequence[int] | str | int | None = None) -> tuple[int, ...]:
    """Return how many subtypes are held out of each class, one number a setting.

    Args:
        run: has the pictures.
        named: the numbers, or the text of a list; None: all that leave a subtype to learn from.

    Raises:
        InputError: no number, or one that leaves no subtype on one of the sides.

    >>> numbers(run), numbers(run, [2])
    ((1, 2), (2,))
    """
    subtypes = min(map(len, protocol.by_class(pictures(run).icons).values()))
    possible = [number for number in protocol.NUMBERS if number < subtypes]
    given = possible if named is None else as_list(named)
    wanted = [given] if isinstance(given, int | str) else list(given)
    if not wanted or any(type(one) is not int or one not in possible for one in wanted):
        raise InputError(
            f"Expected numbers of subtypes to hold out of each class, each from 1 to "
            f"{possible[-1]}, for each class of {run.images.name} has {subtypes}, but got "
            f"{named!r}. Name some, such as '[1, 2]', or none for all."
        )
    return tuple(dict.fromkeys(wanted))


def pictures(run: Run) -> Icons50:
    """Return the test pictures, each with its subtype.

    >>> pictures(run).icons[0].subtype
    'duck'
    """
    return image_kinds.as_icons(run.images)


def unseen(run: Run, held_out: Sequence[int]) -> dict[int, np.ndarray]:
    """Return which test pictures each setting holds out.

    >>> {number: int(mask.sum()) for number, mask in unseen(run, [1, 2]).items()}
    {1: 10, 2: 20}
    """
    places = {one: image_sets.held_out(run.images, protocol.hold_out(one)).test for one in held_out}
    return {one: np.isin(np.arange(len(run.images)), found) for one, found in places.items()}


def networks(run: Run, held_out: Sequence[int]) -> list[Network]:
    """Return the run's networks of some settings.

    >>> [str(one) for one in networks(run, [2])]
    ['wrn40_2_mini@some_a_class:2']
    """
    wanted = [protocol.hold_out(one) for one in held_out]
    return [one for one in run.networks if one.hold_out in wanted]


def predictions(run: Run, held_out: Sequence[int]) -> ByNumber:
    """Return what networks that were trained in each setting say of all test pictures.

    >>> {number: list(found) for number, found in predictions(run, [1]).items()}
    {1: ['wrn40_2_mini']}
    """
    found = {}
    for one in held_out:
        said = run.predict(run.images, networks=networks(run, [one])).predictions
        found[one] = {Network.read(name).model: by_seed for name, by_seed in said.items()}
    return found


def training(page: Page, held_out: Sequence[int]) -> Html:
    """Return how the networks of each setting learned.

    >>> texts(training(page, [1]), "text")[-2:]
    ['Wide ResNet-like', 'toys']
    """
    curves = page.run.training_curves(networks(page.run, held_out))
    return trained(page, curves, of="training pictures")


def errors(page: Page, results: Results) -> Html:
    """Return the errors on seen and on held-out subtypes, by setting and on average.

    >>> said, held = toys.subtypes(seen_wrong=1, unseen_wrong=3)
    >>> rows = protocol.results(said, held, run.images.name, samples=20)
    >>> texts(errors(page, rows), "td")[:3]  # of one subtype held out
    ['Wide ResNet-like', '1', '10.0 [1.2, 31.7]']
    """
    dataset = page.run.images.name
    drawn = lines(results, dataset)
    return page.item(
        ITEM,
        results,
        figure=by_number(
            drawn,
            xlabel="subtypes held out of each class",
            ylabel="error (%)",
            means={f"the paper's mean, {side}": value for side, value in paper_means().items()},
        ),
        table=table(
            errors_frame(results, dataset),
            caption="Error (%) on the broad class, with its interval",
        ),
        alt="Error against the number of held-out subtypes: "
        + "; ".join(
            f"{name} from {values[min(values)][0]:.0f} to {values[max(values)][0]:.0f} %"
            for name, values in drawn.items()
        )
        + ".",
        convention="Test pictures only; which subtypes are held out is drawn by class and subtype, "
        f"the same in all settings. {page.run.interval_words}; means over settings are resampled "
        "over the test pictures.",
        stand_ins=protocol.stand_ins(dataset),
    )


def lines(results: Results, dataset: str) -> dict[str, dict[int, Interval]]:
    """Return title of a line -> number held out -> (error, low, high), percent.

    >>> rows = protocol.results(*toys.subtypes(seen_wrong=1, unseen_wrong=3), "toys", samples=20)
    >>> {name: line[2][0] for name, line in lines(rows, "toys").items()}
    {'seen subtypes': 10.0, 'held-out subtypes': 75.0}
    """
    models = dict.fromkeys(str(row.model) for row in results.select(item=ITEM, metric="error").rows)
    found: dict[str, dict[int, Interval]] = {}
    for model in models:
        whose = f"{network_title(model)}, " if len(models) > 1 else ""
        for side, part in protocol.parts(dataset).items():
            rows = results.select(item=ITEM, metric="error", model=model, dataset=part).rows
            found[f"{whose}{COLUMNS[side].lower()}"] = {
                row.severity: (
                    100 * row.value,
                    100 * (row.value if row.low is None else row.low),
                    100 * (row.value if row.high is None else row.high),
                )
                for row in rows
                if row.severity is not None
            }
    return found


def paper_means() -> dict[str, float]:
    """Return title of a side -> the paper's error, percent, mean over its four settings.

    >>> paper_means()
    {'seen subtypes': 13.2, 'held-out subtypes': 59.7}
    """
    of = {dataset: side for side, dataset in protocol.parts(protocol.PAPER).items()}
    found = {
        of[row.dataset]: 100 * row.number
        for row in reported(ITEM)
        if row.metric == "error" and row.dataset in of and row.number is not None
    }
    return {COLUMNS[side].lower(): round(found[side], 1) for side in protocol.SIDES}


def errors_frame(results: Results, dataset: str) -> pd.DataFrame:
    """Return a row a network and setting, the means last: error in percent on both sides.

    >>> rows = protocol.results(*toys.subtypes(seen_wrong=1, unseen_wrong=3), "toys", samples=20)
    >>> errors_frame(rows, "toys")["Held out"].tolist()
    ['1', '2', 'mean']
    """
    rows: dict[tuple[str, int | None], dict[str, object]] = {}
    for side, part in protocol.parts(dataset).items():
        for row in results.select(item=ITEM, metric="error", dataset=part).rows:
            held = "mean" if row.severity is None else str(row.severity)
            named = {"Network": network_title(str(row.model)), "Held out": held}
            found = rows.setdefault((str(row.model), row.severity), dict(named))
            found |= {COLUMNS[side]: cell_of(row), f"n, {side}": row.n}
    return pd.DataFrame(list(rows.values()))


def subtypes_frame(
    icons: Icons50, said: ByNumber, held: Unseen, network: str | None = None
) -> pd.DataFrame:
    """Return a row a subtype that is held out in some setting, the worst first.

    Args:
        icons: the test pictures.
        said: the predictions.
        held: which pictures each setting holds out.
        network: whose first seed; None: the first network.

    >>> frame = subtypes_frame(toys.ICONS, *toys.subtypes(seen_wrong=0, unseen_wrong=2))
    >>> list(frame.columns)
    ['Class', 'Subtype', 'Pictures', 'Error, held out', 'Error, seen', 'Taken for']
    """
    names = icons.class_names
    groups: dict[tuple[int, str], list[int]] = {}
    for place, icon in enumerate(icons.icons):
        groups.setdefault((icon.label, icon.motif), []).append(place)
    rows = []
    for (label, subtype), places in groups.items():
        wrong: Mapping[bool, list[bool]] = {True: [], False: []}
        taken: dict[str, int] = {}
        for number, by_network in said.items():
            first = by_network[network or next(iter(by_network))][0]
            is_held = bool(held[number][places[0]])
            wrong[is_held].extend((~first.correct[places]).tolist())
            for place in places if is_held else ():
                if not first.correct[place]:
                    word = names[int(first.predicted[place])]
                    taken[word] = taken.get(word, 0) + 1
        if wrong[True]:
            rows.append(
                {
                    "Class": names[label],
                    "Subtype": subtype.replace("_", " "),
                    "Pictures": len(places),
                    "Error, held out": 100 * float(np.mean(wrong[True])),
                    "Error, seen": 100 * float(np.mean(wrong[False])) if wrong[False] else None,
                    "Taken for": max(taken, key=lambda word: taken[word]) if taken else "",
                }
            )
    frame = pd.DataFrame(rows)
    return frame.sort_values("Error, held out", ascending=False, kind="stable").reset_index(
        drop=True
    )


def worst(page: Page, said: ByNumber, held: Unseen) -> Html:
    """Return pictures of the held-out subtypes that the first network knows least.

    >>> said, held = toys.subtypes(seen_wrong=0, unseen_wrong=2)
    >>> texts(worst(page, said, held), "text")[-1]
    'toys'
    """
    icons = pictures(page.run)
    frame = subtypes_frame(icons, said, held).head(SHOWN)
    places, captions = [], []
    for subtype, name, taken in zip(
        frame["Subtype"], frame["Class"], frame["Taken for"], strict=True
    ):
        found = [
            place
            for place, icon in enumerate(icons.icons)
            if icon.motif.replace("_", " ") == subtype and icons.names([place]) == [name]
        ][:EACH]
        places += found
        captions += [f"{subtype}:\n{name}, not {taken}" if taken else f"{subtype}:\n{name}"] * len(
            found
        )
    return page.figure(
        "fig-subtypes",
        image_grids.grid(icons.pictures(places), captions, columns=8, size=0.87),
        caption="The held-out subtypes that the network knows least: what they are, and what it "
        "took them for most.",
        alt=f"Pictures of held-out subtypes: {listed(list(frame['Subtype']))}.",
    )


def by_subtype(page: Page, said: ByNumber, held: Unseen) -> Html:
    """Return the table of all subtypes that are held out in some setting.

    >>> said, held = toys.subtypes(seen_wrong=0, unseen_wrong=2)
    >>> texts(by_subtype(page, said, held), "th")[:2]
    ['Class', 'Subtype']
    """
    return table(
        subtypes_frame(pictures(page.run), said, held),
        caption="Error (%) of the first network by subtype, over the settings that hold it out and "
        "over those that do not, and what it was taken for most when held out",
        decimals={"Pictures": 0},
    )
