"""Sizes of the data sets, next to the paper's Table 1, and the numbers in the prose."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isnan
from types import MappingProxyType

import numpy as np
import pandas as pd

from robust_book.chapters.nao_1_construction import mistakes
from robust_book.chapters.nao_1_construction.mistakes import Mistake
from robust_lib.curation import questions
from robust_lib.curation.candidates import EGREGIOUS, HARD
from robust_lib.curation.object_filtration import (
    CONFIRMED,
    POOL,
    WITH_CANDIDATE,
    ObjectFiltration,
    pictures_of,
)
from robust_lib.datasets import ImageSet
from robust_lib.datasets.objects import Objects
from robust_lib.results.estimate import Estimate
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, count, percent
from robust_lib.results.reported import number, printed
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run import object_sets
from robust_lib.run.image_kinds import as_objects
from robust_lib.run.network import network_title
from robust_lib.run.object_sets import ObjectConstruction
from robust_lib.run.papers import nao
from robust_lib.run.run import Run

ITEM = "nao-tab1"
TOP = 3

SETS: Mapping[str, str] = MappingProxyType(
    {
        nao.TRAINING: "COCO train",
        nao.ORDINARY: "COCO val",
        "coco_test_dev": "COCO test-dev",
        nao.POOL: "OpenImages",
        nao.ADVERSARIAL: "NAO",
    }
)
"""The paper's data sets -> what the table calls them."""


def size_rows(sets: Mapping[str, ImageSet]) -> Results:
    """Return the numbers of images, objects and classes of data sets, as rows.

    As in the paper, objects of COCO's training set, on which detectors train, are not counted. The
    pool's objects include out-of-distribution ones.

    Args:
        sets: role -> image set with objects.
    """
    rows = []
    for role, images in sets.items():
        rows.append(_row(images.name, "images", len(images)))
        if role == nao.TRAINING:
            continue
        counted = object_counts(as_objects(images), images.class_names, foreign=role == nao.POOL)
        rows.append(_row(images.name, "objects", sum(counted.values())))
        if role == nao.POOL:
            rows.append(_row(images.name, "classes", len(counted)))
        else:
            rows.append(_row(images.name, "classes", len(images.class_names)))
            rows += [_row(f"{images.name}/{name}", "objects", n) for name, n in counted.items()]
    return Results.of(rows)


def object_counts(
    objects: Sequence[Objects], names: Sequence[str], *, foreign: bool = False
) -> dict[str, int]:
    """Return class -> number of objects, the most frequent first.

    Args:
        objects: objects of each image; a crowd region counts as one object, as in the paper.
        foreign: whether to count objects outside the label set as well.
    """
    found = Counter(names[int(label)] for one in objects for label in one.classes)
    if foreign:
        found.update(name for one in objects if one.foreign for name in one.foreign.names)
    return dict(found.most_common())


def sizes_frame(results: Results, sets: Mapping[str, str]) -> pd.DataFrame:
    """Return the data sets of a run in the form of Table 1.

    Args:
        sets: role -> name of the data set.
    """
    lines = []
    for role, name in sets.items():
        values = {row.metric: int(row.value) for row in results.select(dataset=name).rows}
        below = f"{name}/"
        by_class = {
            str(row.dataset).removeprefix(below): int(row.value)
            for row in results.select(metric="objects").rows
            if str(row.dataset).startswith(below)
        }
        lines.append(_line(f"{SETS[role]}: {name}", values, by_class))
    return _typed(lines)


def printed_sizes_frame() -> pd.DataFrame:
    """Return Table 1 as printed, with the paper's numbers for the other sets."""
    found = printed(ITEM)
    lines = []
    for name, title in SETS.items():
        values = {row.metric: int(row.number or 0) for row in found if row.dataset == name}
        by_class = {
            str(row.dataset).partition("/")[2]: int(row.number or 0)
            for row in found
            if str(row.dataset).startswith(f"{name}/")
        }
        lines.append(_line(title, values, by_class))
    return _typed(lines)


def _line(title: str, values: Mapping[str, int], by_class: Mapping[str, int]) -> dict[str, object]:
    most = sorted(by_class.items(), key=lambda one: -one[1])[:TOP]
    cells = [f"{name} ({many:,})" for name, many in most]
    places = dict(zip(("1st", "2nd", "3rd"), [*cells, "", "", ""], strict=False))
    return {
        "Data set": title,
        "Images": values.get("images"),
        "Objects": values.get("objects"),
        **places,
    }


