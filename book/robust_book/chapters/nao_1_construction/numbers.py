"""The data sets in numbers, beside the paper's Table 1, and the numbers that the prose names."""

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pandas as pd

from robust_book.chapters.nao_1_construction import funnel, mistakes
from robust_book.chapters.nao_1_construction.mistakes import Mistake
from robust_lib.curation.candidates import EGREGIOUS, HARD
from robust_lib.curation.object_filtration import pictures_of
from robust_lib.datasets import ImageSet
from robust_lib.datasets.objects import Objects
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, count, percent
from robust_lib.results.reported import printed
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.image_kinds import as_objects
from robust_lib.run.network import network_title
from robust_lib.run.object_sets import ObjectConstruction
from robust_lib.run.papers import nao

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
    """Return how many pictures, objects and classes data sets have, as rows.

    Objects of COCO's training set, which detectors learn from, are not counted, as in the paper.
    Those of the pool count foreign ones.

    Args:
        sets: role -> its pictures, all with objects.
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
    """Return how many objects of each class pictures have, the most frequent first.

    Args:
        objects: of each picture; a region of a crowd is one object, as the paper counts.
        names: of the classes, in order.
        foreign: whether to count those outside of the label set, too.
    """
    found = Counter(names[int(label)] for one in objects for label in one.classes)
    if foreign:
        found.update(name for one in objects if one.foreign for name in one.foreign.names)
    return dict(found.most_common())


def sizes_frame(results: Results, sets: Mapping[str, str]) -> pd.DataFrame:
    """Return the data sets of a run as Table 1 has them.

    Args:
        results: of `size_rows`.
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
    """Return Table 1 as the paper prints it, with what its text says of the other sets."""
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
    """Return the numbers that the prose names, ready for the `{result}` role.

    Args:
        results: of `funnel.results`.
        found: of `sure_mistakes`.
        made: of `funnel.construction`.
    """
    chosen = [*mistakes.chosen(found, foreign=False), *mistakes.chosen(found, foreign=True)]
    surest = sorted(chosen, key=lambda one: -one.candidate.score)[:SUREST]
    said = KeyNumber("; ".join(one.words for one in surest) or "none")
    if made is None:
        unknown = KeyNumber("an unknown number of")
        names = ("pool", "candidates", "confirmed", "mistaken", "foreign", "annotators", "falls")
        rest = dict.fromkeys(("kept_share", "lowest_kappa", "highest_kappa", "detector"),
                             NOT_MEASURED)  # fmt: skip
        return {**dict.fromkeys(names, unknown), **rest, "surest": said}
    told = made.filtration
    pool, with_candidate, confirmed = told.funnel().values()
    falls = told.falls()
    most = max(falls, key=lambda name: falls[name])
    return {
        "detector": KeyNumber(network_title(made.found.model)),
        "pool": _count(pool, "pictures of the pool"),
        "candidates": _count(with_candidate, "pictures with a candidate"),
        "mistaken": _count(
            len(pictures_of(told.candidates, EGREGIOUS)), "pictures with egregious mistakes"
        ),
        "foreign": _count(
            len(pictures_of(told.candidates, HARD)), "pictures with hard false positives"
        ),
        "confirmed": _count(confirmed, "pictures with a confirmed candidate"),
        "annotators": _count(len(told.answers[0]) if told.answers else 0, "simulated annotators"),
        "falls": KeyNumber(most, convention=f"by it {falls[most]:,} candidates fall, most of all"),
        "kept_share": percent(results.first(metric="kept_share")),
        **_kappas(funnel.kappas(told)),
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
