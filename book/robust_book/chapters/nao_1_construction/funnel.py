"""The funnel: from a pool of photographs to those with a confirmed mistake [nao, sec. 3]."""

from collections.abc import Mapping
from math import isnan
from types import MappingProxyType

import numpy as np
import pandas as pd

from robust_lib.curation import questions
from robust_lib.curation.candidates import EGREGIOUS, HARD
from robust_lib.curation.object_filtration import (
    CONFIRMED,
    POOL,
    WITH_CANDIDATE,
    ObjectFiltration,
    pictures_of,
)
from robust_lib.results.estimate import Estimate
from robust_lib.results.reported import number
from robust_lib.results.reported import printed as printed_numbers
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run import object_sets
from robust_lib.run.object_sets import ObjectConstruction
from robust_lib.run.papers import nao
from robust_lib.run.run import Run

ITEM = "nao-funnel"
CANDIDATES = "nao_candidates"
"""The paper's pictures with a candidate."""

STEPS: Mapping[str, str] = MappingProxyType(
    {nao.POOL: POOL, CANDIDATES: WITH_CANDIDATE, nao.ADVERSARIAL: CONFIRMED}
)
"""What the paper's pictures are called after a step -> our word for it."""


def construction(
    run: Run,
    *,
    detector: str,
    iou: float,
    annotators: int,
    score: float | None = None,
    count_foreign: bool = False,
) -> ObjectConstruction | None:
    """Return how the adversarial objects came about; None where others chose them.

    Args:
        run: its profile says what the pool is.
        detector: that filters, by the paper's name or ours.
        iou: a box and its object share more, a fraction.
        annotators: how many are asked.
        score: a sure box has a higher one, a fraction; None: the data set's own.
        count_foreign: whether objects outside of the label set count as truth.

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
    """Return the counts after each step, the share that is kept, and the settings, as rows.

    Args:
        made: of `construction`; without it there are no rows.

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
        Row(item=ITEM, dataset=names[theirs], metric="images", value=float(left[ours]))
        for theirs, ours in STEPS.items()
    ]
    rows += [
        Row(item=ITEM, dataset=pool, model=made.found.model, metric=metric, value=float(value))
        for metric, value in (
            ("iou_threshold", told.settings["iou"]),
            ("threshold", told.settings["score"]),
        )
    ]
    settings = {"annotators": _annotators(told), "questions": len(questions.NAMES) - 1}
    rows += [
        Row(item=ITEM, dataset=name, metric=metric, value=float(value))
        for metric, value in settings.items()
    ]
    if told.candidates:
        kept = np.isin(pictures_of(told.candidates), told.places)
        share = Estimate.of_rate([kept], images=names[CANDIDATES])
        said = "of the pictures with a candidate"
        rows.append(Row.of(share, item=ITEM, dataset=name, metric="kept_share", convention=said))
    return Results.of(rows)


def stand_ins(made: ObjectConstruction | None) -> dict[str, str]:
    """Return what stands for the paper's pictures with a candidate.

    >>> stand_ins(toys.CONSTRUCTION)
    {'nao_candidates': 'shapes_nao_candidates'}
    """
    return {} if made is None else {CANDIDATES: f"{made.name}_candidates"}


def printed() -> dict[str, int]:
    """Return the paper's own funnel: step -> pictures that were left.

    >>> printed()
    {'pictures': 1900000, 'with a candidate': 43860, 'confirmed': 7936}
    """
    found = {
        str(row.dataset): int(number(row))
        for item in ("nao-tab1", ITEM)
        for row in printed_numbers(item, metric="images")
    }
    return {ours: found[theirs] for theirs, ours in STEPS.items()}


def titled(made: ObjectConstruction | None) -> dict[str, dict[str, int]]:
    """Return both funnels under their titles, the paper's first; ours only where it was made here.

    >>> list(titled(toys.CONSTRUCTION)), list(titled(None))
    (['The paper: OpenImages', 'This run'], ['The paper: OpenImages'])
    """
    ours = {} if made is None else {"This run": made.filtration.funnel()}
    return {"The paper: OpenImages": printed(), **ours}


def in_words(made: ObjectConstruction | None) -> str:
    """Return what is left after each step, the paper's and ours.

    >>> in_words(None)
    "the paper's: pictures 1,900,000, with a candidate 43,860, confirmed 7,936"
    """
    both = {"the paper's": printed()} | ({} if made is None else {"ours": made.filtration.funnel()})
    return "; ".join(
        f"{whose}: {', '.join(f'{step} {count:,}' for step, count in left.items())}"
        for whose, left in both.items()
    )


def step_frame(made: ObjectConstruction | None) -> pd.DataFrame:
    """Return how many pictures are left after each step, by kind of mistake, beside the paper's.

    A picture with mistakes of both kinds counts for each.

    >>> step_frame(toys.CONSTRUCTION)["This run"].tolist()
    [12, 6, 2, 4, 4]
    """
    frame = pd.DataFrame({"Pictures": list(printed()), "The paper": list(printed().values())})
    if made is None:
        return frame
    told = made.filtration
    kinds = {f"of these with {kind}s": pictures_of(told.candidates, kind) for kind in KINDS}
    lines = pd.DataFrame({"Pictures": list(kinds), "The paper": pd.NA})
    whole = pd.concat([frame.iloc[:2], lines, frame.iloc[2:]], ignore_index=True)
    _, with_candidate, confirmed = told.funnel().values()
    counts = [len(places) for places in kinds.values()]
    ours = [told.pictures, with_candidate, *counts, confirmed]
    whole["This run"] = ours
    return whole.astype({"The paper": "Int64", "This run": "Int64"})


KINDS = (EGREGIOUS, HARD)


def question_frame(made: ObjectConstruction) -> pd.DataFrame:
    """Return by question how many candidates fall, and how far annotators agree.

    >>> frame = question_frame(toys.CONSTRUCTION).set_index("Question")
    >>> int(frame.loc["Blurry", "Candidates that fall"])
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
            "Candidates that fall": [falls[name] for name in questions.NAMES],
            "Pairs of votes alike (%)": [100 * shares[name] for name in questions.NAMES],
            "Fleiss' kappa": [kappas[name] for name in questions.NAMES],
        }
    )


def kappas(told: ObjectFiltration) -> dict[str, float]:
    """Return Fleiss' kappa of the questions where it is defined.

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