def _typed(lines: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    return pd.DataFrame(lines).astype({"Images": "Int64", "Objects": "Int64"})


def _row(dataset: str, metric: str, value: int) -> Row:
    return Row(item=ITEM, dataset=dataset, metric=metric, value=float(value))


SUREST = 3  # mistakes that the prose names


def key_numbers(
    results: Results, found: Sequence[Mistake], made: ObjectConstruction | None
) -> dict[str, KeyNumber]:
    """Return the numbers in the prose, ready for the `{result}` role."""
    chosen = [*mistakes.chosen(found, foreign=False), *mistakes.chosen(found, foreign=True)]
    surest = sorted(chosen, key=lambda one: -one.candidate.score)[:SUREST]
    said = KeyNumber("; ".join(one.words for one in surest) or "none")
    if made is None:
        unknown = KeyNumber("an unknown number of")
        names = ("pool", "candidates", "confirmed", "mistaken", "foreign", "annotators", "falls")
        rest = dict.fromkeys(("kept_share", "lowest_kappa", "highest_kappa", "detector",
                              "threshold"), NOT_MEASURED)  # fmt: skip
        return {**dict.fromkeys(names, unknown), **rest, "surest": said}
    told = made.filtration
    pool, with_candidate, confirmed = told.funnel().values()
    falls = told.falls()
    most = max(falls, key=lambda name: falls[name])
    return {
        "detector": KeyNumber(network_title(made.found.model)),
        "threshold": KeyNumber(f"{told.settings['score']:.2g}", told.settings["score"]),
        "pool": _count(pool, "images of the pool"),
        "candidates": _count(with_candidate, "images with a candidate"),
        "mistaken": _count(
            len(pictures_of(told.candidates, EGREGIOUS)), "images with egregious mistakes"
        ),
        "foreign": _count(
            len(pictures_of(told.candidates, HARD)), "images with hard false positives"
        ),
        "confirmed": _count(confirmed, "images with a confirmed candidate"),
        "annotators": _count(len(told.answers[0]) if told.answers else 0, "simulated annotators"),
        "falls": KeyNumber(
            most, convention=f"it rejects {falls[most]:,} candidates, the most of all"
        ),
        "kept_share": percent(results.first(metric="kept_share")),
        **_kappas(kappas(told)),
        "surest": said,
    }


def _kappas(kappas: Mapping[str, float]) -> dict[str, KeyNumber]:
    if not kappas:
        return dict.fromkeys(("lowest_kappa", "highest_kappa"), NOT_MEASURED)
    ends = {"lowest_kappa": min(kappas, key=kappas.__getitem__),
            "highest_kappa": max(kappas, key=kappas.__getitem__)}  # fmt: skip
    return {
        key: KeyNumber(f"{kappas[name]:.2f} ({name})", kappas[name], "Fleiss' kappa of a question")
        for key, name in ends.items()
    }


def _count(number: int, what: str) -> KeyNumber:
    return count(number, what, number or None)


FUNNEL = "nao-funnel"
CANDIDATES = "nao_candidates"
"""The paper's images with a candidate."""

STEPS: Mapping[str, str] = MappingProxyType(
    {nao.POOL: POOL, CANDIDATES: WITH_CANDIDATE, nao.ADVERSARIAL: CONFIRMED}
)
"""What the paper's images are called after a step -> our word for it."""


def construction(
    run: Run,
    *,
    detector: str,
    iou: float,
    annotators: int,
    score: float | None = None,
    count_foreign: bool = False,
) -> ObjectConstruction | None:
    """Return the construction of the adversarial objects; None if others chose them.

    Args:
        detector: detector used as the filter, by the paper's name or ours.
        iou: threshold that the IoU of a box and its object exceeds, a fraction.
        score: threshold that the score of a confident box exceeds, a fraction; None: the data
            set's.
        count_foreign: whether objects outside the label set count as truth.

    >>> from robust_lib.run.start import start
    >>> how = {"detector": "efficientdet_d7", "iou": 0.5, "annotators": 5}
    >>> construction(start(run.chapter, "full"), **how) is None  # the authors chose
    True
    """
    if not object_sets.is_constructed(run.profile, nao.ADVERSARIAL):
        return None
    run.detectors_of([detector])  # the run's provenance names whom it asked
    return object_sets.construction(
        run.profile,
        nao.ADVERSARIAL,
        run.store,
        detector=detector,
        score=score,
        iou=iou,
        annotators=annotators,
        count_foreign=count_foreign,
    )


def results(made: ObjectConstruction | None) -> Results:
    """Return the counts after each step, the share kept, and the settings, as rows.

    >>> rows = results(toys.CONSTRUCTION)
    >>> [(row.dataset, row.value) for row in rows.select(metric="images").rows]
    [('shapes', 12.0), ('shapes_nao_candidates', 6.0), ('shapes_nao', 4.0)]
    >>> rows.row(metric="kept_share").n
    6
    """
    if made is None:
        return Results()
    told, pool, name = made.filtration, made.pool.name, made.name
    names = {nao.POOL: pool, CANDIDATES: f"{name}_candidates", nao.ADVERSARIAL: name}
    left = told.funnel()
    rows = [
        Row(item=FUNNEL, dataset=names[theirs], metric="images", value=float(left[ours]))
        for theirs, ours in STEPS.items()
    ]
    rows += [
        Row(item=FUNNEL, dataset=pool, model=made.found.model, metric=metric, value=float(value))
        for metric, value in (
            ("iou_threshold", told.settings["iou"]),
            ("threshold", told.settings["score"]),
        )
    ]
    settings = {"annotators": _annotators(told), "questions": len(questions.NAMES) - 1}
    rows += [
        Row(item=FUNNEL, dataset=name, metric=metric, value=float(value))
        for metric, value in settings.items()
    ]
    if told.candidates:
        kept = np.isin(pictures_of(told.candidates), told.places)
        share = Estimate.of_rate([kept], images=names[CANDIDATES])
        said = "of the images with a candidate"
        rows.append(Row.of(share, item=FUNNEL, dataset=name, metric="kept_share", convention=said))
    return Results.of(rows)


def stand_ins(made: ObjectConstruction | None) -> dict[str, str]:
    """Return the stand-in for the paper's images with a candidate.

    >>> stand_ins(toys.CONSTRUCTION)
    {'nao_candidates': 'shapes_nao_candidates'}
    """
    return {} if made is None else {CANDIDATES: f"{made.name}_candidates"}


def printed_steps() -> dict[str, int]:
    """Return the paper's funnel: step -> number of images left.

    >>> printed_steps()
    {'pictures': 1900000, 'with a candidate': 43860, 'confirmed': 7936}
    """
    found = {
        str(row.dataset): int(number(row))
        for item in ("nao-tab1", FUNNEL)
        for row in printed(item, metric="images")
    }
    return {ours: found[theirs] for theirs, ours in STEPS.items()}


def titled(made: ObjectConstruction | None) -> dict[str, dict[str, int]]:
    """Return title -> funnel, the paper's first; ours only if the data set was made in this run.

    >>> list(titled(toys.CONSTRUCTION)), list(titled(None))
    (['The paper: OpenImages', 'This run'], ['The paper: OpenImages'])
    """
    ours = {} if made is None else {"This run": made.filtration.funnel()}
    return {"The paper: OpenImages": printed_steps(), **ours}


def in_words(made: ObjectConstruction | None) -> str:
    """Return a text on the images left after each step, the paper's and ours.

    >>> in_words(None)
    "the paper's: pictures 1,900,000, with a candidate 43,860, confirmed 7,936"
    """
    both = {"the paper's": printed_steps()} | (
        {} if made is None else {"ours": made.filtration.funnel()}
    )
    return "; ".join(
        f"{whose}: {', '.join(f'{step} {count:,}' for step, count in left.items())}"
        for whose, left in both.items()
    )


def step_frame(made: ObjectConstruction | None) -> pd.DataFrame:
    """Return the number of images left after each step, by kind of mistake, next to the paper's.

    An image with mistakes of both kinds counts for each.

    >>> step_frame(toys.CONSTRUCTION)["This run"].tolist()
    [12, 6, 2, 4, 4]
    """
    frame = pd.DataFrame(
        {"Images": list(printed_steps()), "The paper": list(printed_steps().values())}
    )
    if made is None:
        return frame
    told = made.filtration
    kinds = {f"of these with {kind}s": pictures_of(told.candidates, kind) for kind in KINDS}
    lines = pd.DataFrame({"Images": list(kinds), "The paper": pd.NA})
    whole = pd.concat([frame.iloc[:2], lines, frame.iloc[2:]], ignore_index=True)
    _, with_candidate, confirmed = told.funnel().values()
    counts = [len(places) for places in kinds.values()]
    ours = [told.pictures, with_candidate, *counts, confirmed]
    whole["This run"] = ours
    return whole.astype({"The paper": "Int64", "This run": "Int64"})


KINDS = (EGREGIOUS, HARD)


def question_frame(made: ObjectConstruction) -> pd.DataFrame:
    """Return one row per question: rejected candidates and the agreement of annotators.

    >>> frame = question_frame(toys.CONSTRUCTION).set_index("Question")
    >>> int(frame.loc["Blurry", "Rejected candidates"])
    1
    """
    told = made.filtration
    falls = told.falls()
    some = bool(told.candidates) and _annotators(told) > 1
    nothing = dict.fromkeys(questions.NAMES, float("nan"))
    shares = questions.agreement(told.answers) if some else nothing
    kappas = questions.kappa(told.answers) if some else nothing
    return pd.DataFrame(
        {
            "Question": [name.capitalize() for name in questions.NAMES],
            "Rejected candidates": [falls[name] for name in questions.NAMES],
            "Pairs of votes alike (%)": [100 * shares[name] for name in questions.NAMES],
            "Fleiss' kappa": [kappas[name] for name in questions.NAMES],
        }
    )


def kappas(told: ObjectFiltration) -> dict[str, float]:
    """Return Fleiss' kappa of the questions for which it is defined.

    >>> sorted(kappas(toys.CONSTRUCTION.filtration))
    ['blurry', 'class']
    """
    if not told.candidates or _annotators(told) < 2:
        return {}
    return {
        name: value for name, value in questions.kappa(told.answers).items() if not isnan(value)
    }


def _annotators(told: ObjectFiltration) -> int:
    return len(told.answers[0]) if told.answers else 0
