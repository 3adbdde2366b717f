"""Evidence used by detectors: background, pixels in the box, patches [nao, sec. 4.4 to 4.6]."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from matplotlib.figure import Figure

from robust_book.chapters.nao_4_attribution import numbers
from robust_book.chapters.nao_4_attribution.costs import Cost, cost_frame
from robust_book.chapters.nao_4_attribution.examples import Shown
from robust_book.chapters.nao_4_attribution.studies import MOST, ROLE, Ground, Study, in_words, used
from robust_book.figures.dot_plots import dot_plot, words
from robust_book.figures.image_grids import grid
from robust_book.figures.style import SHARES
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.datasets.derived import source
from robust_lib.datasets.layouts import Layouts
from robust_lib.errors import InputError
from robust_lib.metrics.class_means import FEWEST
from robust_lib.protocols.attribution import changes, shares
from robust_lib.protocols.attribution.shares import Shares
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.run.papers import nao
from robust_lib.run.run import Run

BACKGROUNDS = ("maskrcnn_resnet50_fpn", "efficientdet_d7")
ATTRIBUTIONS = ("efficientdet_d4", "efficientdet_d7")
PATCHES = ("efficientdet_d7",)
"""Detectors of each study by the paper's names, its own first [nao, sec. 4.4 to 4.6]."""

_MEANS = (
    f"Overall numbers are means over the classes with at least {FEWEST} predictions that count, or "
    "over all classes if none has that many; each resample determines these classes itself."
)
_COUNTS = "n is the number of predictions, ordinary + adversarial."


def require(
    score: float, iou: float, pictures: int | None, swaps: int, repeats: int, patch: float
) -> None:
    """Raise InputError unless the thresholds, numbers and patch size are valid for a study.

    >>> require(0.5, 0.5, None, 3, 10, 1 / 3)
    """
    if not (0 <= score < 1 and 0 < iou <= 1 and 0 < patch <= 0.5):
        raise InputError(
            "Expected `score` from 0 to below 1, `iou` above 0 and up to 1, and `patch` above 0 "
            f"and up to 0.5, but got {score}, {iou} and {patch}. All are fractions."
        )
    if min(swaps, repeats, 1 if pictures is None else pictures) < 1:
        raise InputError(
            f"Expected `images`, `swaps` and `repeats` of at least 1, but got {pictures}, {swaps} "
            f"and {repeats}."
        )


CHAPTER = replace(
    nao.record("nao_4_attribution"),
    evaluates=lambda model: model in {*BACKGROUNDS, *ATTRIBUTIONS, *PATCHES},
    checks=(changes.Settings, shares.Settings, require),
    if_there=(ROLE,),
    on_photographs=(),
)

_POINTS = "absolute change in probability (points)"


def pictures_of(run: Run, named: int | None) -> int | None:
    """Return the number of images studied per set: `named`, or else the profile's.

    >>> pictures_of(run, 5), pictures_of(run, None) == run.profile.studied
    (5, True)
    """
    return run.profile.studied if named is None else named


def is_composed(run: Run, role: str) -> bool:
    """Return whether a role's images are composed, with objects on any background.

    >>> is_composed(run, "nao")
    False
    """
    return isinstance(source(run.image_set(role)), Layouts)


def detectors(
    run: Run, backgrounds: str | None, attributions: str | None, patches: str | None
) -> tuple[str, str, str]:
    """Return our names of the detectors of the three studies.

    Args:
        backgrounds: detector by the paper's name or ours; None: the paper's own, or the next of
            `BACKGROUNDS` that the run has.
        attributions: likewise.
        patches: likewise.

    Raises:
        InputError: the run has no such detector.

    >>> detectors(run, None, None, None)
    ('efficientdet_d7_mini', 'efficientdet_d7_mini', 'efficientdet_d7_mini')
    """
    return (
        run.evaluated(backgrounds, *BACKGROUNDS),
        run.evaluated(attributions, *ATTRIBUTIONS),
        run.evaluated(patches, *PATCHES),
    )


