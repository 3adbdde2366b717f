"""CIFAR-100 on the page: some subtypes of each broad class are held out, and met at the end."""

from collections.abc import Sequence

from robust_book.chapters.inc_5_auxiliary.subtype_settings import networks, pictures
from robust_book.chapters.inc_5_auxiliary.subtype_tables import (
    classes_frame,
    errors_frame,
    lines,
    paper_means,
    subtypes_frame,
)
from robust_book.chapters.learning import trained
from robust_book.figures import image_grids
from robust_book.figures.by_number import by_number
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.protocols import held_out_subtypes as protocol
from robust_lib.protocols.held_out_subtypes import ITEM, ByNumber, Unseen
from robust_lib.results.notation import listed
from robust_lib.results.table import Results

SHOWN = 8  # classes
EACH = 2  # pictures of each


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
    >>> texts(errors(page, rows), "td")[:2]  # of one subtype held out: seen, n
    ['10.0 [1.2, 31.7]', '20']
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
            caption="Error (%) on the broad class, with its interval, by subtypes held out",
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


def by_class(page: Page, said: ByNumber, held: Unseen) -> Html:
    """Return the table of the first network's errors by class.

    >>> said, held = toys.subtypes(seen_wrong=0, unseen_wrong=4)
    >>> texts(by_class(page, said, held), "td")[:4]  # seen, held out, taken for
    ['0.0', '100.0', 'Hat', '0.0']
    """
    return table(
        classes_frame(pictures(page.run), said, held),
        caption="Error (%) of the first network by class, all settings taken together, and what "
        "held-out subtypes were taken for most",
    )


def worst(page: Page, said: ByNumber, held: Unseen) -> Html:
    """Return pictures of the held-out subtype of each class that the network misses most.

    >>> said, held = toys.subtypes(seen_wrong=0, unseen_wrong=4)
    >>> texts(worst(page, said, held), "text")[-1]
    'toys'
    """
    icons = pictures(page.run)
    frame = subtypes_frame(icons, said, held).drop_duplicates("Class").head(SHOWN)
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
        caption="Of some classes, the held-out subtype that the network misses most: what it is, "
        "and what it was taken for.",
        alt=f"Pictures of held-out subtypes: {listed(list(frame['Subtype']))}.",
    )


def by_subtype(page: Page, said: ByNumber, held: Unseen) -> Html:
    """Return the table of all subtypes that are held out in some setting.

    >>> said, held = toys.subtypes(seen_wrong=0, unseen_wrong=4)
    >>> texts(by_subtype(page, said, held), "th")[:3]
    ['Class', 'Subtype', 'Held out with']
    """
    return table(
        subtypes_frame(pictures(page.run), said, held),
        caption="Which subtypes each setting holds out, and the first network's error (%) on them "
        "where they are: a picture has an answer a setting",
        decimals={"Answers": 0},
    )
