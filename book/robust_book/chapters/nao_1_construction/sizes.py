"""The data sets in numbers: pictures, objects, and the most frequent classes [nao, tab. 1]."""

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pandas as pd

from robust_lib.datasets import ImageSet
from robust_lib.datasets.objects import Objects
from robust_lib.results.reported import reported
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.image_kinds import as_objects
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


def results(sets: Mapping[str, ImageSet]) -> Results:
    """Return how many pictures, objects and classes data sets have, as rows.

    Objects of COCO's training set, which detectors learn from, are not counted, as in the paper.
    Those of the pool count foreign ones.

    Args:
        sets: role -> its pictures, all with objects.

    >>> sets = {"coco_val": toys.Shapes(name="coco_val"), "nao": toys.Shapes(3, name="nao")}
    >>> rows = results(sets)
    >>> rows.row(dataset="nao", metric="objects").value
    3.0
    >>> rows.row(dataset="nao/disc", metric="objects").value
    1.0
    """
    rows = []
    for role, images in sets.items():
        rows.append(_row(images.name, "images", len(images)))
        if role == nao.TRAINING:
            continue
        counted = counts(as_objects(images), images.class_names, foreign=role == nao.POOL)
        rows.append(_row(images.name, "objects", sum(counted.values())))
        if role == nao.POOL:
            rows.append(_row(images.name, "classes", len(counted)))
        else:
            rows.append(_row(images.name, "classes", len(images.class_names)))
            rows += [_row(f"{images.name}/{name}", "objects", n) for name, n in counted.items()]
    return Results.of(rows)


def counts(
    objects: Sequence[Objects], names: Sequence[str], *, foreign: bool = False
) -> dict[str, int]:
    """Return how many objects of each class pictures have, the most frequent first.

    Args:
        objects: of each picture; a region of a crowd is one object, as the paper counts.
        names: of the classes, in order.
        foreign: whether to count those outside of the label set, too.

    >>> counts(toys.Shapes(3).annotations, toys.Shapes().class_names)
    {'disc': 1, 'box': 1, 'cross': 1}
    """
    found = Counter(names[int(label)] for one in objects for label in one.classes)
    if foreign:
        found.update(name for one in objects if one.foreign for name in one.foreign.names)
    return dict(found.most_common())


def frame(results: Results, sets: Mapping[str, str]) -> pd.DataFrame:
    """Return the data sets of a run as Table 1 has them.

    Args:
        results: of `results`.
        sets: role -> name of the data set.

    >>> rows = results({"nao": toys.Shapes(3, name="nao")})
    >>> frame(rows, {"nao": "nao"}).loc[0, "1st"]
    'disc (1)'
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


def printed_frame() -> pd.DataFrame:
    """Return Table 1 as the paper prints it, with what its text says of the other sets.

    >>> printed_frame().set_index("Data set").loc["NAO", "1st"]
    'person (4,693)'
    """
    found = [row for row in reported(ITEM) if row.number is not None]
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
    cells = [f"{name} ({count:,})" for name, count in most]
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
