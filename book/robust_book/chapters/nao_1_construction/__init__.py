"""Construction of natural adversarial objects: candidates, and two stages of annotation."""

from collections.abc import Sequence
from dataclasses import replace

from robust_book.chapters.nao_1_construction import mistakes, numbers, sheets
from robust_book.chapters.nao_1_construction.mistakes import Mistake
from robust_book.figures.bars import funnels
from robust_book.figures.boxed_pictures import boxed
from robust_book.html.markup import Html, lines
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.curation.candidates import SCORE, Candidate, candidates
from robust_lib.datasets import ImageSet
from robust_lib.datasets.objects import truth_of
from robust_lib.errors import InputError
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.image_kinds import as_objects
from robust_lib.run.network import network_title
from robust_lib.run.object_sets import ObjectConstruction
from robust_lib.run.papers import nao
from robust_lib.run.run import Run

NOT_PUBLISHED = (
    "The release contains the selected images only. Its 43,860 candidates and the "
    "annotators' answers were not published, and finding candidates again requires "
    "OpenImages' training set, 1.9 million images. `robust candidates` finds them in any "
    "folder."
)


def require(score: float | None, iou: float, annotators: int) -> None:
    """Raise InputError unless the thresholds are valid and annotators can form a majority.

    >>> require(0.8, 0.5, 5)
    """
    if not all(0 <= one < 1 for one in (score or 0, iou)):
        raise InputError(
            f"Expected a score and an IoU of at least 0 and below 1, but got {score} and {iou}. "
            "Both are fractions: 80 % is 0.8."
        )
    if annotators < 1 or annotators % 2 == 0:
        raise InputError(
            "Expected an odd number of annotators, so that there is a majority, but got "
            f"{annotators}. Use an odd number; the paper uses 5."
        )


CHAPTER = replace(
    nao.record("nao_1_construction"),
    evaluates=lambda model: model == nao.FILTER,
    settings={"detector": "models"},
    checks=(require,),
)


def steps(page: Page, results: Results, made: ObjectConstruction | None) -> Html:
    """Return the number of images left after each step, the paper's and this run's.

    >>> made = toys.CONSTRUCTION
    >>> texts(steps(page, numbers.results(made), made), "td")[:4]
    ['1,900,000', '12', '43,860', '6']
    """
    left = table(numbers.step_frame(made), caption="Images left after each step", decimals=0)
    if made is None:
        shown, how = lines(left, f"<p>{NOT_PUBLISHED}</p>"), "Thresholds of the paper."
    else:
        told = made.filtration
        number = len(told.answers[0]) if told.answers else 0
        shown = lines(
            left,
            table(
                numbers.question_frame(made),
                caption="Rejected candidates and agreement of the annotators, by question",
                decimals={"Rejected candidates": 0, "Fleiss' kappa": 3},
            ),
        )
        counted = "objects of any class" if told.settings["count_foreign"] else "the label set's"
        how = (
            f"{network_title(made.found.model)} in {made.pool.name}; confident boxes score above "
            f"{told.settings['score']:.3g} and have an IoU above {told.settings['iou']:g} with no "
            f"object of their class. Objects: {counted}. A candidate is kept if most of {number} "
            "simulated annotators give the required answer to each question, and an image if it "
            "has at least one kept candidate. Boxes of the second stage are the generator's own."
        )
    return page.item(
        numbers.FUNNEL,
        results,
        figure=funnels(numbers.titled(made)),
        table=shown,
        alt=f"The share of images that each step keeps; {numbers.in_words(made)}.",
        convention=f"{how} According to the paper, its pool has about 1.9 million images.",
        stand_ins=numbers.stand_ins(made),
    )


def counted(run: Run, made: ObjectConstruction | None) -> Results:
    """Return the numbers of images and objects of the data sets, as rows.

    Args:
        made: the selection in this run, with the pool and the training images of the detectors.

    >>> run._sets.update({role: toys.Shapes(name=role) for role in ("coco_val", "nao")})
    >>> counted(run, None).row(dataset="nao", metric="images").value
    12.0
    """
    return numbers.size_rows({role: run.image_set(role) for role in _roles(made)})


def in_numbers(page: Page, results: Results, made: ObjectConstruction | None) -> Html:
    """Return Table 1: images, objects and the most frequent classes.

    >>> page.run._sets.update({role: toys.Shapes(name=role) for role in ("coco_val", "nao")})
    >>> texts(in_numbers(page, counted(page.run, None), None), "td")[:3]
    ['12', '10', 'cross (4)']
    """
    names = {role: page.run.image_set(role).name for role in _roles(made)}
    return page.item(
        numbers.ITEM,
        results,
        table=table(
            numbers.sizes_frame(results, names),
            caption="Images, objects, and the classes with the most objects",
            decimals=0,
        ),
        paper=table(
            numbers.printed_sizes_frame(), caption="Table 1 and sections 3.1 and 3.2", decimals=0
        ),
        alt="One row per data set: images, objects and the three most frequent classes.",
        convention="Objects are those of the label set, including crowd regions; those of the pool "
        "also include out-of-distribution ones. Cells are empty if the paper prints no number.",
        stand_ins={role: name for role, name in names.items() if role != name},
    )