def replaced(
    page: Page,
    results: Results,
    studies: Mapping[str, Study],
    places: Sequence[Ground],
    network: str,
) -> Html:
    """Return Figure 6: the change in probability by class when backgrounds are replaced.

    >>> one = toys.changes([0.75, 0.5], [[0.5, 0.25], [0.5, 0.5]], classes=[0, 1])
    >>> studies = {"ordinary": toys.study(one)}
    >>> block = replaced(page, numbers.background_rows("mine", studies, []), studies, [], "mine")
    >>> texts(block, "td")[:2]
    ['no backgrounds', '18.8 [0.0, 37.5]']
    """
    dots, sections = numbers.change_dots(results, numbers.CHANGE, studies)
    left_out = sum(study.left_out for study in studies.values())
    return page.item(
        numbers.CHANGE,
        results,
        figure=_dots(dots, sections, {_BOUND: numbers.HARDLY}),
        table=table(
            numbers.change_frame(results, numbers.CHANGE, studies, _count(len(used(places)))),
            caption=f"Change in probability ({_UNIT}), with 95 % intervals; the last row gives the "
            "scale",
        ),
        alt=f"Absolute change in probability by class. {words({'': dots}, ' points')}.",
        convention=(
            f"{network_title(network)}; the most confident prediction of each image, "
            f"{_words(studies)}. {_capital(in_words(places))}. Predictions left out because "
            f"they have no mask: {left_out}. {_MEANS} {_COUNTS} Intervals resample images; a class "
            "with few images has none. Grey noise in place of the object shows how large a change "
            "can be."
        )
        if studies
        else f"{_capital(in_words(places))}.",
        description=page.run.described(nao.ORDINARY, nao.ADVERSARIAL),
        networks={BACKGROUNDS[0]: network},
        built_in=is_composed(page.run, nao.ORDINARY),
    )


def checked(
    page: Page, results: Results, places: Sequence[Ground], studies: Mapping[str, Study]
) -> Html:
    """Return for each background the detections in it alone, and its effect.

    >>> from robust_book.chapters.nao_4_attribution.studies import grounds
    >>> block = checked(page, Results(), grounds(page.run, "mine"), {})
    >>> texts(block, "td")[:2]
    ['0.0', '0']
    """
    return table(
        numbers.ground_frame(results, places, studies),
        caption=f"The detector's highest confidence on each background alone (%; {100 * MOST:.0f} "
        "allowed), the number of images of the background that were rejected because of a "
        "detection, and the change in probability (points)",
    )


def inside(page: Page, results: Results, shares: Mapping[str, Shares], network: str) -> Html:
    """Return Figure 7: the share of the attribution that is in the box, by class.

    >>> shares = {"ordinary": toys.shares([0.75, 0.25], classes=[0, 1])}
    >>> block = inside(page, numbers.inside_rows("mine", shares), shares, "mine")
    >>> "0 of 2" in texts(block, "td")
    True
    """
    panels = {name: dots for name, dots in numbers.share_dots(results, shares).items() if dots}
    told = {name: {"in the box": dots["in the box"]} for name, dots in panels.items()}
    named = numbers.ranked({name: dots["in the box"] for name, dots in panels.items()})
    first = next(iter(shares.values()))
    error = max(one.largest_error for one in shares.values())
    left_out = sum(int((~one.kept).sum()) for one in shares.values())
    return page.item(
        numbers.SHARE,
        results,
        figure=dot_plot(
            panels,
            named,
            xlabel="share inside (%)",
            lines={"half": 50.0},
            measures=tuple(numbers.SHARES),
            ends=(-5.0, 105.0),
        )
        if named
        else None,
        table=table(
            numbers.share_frame(results, shares),
            caption="Share of the attribution in the box (%), next to the share in a box of the "
            "same size elsewhere, with 95 % intervals over images",
        ),
        alt=f"Share of the attribution in the box by class. {words(told)}.",
        convention=f"{network_title(network)}; {first.settings.words}. The sum over all pixels "
        f"deviates from the change in the logit by at most {100 * error:.1f} %. "
        "Predictions left out because the sum deviates by more than "
        f"{100 * first.settings.tolerance:.0f} % or the object is no longer detected: {left_out}. "
        "A random box "
        f"has the same size at one of {first.settings.moved} random places. The claim is judged by "
        "absolute values; signed shares are quotients of sums over a class's objects, clipped "
        f"at −5 and 105 % in the figure. {_MEANS} A class with few images has no interval.",
        description=page.run.described(nao.ORDINARY, nao.ADVERSARIAL),
        networks={ATTRIBUTIONS[0]: network},
    )


