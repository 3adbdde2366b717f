"""The interface of both stages of annotation, usable on the page [nao, fig. 3].

The sheets are those that `robust annotate` writes, for a few images that are embedded in them.
"""

import base64
import io
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from PIL import Image

from robust_book.html.markup import Html, lines, text
from robust_lib.config.coco import Box
from robust_lib.curation import annotation_sheet, questions
from robust_lib.curation.annotation_sheet import Stage
from robust_lib.curation.candidate_set import CandidateSet, Category, Labelled, Photograph
from robust_lib.curation.candidates import EGREGIOUS, Candidate
from robust_lib.curation.object_filtration import ObjectFiltration
from robust_lib.datasets import ImageSet
from robust_lib.datasets.objects import Objects
from robust_lib.preprocessing import Preprocessing

SIDE = 384  # larger pictures are shown smaller: they travel with the page
MOST = 6  # pictures
AS_IS = Preprocessing(None, None)

TITLES: dict[Stage, str] = {
    1: "Stage 1: does the box show a fair object, and what is it?",
    2: "Stage 2: boxes around all objects",
}


def places(told: ObjectFiltration, most: int = MOST) -> tuple[int, ...]:
    """Return the indices of images on which annotators disagree: confirmed and rejected ones.

    They are the first confirmed images, and the first image rejected by each question, each once.

    >>> places(toys.CONSTRUCTION.filtration)
    (0, 2, 4, 9)
    """
    both = list(zip(told.candidates, told.failed, strict=True))
    kept = [one.image for one, why in both if not why][:2]
    for name in questions.NAMES:
        kept += [one.image for one, why in both if name in why and one.image not in kept][:1]
    return tuple(dict.fromkeys(kept))[:most]


def found(
    images: ImageSet,
    objects: Sequence[Objects],
    chosen: Sequence[int],
    candidates: Sequence[Candidate],
) -> tuple[CandidateSet, dict[str, str]]:
    """Return a few images in the sheets' form, and their addresses: data embedded in the page.

    Args:
        chosen: indices of the images.
        candidates: confident boxes; the sheets contain the most confident one of each chosen image.

    >>> made = toys.CONSTRUCTION
    >>> few, addresses = found(made.pool, made.pool.annotations, [2], made.filtration.candidates)
    >>> few.photographs[0].width, [name[:15] for name in addresses.values()]
    (64, ['data:image/webp'])
    """
    photographs, asked, proposals, addresses = [], [], [], {}
    for number, place in enumerate(chosen):
        picture, scale = _smaller(images.read(place, AS_IS))
        height, width = picture.shape[:2]
        photographs.append(Photograph(images.ids[place], width, height))
        addresses[images.ids[place]] = _address(picture)
        of = [one for one in candidates if one.image == place][:1]
        size = (width, height)
        asked += [replace(one, image=number, box=_scaled(one.box, scale, size)) for one in of]
        proposals.append(
            tuple(
                Labelled(_scaled(box.tolist(), scale, size), int(label))
                for box, label in zip(objects[place].boxes, objects[place].classes, strict=True)
            )
        )
    made = CandidateSet(
        detector="",
        categories=tuple(Category(at, name) for at, name in enumerate(images.class_names, start=1)),
        searched=len(images),
        settings={},
        photographs=tuple(photographs),
        candidates=tuple(asked),
        proposals=tuple(proposals),
    )
    return made, addresses


def of_release(objects: Sequence[Objects], most: int = MOST) -> tuple[Candidate, ...]:
    """Return one box of each of the first images with boxes, for sets with unknown candidates.

    Annotators are to confirm the class of each object.

    >>> [one.image for one in of_release(toys.Shapes().annotations, 3)]
    [0, 1, 2]
    """
    found: list[Candidate] = []
    for place, one in enumerate(objects):
        single = np.flatnonzero(~one.crowds)
        if len(single) and len(found) < most:
            left, top, right, bottom = map(float, one.boxes[single[0]])
            label = int(one.classes[single[0]])
            box = (left, top, right, bottom)
            found.append(Candidate(place, 0, EGREGIOUS, box, label, 1.0, label, 1.0))
    return tuple(found)


def embedded(of: CandidateSet, addresses: dict[str, str]) -> Html:
    """Return the sheets of both stages, each in its own frame.

    >>> made = toys.CONSTRUCTION
    >>> few = found(made.pool, made.pool.annotations, [2], made.filtration.candidates)
    >>> texts(embedded(*few), "summary")[1]
    'Stage 2: boxes around all objects'
    """
    sheets = (
        annotation_sheet.of_questions(of, "try it"),
        annotation_sheet.of_boxes(of, "try it"),
    )
    return lines(*(_frame(sheet.stage, sheet.page(addresses)) for sheet in sheets))


def _frame(stage: Stage, page: str) -> str:
    title = text(TITLES[stage])
    return (
        f"<details open><summary>{title}</summary>"
        f'<iframe class="rb-try" id="stage-{stage}" title="{title}" srcdoc="{text(page)}" '
        'loading="lazy"></iframe></details>'
    )


def _smaller(picture: np.ndarray) -> tuple[np.ndarray, float]:
    height, width = picture.shape[:2]
    scale = min(1.0, SIDE / max(height, width))
    if scale == 1:
        return picture, scale
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.LANCZOS)), scale


def _scaled(box: Sequence[float], scale: float, size: tuple[int, int]) -> Box:
    width, height = size
    left, top, right, bottom = (
        round(min(max(scale * float(value), 0.0), most), 1)
        for value, most in zip(box, (width, height, width, height), strict=True)
    )
    return left, top, right, bottom


def _address(picture: np.ndarray) -> str:
    packed = io.BytesIO()
    Image.fromarray(picture).save(packed, "WEBP", quality=88, method=6)
    return f"data:image/webp;base64,{base64.b64encode(packed.getvalue()).decode()}"