def interface(page: Page, images: ImageSet, made: ObjectConstruction | None) -> Html:
    """Return Figure 3: both stages of annotation, which a reader can try on the page.

    Args:
        images: the adversarial objects, shown if there are no candidates.

    >>> block = interface(page, toys.Shapes(), toys.CONSTRUCTION)
    >>> texts(block, "summary")[0]
    'Stage 1: does the box show a fair object, and what is it?'
    """
    if made is not None:
        images, told = made.pool, made.filtration
        asked: Sequence[Candidate] = told.candidates
        chosen = sheets.places(told)
        said = "Images of the pool: two that annotators confirmed, and one that each "
        said += "question rejected, if there is one."
    else:
        asked = sheets.of_release(as_objects(images))
        chosen = tuple(one.image for one in asked)
        said = "Images of the release; the questions are about the release's own boxes."
    note = "Your answers stay on this page; the button saves them to a file, which robust annotate "
    note += "reads if the sheet was written for your own images."
    tried = (
        sheets.embedded(*sheets.found(images, as_objects(images), chosen, asked))
        if chosen
        else Html("<p>No image has a candidate: there is nothing to annotate.</p>")
    )
    return page.item(
        "nao-fig3",
        table=tried,
        alt="Left, an image with one box and five questions; right, an image in which boxes are "
        "drawn, moved and labelled.",
        convention=f"The figure shows the sheets that robust annotate writes. {said} {note}",
    )


def sure_mistakes(
    run: Run,
    images: ImageSet,
    made: ObjectConstruction | None,
    *,
    iou: float,
    score: float | None = None,
) -> tuple[Mistake, ...]:
    """Return the confirmed mistakes, the most confident first; for a release, the filter's own.

    Args:
        iou: threshold that the IoU of a box and its object exceeds.
        score: threshold that the score of a confident box exceeds; None: the paper's.

    >>> found = sure_mistakes(run, toys.Shapes(), toys.CONSTRUCTION, iou=0.5)
    >>> [one.words for one in found][:2]
    ['ring → disc 95 %', 'wedge → box 94 %']
    """
    if made is not None:
        return mistakes.named(
            made.filtration.confirmed, as_objects(made.pool), made.pool.class_names, iou
        )
    objects = as_objects(images)
    ((one, *_),) = run.detect(nao.ADVERSARIAL).values()
    sure = SCORE if score is None else score
    by_image = candidates(truth_of(objects), one.detections, iou=iou, score=sure)
    found = [each for of in by_image.values() for each in of]
    return mistakes.named(found, objects, images.class_names, iou)


def examples(
    page: Page, found: Sequence[Mistake], images: ImageSet, made: ObjectConstruction | None
) -> Html:
    """Return Figure 2: confident mistakes on objects with a class, and on out-of-distribution ones.

    >>> found = sure_mistakes(run, toys.Shapes(), toys.CONSTRUCTION, iou=0.5)
    >>> block = examples(page, found, toys.Shapes(), toys.CONSTRUCTION)
    >>> texts(block, "text")[0]
    'disc → box 90 %'
    """
    shown = mistakes.shown(found, images if made is None else made.pool)
    what = (
        "of confirmed candidates" if made is not None else "of confident boxes that fit no object"
    )
    row = Row(
        item="nao-fig2",
        dataset=images.name if made is None else made.name,
        metric="examples",
        value=float(len(shown.captions)),
    )
    return page.item(
        "nao-fig2",
        Results.of([row]),
        figure=boxed(shown.pictures, shown.boxes, shown.captions, columns=shown.columns)
        if shown.captions
        else None,
        alt="Images with a confident box that is wrong; above, on objects of the label set; "
        "below, on out-of-distribution objects: "
        f"{'; '.join(shown.captions) or 'there is none'}.",
        convention=("" if shown.captions else "There is no mistake of this kind. ")
        + f"The most confident {what}, no confusion and no image twice; red is the detector's "
        "box, white the object's. Above each image: the true label, the predicted label, "
        "and the box's score. Out-of-distribution objects belong to no class of the "
        "detectors.",
    )


def _roles(made: ObjectConstruction | None) -> tuple[str, ...]:
    """Return the roles of the counted data sets; a pool used by others may not be available."""
    if made is None:
        return (nao.ORDINARY, nao.ADVERSARIAL)
    return (nao.TRAINING, nao.ORDINARY, nao.POOL, nao.ADVERSARIAL)