def swapped(
    page: Page,
    results: Results,
    studies: Mapping[str, Study],
    network: str,
    *,
    swaps: int,
    patch: float,
) -> Html:
    """Return Figure 8: the change in probability by class when patches in the box are swapped.

    Args:
        patch: side of a patch as a fraction of the box's side.

    >>> one = toys.changes([0.75, 0.5], [[0.5, 0.25], [0.5, 0.5]], classes=[0, 1])
    >>> studies = {"ordinary": toys.study(one)}
    >>> found = numbers.swap_rows("mine", studies, swaps=3, repeats=2)
    >>> block = swapped(page, found, studies, "mine", swaps=3, patch=0.25)
    >>> texts(block, "td")[0]
    '3 swaps'
    """
    dots, sections = numbers.change_dots(results, numbers.SWAPS, studies)
    versions = len(next(iter(studies.values())).found.versions)
    return page.item(
        numbers.SWAPS,
        results,
        figure=_dots(dots, sections),
        table=table(
            numbers.change_frame(results, numbers.SWAPS, studies, f"{swaps} swaps"),
            caption=f"Change in probability ({_UNIT}), with 95 % intervals; the last two rows of "
            "each set give the scale",
        ),
        alt=f"Absolute change in probability by class. {words({'': dots}, ' points')}.",
        convention=(
            f"{network_title(network)}; every prediction, {versions} versions of "
            f"{swaps} swaps; a patch has {100 * patch:.0f} % of the box's sides, "
            f"which the paper does not specify; {_words(studies)}. {_MEANS} {_COUNTS} Intervals "
            "resample images; a class with few images has none. Shuffling all "
            "patches, or replacing them with grey noise, shows how large a change can be."
        ),
        description=page.run.described(nao.ORDINARY, nao.ADVERSARIAL),
        networks={PATCHES[0]: network},
    )


def scale(page: Page, results: Results, studies: Mapping[str, Mapping[str, Study]]) -> Html:
    """Return the effects of all changes on one axis: backgrounds, patches, and the hidden object.

    Args:
        studies: ledger item -> source -> the study.

    >>> str(scale(page, Results(), {}))
    '<p>No intervention was computed.</p>'
    """
    dots, sections = numbers.scale(results, studies)
    figure = _dots(dots, sections, {f"{_BOUND} for backgrounds": numbers.HARDLY})
    if figure is None:
        return Html("<p>No intervention was computed.</p>")
    return page.figure(
        "fig-scale",
        figure,
        caption="Change in the probability of the predicted class by intervention, with 95 % "
        "intervals. Backgrounds and patches may have different detectors, so for each of them the "
        "object is hidden as well: that shows how large a change can be. A change in the "
        f"background counts as small if it is below {numbers.HARDLY:.0f} points.",
        alt=f"Absolute change in probability by intervention. {words({'': dots}, ' points')}.",
        description=page.run.described(nao.ORDINARY, nao.ADVERSARIAL),
    )


def gallery(page: Page, name: str, shown: Shown, caption: str, alt: str) -> Html:
    """Return images of a study with their captions; nothing if there are none.

    Args:
        name: name of the figure, beginning with "fig-".

    >>> str(gallery(page, "fig-none", Shown((), (), 4), "nothing", "nothing"))
    '<p>There is no prediction to show.</p>'
    """
    if not shown.pictures:
        return Html("<p>There is no prediction to show.</p>")
    told = "; ".join(one.replace("\n", ", ") for one in shown.captions)
    return page.figure(
        name,
        grid(
            shown.pictures,
            shown.captions,
            columns=shown.columns,
            size=min(1.6, _WIDTH / shown.columns),
        ),
        caption=caption,
        alt=f"{alt} {told}.",
        description=page.run.described(nao.ORDINARY, nao.ADVERSARIAL),
    )


def cost(page: Page, found: tuple[Cost, ...]) -> Html:
    """Return the cost of the studies at the paper's size.

    >>> texts(cost(page, (Cost("swaps", "mine", 7200, 0.5, "image"),)), "td")[1]
    '7,200 images'
    """
    return table(
        cost_frame(found),
        caption=(
            "Cost of the studies at the paper's size, with this run's detectors on this machine"
        ),
        decimals={"Seconds each, this run": 4},
    )


_UNIT = "points"
_WIDTH = 7.0
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six")


_BOUND = f"bound {numbers.HARDLY:.0f}"


def _dots(
    dots: numbers.Dots,
    sections: Mapping[str, Sequence[str]],
    lines: Mapping[str, float] = MappingProxyType({}),
) -> Figure | None:
    rows = [row for of_section in sections.values() for row in of_section]
    how: dict[str, Any] = {"xlabel": _POINTS, "sections": sections, "lines": lines, "ends": SHARES}
    return dot_plot({"": dots}, rows, **how) if rows else None


def _words(studies: Mapping[str, Study]) -> str:
    return next(iter(studies.values())).found.settings.words


def _count(many: int) -> str:
    word = _NUMBERS[many] if many < len(_NUMBERS) else str(many)
    return f"{word} background{'' if many == 1 else 's'}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
