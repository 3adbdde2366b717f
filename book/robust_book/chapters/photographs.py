"""Real networks on real photographs, all from packages, next to a book's miniature.

A profile names the profile on photographs that is shown next to it. Files from pip packages are
fetched here. If that fails, a sentence on the page explains it, and the rest of the page is
unchanged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import pandas as pd

from robust_book.chapters import inc, inc_2_mce
from robust_book.figures import curves
from robust_book.html.markup import Html, lines, text
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.config.manifests import load_model
from robust_lib.config.profiles import changed
from robust_lib.datasets import ImageSet
from robust_lib.datasets.derived import Subset
from robust_lib.datasets.imagenet_c import BENCHMARK, SIDE, Corrupted, authors_frost, bring_frost
from robust_lib.errors import FetchError, ModelError
from robust_lib.fetch import fetch
from robust_lib.models.weight_files import fetch_weights, weight_file
from robust_lib.predict.predictions import Predictions
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols import corruption_error
from robust_lib.protocols.corruption_error.enhancements import change
from robust_lib.protocols.grid import Grid
from robust_lib.results.estimate import Estimate
from robust_lib.results.notation import Cell, written
from robust_lib.results.table import Results
from robust_lib.run import corrupted_sets
from robust_lib.run.network import network_title
from robust_lib.run.papers import inc as papers
from robust_lib.run.run import Run
from robust_lib.run.start import start
from robust_lib.vocabulary import SEVERITIES, corruption_label

OPEN = "open_photographs"
"""The role of the photographs that pages may show."""

SHOWN = (
    "n07920052/coffee.png",
    "n02123597/n02123597_284_Siamese_cat.jpg",
    "n02123045/chelsea.png",
)
CREDITS = (
    "Photographs: coffee by Rachel Michetti and Chelsea the cat by Stefan van der Walt, both CC0, "
    "of scikit-image; the Siamese cat, in the public domain, of alibi"
)
AS_STORED = Preprocessing(None, SIDE)


@dataclass(frozen=True)
class Seen:
    """A run on photographs, its predictions, and the errors computed from them."""

    run: Run
    grid: Grid
    results: Results


def by_severity(page: Page) -> Html:
    """Return three images and a figure on the effect of the tour's corruption on real networks."""
    run = begun(page, page.run.corruptions)
    if isinstance(run, Html):
        return run
    seen = evaluated(run)
    frame = inc.severity_frame(seen.results, seen.grid.corruptions)
    (corruption,) = run.corruptions
    return lines(
        slider(page, run, corruption),
        page.figure(
            "fig-photographs",
            curves.by_severity(frame, columns=1),
            caption=f"Error of real networks on {seen.grid.images} photographs against severity. "
            f"One photograph corresponds to {100 / seen.grid.images:.0f} points, so small steps "
            "are not meaningful.",
            alt=f"Error against severity: {curves.severity_words(frame)}.",
            description=run.description,
        ),
    )


def errors(page: Page) -> Html:
    """Return corruption errors of real networks on photographs, and their paired differences."""
    run = begun(page)
    if isinstance(run, Html):
        return run
    seen = evaluated(run)
    return lines(
        table(
            pd.DataFrame(_row(seen.results, name) for name in seen.grid.models),
            caption=f"Clean error and mCE (%) of real networks on {seen.grid.images} photographs",
        ),
        f"<p>{' '.join(_differences(seen))}</p>",
        f"<p>{_limits(seen)}</p>",
        (
            '<p class="rb-convention"><span class="rb-label">Convention</span> Storage: '
            f"{text(seen.grid.convention())}; severities {run.severity_words}; divided by "
            f"AlexNet's published errors on ImageNet-C; {text(run.interval_words)}; the weights "
            "are Google's, Apache-2.0, from packages that pip installs.</p>"
        ),
    )


