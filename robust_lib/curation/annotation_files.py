"""The files that annotators saved from the sheets of both stages, read strictly."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robust_lib.config import strict_json
from robust_lib.curation import object_file, questions
from robust_lib.curation.annotation_sheet import Sheet
from robust_lib.curation.candidate_set import Labelled
from robust_lib.curation.decisions import listed
from robust_lib.curation.questions import NO, YES, Answers
from robust_lib.errors import DataError

FORMAT = 1
"""The format of the files that sheets save; increase it when their scripts change it."""


@dataclass(frozen=True)
class Answered:
    """The answers of all annotators in the first stage."""

    annotators: tuple[str, ...]
    answers: tuple[tuple[Answers, ...], ...]


@dataclass(frozen=True)
class Boxed:
    """The boxes that one annotator drew in the second stage, for each image on the sheet."""

    annotator: str
    boxes: tuple[tuple[Labelled, ...], ...]


def read_answers(sheet: Sheet, paths: Sequence[Path], annotators: int) -> Answered:
    """Return the annotators' answers on a sheet of the first stage.

    Raises:
        DataError: a file is missing or contains no answers; it belongs to a different sheet or to
            the same annotator as a different file; it leaves questions open; or the number of files
            is wrong.
    """
    if len(paths) != annotators:
        raise DataError(
            f"Expected answers of {annotators} annotators, but got {len(paths)} files. Pass one "
            "file per annotator, or set their number with --annotators."
        )
    tasks = {task.id for task in sheet.tasks}
    found: dict[str, dict[str, Any]] = {}
    for path in paths:
        saved = _saved(path)
        name = _annotator(saved["annotator"], saved["format"], saved["sheet"], sheet, path)
        if name in found:
            raise DataError(_twice(path, name))
        answers = saved["answers"]
        if not isinstance(answers, dict):
            raise DataError(_no_answers(path, "its answers are not a JSON object"))
        if foreign := sorted(answers.keys() - tasks):
            raise DataError(
                _no_answers(
                    path, f"it has answers about {listed(foreign)}, which are not on the sheet"
                )
            )
        for task, of in answers.items():
            _require_words(of, task, path)
        if left := [one.id for one in sheet.tasks if len(answers.get(one.id, {})) < len(_NAMES)]:
            raise DataError(
                f"Expected {name} to answer all questions about {len(tasks)} boxes, but {path} "
                f"leaves {len(left)} open ({listed(left)}). Continue with the sheet and save it "
                "again."
            )
        found[name] = answers
    return Answered(
        tuple(found),
        tuple(
            tuple({name: of[task.id][name] == YES for name in _NAMES} for of in found.values())
            for task in sheet.tasks
        ),
    )


def read_boxes(sheet: Sheet, path: Path) -> Boxed:
    """Return the boxes that one annotator drew on a sheet of the second stage.

    Raises:
        DataError: the file is missing or contains no boxes, belongs to a different sheet, leaves
            images open, or has an unknown class or image, or an invalid box.
    """
    coco = object_file.read(path)
    about = coco.info
    if missing := {"format", "sheet", "annotator", "done"} - about.keys():
        what = f"its info lacks {', '.join(sorted(missing))}"
        raise DataError(_no_answers(path, what))
    name = _annotator(about["annotator"], about["format"], about["sheet"], sheet, path)
    files = [one.file for one in sheet.photographs]
    if foreign := sorted({one.file_name for one in coco.images} - set(files)):
        raise DataError(
            _no_answers(path, f"it lists {listed(foreign)}, which are not on the sheet")
        )
    known = {one.name: place for place, one in enumerate(sheet.categories)}
    if unknown := sorted({one.name for one in coco.categories} - known.keys()):
        raise DataError(
            _no_answers(
                path, f"it has boxes of {listed(unknown)}, which are not classes of the sheet"
            )
        )
    by_picture = object_file.by_picture(coco, path, sheet.photographs)
    if left := [file for file in files if file not in about["done"]]:
        raise DataError(
            f"Expected {name} to be done with all {len(files)} images, but {path} leaves "
            f"{len(left)} open ({listed(left)}). Continue with the sheet, mark complete images as "
            "done, and save it again."
        )
    return Boxed(
        name, tuple(tuple(Labelled(one.box, known[one.name]) for one in of) for of in by_picture)
    )


def sheet_of(path: Path) -> str:
    """Return the digest of the sheet to which a file of boxes belongs.

    Raises:
        DataError: the file is missing or contains no boxes.
    """
    return str(object_file.read(path).info.get("sheet", ""))


_NAMES = questions.NAMES


def _saved(path: Path) -> dict[str, Any]:
    try:
        saved = strict_json.parsed(path.read_text("utf-8"))
    except FileNotFoundError:
        raise DataError(f"Expected answers in {path}, but there is no such file.") from None
    except (ValueError, OSError) as error:
        raise DataError(_no_answers(path, str(error))) from None
    if not isinstance(saved, dict) or set(saved) != {"format", "sheet", "annotator", "answers"}:
        raise DataError(_no_answers(path, "its fields differ from those of a saved sheet"))
    return saved


def _annotator(name: Any, form: Any, digest: Any, sheet: Sheet, path: Path) -> str:
    if form != FORMAT:
        raise DataError(_no_answers(path, f"it is of format {form}"))
    if not isinstance(name, str) or not name:
        raise DataError(_no_answers(path, "it does not name its annotator"))
    if digest != sheet.digest:
        raise DataError(
            f"Expected {path} to be saved from this sheet of stage {sheet.stage}, but it is from "
            "another sheet: candidates have been added or removed since, or the file is from the "
            "other stage. Restore the candidates, or write the sheet again."
        )
    return name


def _require_words(of: Any, task: str, path: Path) -> None:
    if not isinstance(of, dict) or not of.keys() <= set(_NAMES):
        raise DataError(
            _no_answers(path, f"its answers about {task} belong to different questions")
        )
    if wrong := [name for name, word in of.items() if word not in (YES, NO)]:
        raise DataError(
            _no_answers(path, f"its answer to {wrong[0]} about {task} is neither {YES} nor {NO}")
        )


def _twice(path: Path, name: str) -> str:
    return (
        f"Expected one file per annotator, but {path} and another file are both by {name}. Read "
        "only the newer file."
    )


def _no_answers(path: Path, what: str) -> str:
    return (
        f"Expected a file saved by an annotation sheet at {path}, but it is not one: {what}. Save "
        "it again from the sheet."
    )
