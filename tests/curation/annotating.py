"""Pictures with candidates, and what annotators save on the sheets of both stages."""

import json

from robust_lib.curation.candidate_set import CandidateSet, Category, Labelled, Photograph
from robust_lib.curation.candidates import EGREGIOUS, HARD, Candidate
from robust_lib.curation.questions import NAMES

FILES = ("one.jpg", "sub folder/two #1.png")
SIZES = ((120, 90), (80, 100))
CATEGORIES = (Category(1, "person"), Category(17, "cat"), Category(18, "dog"))
FAIR = dict(zip(NAMES, ("yes", "yes", "no", "no", "no"), strict=True))
MISTAKE = FAIR | {"class": "no"}


def found(**changes):
    """A cat taken for a dog and a box on nothing in the first picture, one more in the second."""
    content = {
        "detector": "net",
        "categories": CATEGORIES,
        "searched": 10,
        "settings": {"iou": 0.5, "score": 0.8, "truth": "truth.json", "foreign": False},
        "photographs": tuple(
            Photograph(file, *size) for file, size in zip(FILES, SIZES, strict=True)
        ),
        "candidates": (
            Candidate(0, 0, EGREGIOUS, (10.0, 20.0, 50.5, 60.0), 2, 0.95, 1, 0.75),
            Candidate(0, 1, HARD, (70.0, 5.0, 110.0, 40.0), 0, 0.875),
            Candidate(1, 2, HARD, (0.0, 0.0, 80.0, 100.0), 1, 0.9),
        ),
        "proposals": (
            (Labelled((10.0, 20.0, 50.5, 60.0), 1), Labelled((70.0, 5.0, 110.0, 40.0), 0)),
            (),
        ),
    }
    return CandidateSet(**content | changes)


def answered(path, sheet, annotator, /, *answers, **changes):
    """Save what somebody answered on the tasks of a sheet, in order."""
    by_task = dict(zip([task.id for task in sheet.tasks], answers, strict=False))
    saved = {"format": 1, "sheet": sheet.digest, "annotator": annotator, "answers": by_task}
    path.write_text(json.dumps(saved | changes), "utf-8")
    return path


def boxed(path, sheet, annotator, boxes, **changes):
    """Save what somebody drew: (number of the picture, category id, x, y, width, height)."""
    pictures = [
        {"id": place, "file_name": one.file, "width": one.width, "height": one.height}
        for place, one in enumerate(sheet.photographs)
    ]
    saved = {
        "info": {
            "format": 1,
            "sheet": sheet.digest,
            "annotator": annotator,
            "done": [one.file for one in sheet.photographs],
        },
        "images": pictures,
        "annotations": [
            {"id": number, "image_id": picture, "category_id": category, "bbox": bbox, "area": 1}
            for number, (picture, category, *bbox) in enumerate(boxes)
        ],
        "categories": [{"id": one.id, "name": one.name} for one in sheet.categories],
    }
    path.write_text(json.dumps(saved | changes), "utf-8")
    return path