def begun(page: Page, corruptions: Sequence[str] | None = None) -> Run | Html:
    """Return the run on photographs, or a sentence that explains why there is none.

    Args:
        corruptions: corruptions to apply to them; None: the benchmark's.
    """
    run = page.run
    if run.profile.beside is None:
        return Html("<p>This run shows its own images only.</p>")
    asked = None if corruptions is None else list(corruptions)
    found = start(
        inc_2_mce.CHAPTER, run.profile.beside, corruptions=asked, device=run.profile.device
    )
    try:
        bring(found)
    except (FetchError, ModelError) as error:
        page.does_without(run.profile.beside)
        return Html(
            "<p>The photographs and the networks are installed by pip and were not "
            f"available when this page was made ({text(str(error).partition('. ')[0])}): it "
            "shows the miniature alone. <code>make book</code> makes this page again once "
            "they are available.</p>"
        )
    return found


def bring(run: Run) -> None:
    """Fetch the missing files of a run on photographs: weights, photographs, frost.

    Raises:
        FetchError: a photograph or a texture cannot be fetched.
        ModelError: weights cannot be fetched.
    """
    for network in run.networks:
        file = weight_file(load_model(network.model))
        if file is not None:
            fetch_weights(file)
    for name in dict.fromkeys(run.profile.data.values()):
        fetch(name)
    bring_frost()


def evaluated(run: Run) -> Seen:
    """Return a run's predictions for photographs, and the corruption errors."""
    grid = run.grid()
    normaliser = papers.normaliser(run, grid)
    found = corruption_error.results(grid, normaliser, samples=run.profile.bootstrap)
    return Seen(run, grid, found)


def _row(results: Results, model: str) -> dict[str, object]:
    clean, mce = (
        results.first(metric=metric, model=model, corruption=None, severity=None)
        for metric in ("error", "mce")
    )
    cells = [
        None
        if row is None
        else Cell(100 * row.value, *(100 * (e or 0) for e in (row.low, row.high)))
        for row in (clean, mce)
    ]
    return {"Network": network_title(model), "Clean error": cells[0], "mCE": cells[1]}


def _differences(seen: Seen) -> list[str]:
    """Return a sentence on the difference of mCE, in points, for each pair of networks."""
    told = []
    for base, model in combinations(seen.grid.models, 2):
        found = change(seen.results, model, base, metric="mce")
        if found is not None and found.low is not None and found.high is not None:
            told.append(difference_words(network_title(model), network_title(base), found))
    return told


def difference_words(model: str, base: str, found: Estimate) -> str:
    """Return a paired difference of two mCEs in words.

    >>> apart = Estimate(value=-0.077, low=-0.133, high=-0.021, n=26, n_full=26)
    >>> difference_words("B", "A", apart)
    'B is 7.7 points better than A [2.1, 13.3], on 26 photographs.'
    """
    low, high = sorted(100 * abs(end or 0) for end in (found.low, found.high))
    points = f"{100 * abs(found.value):.1f} points"
    which = "better" if found.value < 0 else "worse"
    if (found.low or 0) < 0 < (found.high or 0):
        ends = f"[{written(100 * (found.low or 0))}, {written(100 * (found.high or 0))}]"
        return f"{model} and {base} cannot be distinguished {ends}, on {found.n} photographs."
    ends = f"[{low:.1f}, {high:.1f}]"
    return f"{model} is {points} {which} than {base} {ends}, on {found.n} photographs."


def _limits(seen: Seen) -> str:
    row = seen.results.first(metric="relative_mce", model=seen.grid.models[0])
    wide = ""
    if row is not None and row.low is not None and row.high is not None:
        end = (
            "so these photographs do not show whether it is above 100, as in the paper."
            if row.low <= 1 <= row.high
            else "which so few photographs cannot show for others."
        )
        wide = (
            f" Their relative mCE is not given: that of {network_title(str(row.model))} may "
            f"be anywhere between {written(100 * row.low, 0)} and "
            f"{written(100 * row.high, 0)} %, {end}"
        )
    return (
        f"What these numbers are: {seen.grid.images} photographs are few, and packages chose their "
        "classes. Each 95 % interval holds by itself; they do not hold all together at this level. "
        "A paired difference holds for images of these kinds; a single mCE shows little more than "
        f"its order of magnitude, since AlexNet's errors were measured on ImageNet's images.{wide} "
        "Photographs of your own, in class folders, are evaluated in the same way: <code>robust "
        "run inc_2_mce --profile photos -p images folder:PATH</code>."
    )


