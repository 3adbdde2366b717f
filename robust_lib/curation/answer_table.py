"""The answers of annotators as a table and as text."""

import csv
from pathlib import Path

from robust_lib import atomic
from robust_lib.curation import questions
from robust_lib.curation.annotation_sheet import Sheet
from robust_lib.curation.object_filtration import ObjectFiltration

CONFIRMED = "confirmed"


def summary(made: ObjectFiltration) -> str:
    """Return one line per question: how many candidates fall by it, and how far annotators agree.

    >>> from robust_lib.curation.candidates import Candidate
    >>> shark = Candidate(0, 0, "hard false positive", (1.0, 1.0, 9.0, 9.0), 0, 0.9)
    >>> says = dict(zip(questions.NAMES, (False, True, False, False, False), strict=True))
    >>> made = ObjectFiltration(pictures=1, candidates=(shark,), answers=((says,) * 3,),
    ...     settings={})
    >>> summary(made).splitlines()[0]
    "class: 0 of 1 candidates fall; agreement 100.0 %, Fleiss' kappa not defined, all votes alike"
    """
    falls, total = made.falls(), len(made.candidates)
    lines = [f"{name}: {falls[name]} of {total} candidates fall" for name in questions.NAMES]
    if total and len(made.answers[0]) > 1:
        shares, kappas = questions.agreement(made.answers), questions.kappa(made.answers)
        lines = [
            f"{line}; agreement {100 * shares[name]:.1f} %, Fleiss' kappa {_kappa(kappas[name])}"
            for name, line in zip(questions.NAMES, lines, strict=True)
        ]
    return "\n".join(lines)


def save(made: ObjectFiltration, sheet: Sheet, path: Path) -> None:
    """Write a CSV file: box, class asked about, votes for yes by question, and the outcome."""
    with atomic.file(path) as written, written.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        votes = [f"{name}_yes" for name in questions.NAMES]
        writer.writerow(["box", "asked", "annotators", *votes, "falls_by"])
        for task, answers, why in zip(sheet.tasks, made.answers, made.failed, strict=True):
            counts = [sum(one[name] for one in answers) for name in questions.NAMES]
            fate = " ".join(why) or CONFIRMED
            writer.writerow([task.id, task.asked, len(answers), *counts, fate])


def _kappa(value: float) -> str:
    return "not defined, all votes alike" if value != value else f"{value:.3f}"
