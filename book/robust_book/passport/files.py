"""The files of a passport: the page, the record, its numbers as CSV, the model's predictions."""

from collections.abc import Sequence
from pathlib import Path

from robust_book.passport.page import page
from robust_lib import atomic
from robust_lib.passport.evaluation import Evaluation
from robust_lib.passport.ranks import ranks
from robust_lib.passport.record import frame, write_json
from robust_lib.passport.timm_form import Shown, tables
from robust_lib.predict.answers_file import write_answers
from robust_lib.run.boxes_of_files import ROLE, write_file

ANSWERS, RANKS = "answers.parquet", "ranks.csv"


def write(found: Evaluation, folder: Path) -> Path:
    """Write a passport's files into a folder, and return its page.

    The files are passport.html, passport.json, passport.csv and, for classifiers, answers.parquet,
    which can replace the model as predictions:FILE, and tables in timm's format for whole data
    sets.
    """
    folder = folder.expanduser().resolve()
    folder.mkdir(parents=True, exist_ok=True)
    passport = found.passport
    if found.answers:
        write_answers_of(found, folder / ANSWERS)
        passport = passport.model_copy(update={"answers": ANSWERS})
    write_json(passport, folder / "passport.json")
    with atomic.file(folder / "passport.csv") as made:
        frame(passport).to_csv(made, index=False)
    for name, table in tables((passport, found.geometry)).items():
        with atomic.file(folder / name) as made:
            table.to_csv(made, index=False)
    target = folder / "passport.html"
    atomic.write_bytes(target, page(passport, found.pictures).encode())
    return target


def write_side_by_side(shown: Sequence[Shown], folder: Path) -> list[Path]:
    """Write several networks' numbers side by side: their ranks, and timm's tables of them all."""
    made = []
    for name, table in {RANKS: ranks([one for one, _ in shown]), **tables(*shown)}.items():
        made.append(folder / name)
        with atomic.file(made[-1]) as file:
            table.to_csv(file, index=False)
    return made


def write_boxes_of(found: Evaluation, target: Path) -> list[Path]:
    """Write a detector's boxes as one COCO results file per evaluated set of images.

    Args:
        target: `{role}` in it is the role of the images.
    """
    return [
        write_file(boxes, images, Path(str(target).replace(ROLE, role)))
        for role, (boxes, images) in found.boxes.items()
    ]


def write_answers_of(found: Evaluation, target: Path) -> Path:
    """Write a classifier's predictions for all evaluated image sets."""
    passport = found.passport
    return write_answers(
        target,
        found.answers,
        classes=passport.classes,
        outputs=passport.outputs,
        judged=found.judged,
    )