def slider(page: Page, run: Run, corruption: str) -> Html:
    """Return a slider through open photographs, from clean to the fifth severity.

    Each step shows every network's prediction and confidence.
    """
    every = run.image_set(OPEN)
    images = Subset(every, tuple(map(every.ids.index, SHOWN)), called=every.name)
    profile = changed(run.profile, severities=list(SEVERITIES), limit=len(images))
    grid = corrupted_sets.grid(profile, images, run.models, (corruption,), run.store)
    places = range(len(images))
    said = [
        {
            name: (grid.cells[name, corruption, severity] if severity else grid.clean[name])[0]
            for name in grid.models
        }
        for severity in (0, *SEVERITIES)
    ]
    frost = authors_frost()
    shown = [
        images
        if severity == 0
        else Corrupted(images, corruption, severity, geometry=BENCHMARK, frost=frost)
        for severity in (0, *SEVERITIES)
    ]
    reels = []
    for place in places:
        stem = images.ids[place].rpartition("/")[2].partition(".")[0]
        pictures = {
            f"photograph-{stem}-{severity}.webp": one.read(
                place, BENCHMARK if severity == 0 else AS_STORED
            )
            for severity, one in enumerate(shown)
        }
        reels.append(_reel(images, place, page.pictures(pictures), said))
    ticks = "".join(f"<span>{one or 'clean'}</span>" for one in (0, *SEVERITIES))
    label = corruption_label(corruption)
    return lines(
        '<div class="rb-scrubber" id="photograph" role="group" aria-label="A photograph, clean and '
        'corrupted">',
        '<div class="rb-scrub" hidden>',
        '<fieldset class="rb-of"><legend>Photograph</legend>',
        *(
            f'<label><input type="radio" name="scrubber-clip" value="{place}" autocomplete="off"'
            f"{' checked' if place == places[0] else ''}> "
            f"<span>{text(_class(images, place))}</span></label>"
            for place in places
        ),
        "</fieldset>",
        f'<div class="rb-range"><label for="photograph-severity">{text(label)}, severity</label>'
        f'<div><input type="range" id="photograph-severity" min="0" max="{SEVERITIES[-1]}" '
        'step="1" value="0" autocomplete="off"><span class="rb-ticks" aria-hidden="true">'
        f"{ticks}</span></div></div></div>",
        *reels,
        f'<p class="rb-convention"><span class="rb-label">Convention</span> {text(label)} as in '
        "ImageNet-C: 224 pixels, stored as JPEG of quality 85. Networks with ImageNet weights, "
        f"unchanged. {text(CREDITS)}. That Chelsea is a tabby is our label.</p>",
        "</div>",
    )


def _class(images: ImageSet, place: int) -> str:
    return images.class_names[int(images.labels[place])]


def _reel(
    images: ImageSet, place: int, files: Sequence[str], said: Sequence[dict[str, Predictions]]
) -> Html:
    right = _class(images, place)
    return lines(
        f'<section class="rb-reel" data-clip="{place}" aria-label="{text(right)}">',
        '<div class="rb-frames" aria-live="polite">',
        *(
            _state(images, place, severity, file, answers)
            for severity, (file, answers) in enumerate(zip(files, said, strict=True))
        ),
        "</div></section>",
    )


def _state(
    images: ImageSet, place: int, severity: int, file: str, answers: dict[str, Predictions]
) -> Html:
    words = f"severity {severity}" if severity else "clean"
    return lines(
        f'<figure data-offset="{severity}"><img src="_static/results/{text(file)}" '
        f'alt="{text(_class(images, place))}, {words}" width="{SIDE}" height="{SIDE}" '
        'loading="lazy">',
        f"<figcaption><strong>{words}</strong><ul>",
        *(_said(images, place, name, answer) for name, answer in answers.items()),
        "</ul></figcaption></figure>",
    )


def _said(images: ImageSet, place: int, name: str, answer: Predictions) -> str:
    found, sure = int(answer.predicted[place]), float(answer.confidence[place])
    wrong = found != int(images.labels[place])
    mark, arrow = (' class="rb-wrong"', "\N{RIGHTWARDS ARROW} ") if wrong else ("", "")
    return (
        f"<li><span>{text(network_title(name))}</span> "
        f"<b{mark}>{arrow}{text(images.class_names[found])} {100 * sure:.0f} %</b></li>"
    )
