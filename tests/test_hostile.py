"""Files that others made, in every reader: right, or one paragraph of error; nothing is executed.

Each reader gets a good file, bent by hypothesis, and all of `BENT`, a corpus of what was ever bad.
"""

import io
import json
import pickle
import re
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from robust_book.course import handed_in, marks
from robust_book.html.svg import theme_svg
from robust_lib.cache import Store
from robust_lib.config import strict_yaml
from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import DatasetManifest
from robust_lib.curation import annotation_files, decisions, object_file, reviews
from robust_lib.datasets import openimages, pickled, vid_boxes, vid_robust
from robust_lib.errors import LONGEST, RobustLibError
from robust_lib.fetch import archives, coco_file, devkit
from robust_lib.fetch.shards import parquet, tars
from robust_lib.models import weights
from robust_lib.passport import record
from robust_lib.predict import answers_file, detections_file
from robust_lib.predict.predictions import Predictions
from robust_lib.results import claims
from robust_lib.results.table import Results
from tests.few_or_many import few_or_many

MARKUP = "<img src=x onerror=alert(1)>"


class Bomb:
    """An object that leaves a mark when a pickle of it is loaded."""

    mark = Path(tempfile.gettempdir(), "robust-hostile-mark")

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.mark,)


def of_json(content: object) -> bytes:
    return json.dumps(content).encode()


def zipped(**members: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/"), content)
    return made.getvalue()


def tarred(**members: bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name.replace("__", "/"))
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return made.getvalue()


def saved(write: Callable[[Any, Any], Any], content: object) -> bytes:
    made = io.BytesIO()
    write(content, made)
    return made.getvalue()


def npz(**arrays: Any) -> bytes:
    made = io.BytesIO()
    np.savez(made, **arrays)
    return made.getvalue()


def squeezed(**arrays: Any) -> bytes:
    """Return compressed arrays of which each stream is broken in its middle."""
    made = io.BytesIO()
    np.savez_compressed(made, **arrays)
    whole = bytearray(made.getvalue())
    for found in re.finditer(rb"PK\x03\x04", bytes(whole)):
        whole[found.start() + 60] ^= 0xFF
        whole[found.start() + 61] ^= 0xFF
    return bytes(whole)


def noted(**notes: object) -> bytes:
    """Return a shard of one image in Parquet, with notes as JSON, as the hub has them."""
    image = pa.array([{"bytes": b"1", "path": "a.jpg"}])
    told = {name: json.dumps(one) for name, one in notes.items()}
    table = pa.table({"image": image, "label": [0]}).replace_schema_metadata(told)
    return saved(pq.write_table, table)


def headed(header: str) -> bytes:
    """Return an .npy file whose header is this text, and that has nothing else."""
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()


def stored(path: Path) -> Path:
    """Return the folder of a store whose entry a file is."""
    place = path.parent / path.stem[:2] / path.name
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(path.read_bytes())
    return path.parent


BOX = {"image_id": 7, "category_id": 18, "bbox": [1, 2, 3, 4], "area": 12, "iscrowd": 0, "id": 1}
COCO = {
    "images": [{"id": 7, "file_name": "a.jpg", "width": 9, "height": 9}],
    "annotations": [BOX],
    "categories": [{"id": 18, "name": "dog"}],
}
NOTEBOOK = {"cells": [{"cell_type": "code", "source": "1", "outputs": []}], "metadata": {}}
VOC = (
    b"<annotation><size><width>64</width><height>36</height></size><object><trackid>0</trackid>"
    b"<name>n02084071</name><bndbox><xmax>40</xmax><xmin>1</xmin><ymax>30</ymax><ymin>5</ymin>"
    b"</bndbox></object></annotation>"
)
ANSWERS = {"images": "a", "ids": ["1", "2"], "logits": np.eye(2, dtype=np.float32)}
TABLE = pd.DataFrame({"images": ["a", "a"], "id": ["1", "2"], "logits": [[0.0, 1.0]] * 2})
HUBS = {"info": {"features": {"label": {"names": ["cat"]}}}}
# Name of a reader -> ending of its files, the reader, and a file that it reads or nearly reads.
READERS: dict[str, tuple[str, Callable[[Path], object], bytes]] = {
    "archive": (".tar", lambda path: archives.extract(path, path.parent / "in"), tarred(a=b"1")),
    "zip": (".zip", lambda path: archives.extract(path, path.parent / "in"), zipped(a=b"1")),
    "handed in": (
        ".ipynb",
        lambda path: handed_in.rows(path.parent, lambda chapter, profile: None),
        of_json(NOTEBOOK),
    ),
    "class": (".csv", marks.read_roster, b"Student,ID\nAda,1\n"),
    "yaml": (".yaml", lambda path: strict_yaml.read_record(path, DatasetManifest), b"name: a\n"),
    "answers": (
        ".parquet",
        lambda p: answers_file.read_answers(str(p)),
        saved(pd.DataFrame.to_parquet, TABLE),
    ),
    "answers npz": (".npz", lambda p: answers_file.read_answers(str(p)), npz(**ANSWERS)),
    "frames": (".json", lambda p: answers_file.read_answers(str(p)), of_json({"v/1": [0.5] * 30})),
    "predictions": (".npz", Predictions.load, npz(ids=["a"], logits=np.ones((1, 2), np.float32))),
    "detections": (
        ".json",
        lambda path: detections_file.load(path, ["7"], {18: 0}),
        of_json([{"image_id": 7, "category_id": 18, "bbox": [1, 2, 3, 4], "score": 0.5}]),
    ),
    "results": (".parquet", Results.load, saved(pd.DataFrame.to_parquet, TABLE)),
    "results csv": (".csv", Results.load, b"item,dataset\na,b\n"),
    "review": (
        ".json",
        reviews.parse,
        of_json({"format": 1, "sheet": "a", "reviewer": "b", "decisions": {"a": "keep"}}),
    ),
    "annotations": (".json", annotation_files.sheet_of, of_json({"format": 1, "sheet": "a"})),
    "decisions": (".csv", decisions.load, b'# {"format": 1}\nimage,kept\na,1\n'),
    "objects": (".json", object_file.read, of_json(COCO)),
    "coco": (".json", coco_file.read, of_json(COCO)),
    "frame boxes": (".xml", lambda p: vid_boxes.read(p, load_classes("imagenet_vid")), VOC),
    "frame sets": (".json", lambda p: vid_robust._read(p, list), of_json({"a": ["b"]})),
    "hierarchy": (
        ".json",
        lambda path: openimages.read_related(path, ["/m/a"]),
        of_json({"LabelName": "/m/a", "Subcategory": []}),
    ),
    "words": (".csv", openimages.read_words, b"/m/a,Dog\n"),
    "pickled": (".pickle", pickled.read_pickle, pickle.dumps({"a": np.arange(2)}, 2)),
    "npy": (".npy", pickled.read, saved(lambda it, file: np.save(file, it), np.arange(3))),
    "classes": (".csv", lambda p: devkit.own_truth(p, load_classes("imagenet_vid")), b"index\n1\n"),
    "list": (".txt", devkit.list_truth, b"n01440764\n"),
    "tar shard": (".tar", tars.contents, tarred(**{"a.jpg": b"1", "a.cls": b"2"})),
    "parquet shard": (".parquet", parquet.contents, noted(huggingface=HUBS)),
    "weights": (".pth", weights.from_file, saved(torch.save, {"a": torch.zeros(2)})),
    "safetensors": (".safetensors", weights.from_file, (8).to_bytes(8, "little") + b"{}      "),
    "model report": (".json", record.read, of_json({"version": 1})),
    "claim": (
        ".txt",
        lambda path: claims.parse(path.read_text("utf-8", "replace")),
        b"most mce[*] > 5% if accuracy[*, severity=2] < accuracy[a] - error[b]",
    ),
    "figure": (
        ".svg",
        lambda path: theme_svg(path.read_text("utf-8", "replace"), prefix="a", title="a"),
        b'<svg width="9pt" height="99pt" viewBox="0 0 9 99"><g id="stamp">'
        b'<text style="font-size: 8px" transform="translate(9 94)">toys</text></g></svg>',
    ),
    "store": (
        ".json",
        lambda path: Store(stored(path)).find("a" * 8),
        of_json({"format": 1, "key": "a" * 8, "file": "b", "sha256": "c", "description": {}}),
    ),
}
DEEP = 100_000
BENT = (
    b"",
    b"\0",
    b"\xff\xfe\xff",
    b"[" * DEEP,
    b'{"a":' * DEEP,
    b"null",
    b"[]",
    b"{}",
    b"[null, 1, {}]",
    b'{"images": [], "annotations": [[]], "categories": [{"id": [], "name": {}}]}',
    b'{"images": [{}], "annotations": [{"category_id": []}], "categories": [{"id": 1, "name": 1}]}',
    b"9" * 5000,
    b"NaN",
    b"1e999",
    b"mce[a, severity=" + b"9" * 5000 + b"] > 1",
    b"<svg",
    b'<svg width="1.1.1pt" height="1..1pt" viewBox="0 0 1 1.1.1">',
    of_json({MARKUP: MARKUP}),
    b"? [a, b]\n: c\n",
    b"a: !!python/object/apply:os.system ['true']\n",
    b"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
    b"a: &a\n  <<: *a\n",
    b"a: 2026-99-99\n",
    b'name: "\\ud800"\n',
    b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><annotation>&b;</annotation>",
    b"<a>" * 10_000,
    pickle.dumps(Bomb()),
    saved(torch.save, {"a": Bomb()}),
    saved(lambda it, file: np.save(file, it, allow_pickle=True), np.array([Bomb()], object)),
    npz(ids=np.array([Bomb()], object), images=np.array("a"), logits=np.ones((1, 2))),
    npz(ids=np.array(["a"]), images=np.zeros((2, 2)), logits=np.array(["x"])),
    npz(ids=np.zeros((0, 3)), images=np.array([]), logits=np.ones((1, 1, 1))),
    # Where the unpickler would take 17 gigabytes: the last byte of a place in its memory.
    b"\x80\x02}r\x00\x00\x00\x40.",
    b"(\tame: a\n",
    noted(pandas={"index_columns": [], "columns": [{"name": "label", "pandas_type": "x"}]}),
    noted(huggingface=[1]),
    noted(huggingface={"info": {"features": {"label": ["a"]}}}),
    noted(huggingface={"info": {"features": {"label": {"names": 3}}}}),
    headed("{'a"),
    headed(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (10**30,)}".replace("10**30", "9" * 30)
    ),
    headed("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}"),
    zipped(**dict.fromkeys(("ids.npy", "images.npy", "logits.npy"), headed("{'a"))),
    zipped(**dict.fromkeys(("ids.npy", "images.npy", "logits.npy"), headed("'" * 9 + "("))),
    squeezed(ids=np.array(["a"]), images=np.array("a"), logits=np.ones((1, 9))),
    zipped(ids=b"x", images=b"y", logits=b"z"),
    zipped(**{"ids.npy": b"x", "images.npy": b"y", "logits.npy": b"z"}),
    tarred(**{"..__out": b"1"}),
    tarred(**{"a" * 300: b"1", "a": b"", "a__b": b"2"}),
    zipped(**{"..__out": b"1", "__out": b"2"}),
    zipped(**{"a": b"1", "a__b": b"2"}),
    zipped(**{"a" * 300: b"1"}),
    zipped(**{"a\0b": b"1", "con": b""}),
)


@pytest.fixture(scope="module", params=READERS)
def reader(request, tmp_path_factory):
    ending, read, good = READERS[request.param]
    name = "a" * 8 if request.param == "store" else "inc_2_mce"
    path = tmp_path_factory.mktemp("hostile") / "in" / f"{name}{ending}"
    path.parent.mkdir()
    return path, read, good


def tried(path: Path, read: Callable[[Path], object], content: bytes) -> None:
    """Read a file; whatever is in it, it is right or one paragraph says what is wrong."""
    path.write_bytes(content)
    outside = set(path.parent.parent.rglob("*"))
    said = "read"
    try:
        read(path)
    except RobustLibError as error:
        said = str(error)
    assert said.strip()
    assert len(said) <= LONGEST
    assert not re.search(r"\n\s*\n|Traceback", said)
    assert not Bomb.mark.exists()
    left = {one for one in path.parent.parent.rglob("*") if path.parent not in one.parents}
    assert left <= outside


def test_what_was_ever_bad_is_refused_in_a_paragraph(reader):
    path, read, good = reader
    for content in (good, *BENT):
        tried(path, read, content)


def bent(good: bytes) -> st.SearchStrategy[bytes]:
    """Return ways to bend a good file: cut, another byte, a piece twice, or values of JSON."""
    at = st.integers(0, max(len(good) - 1, 0))
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(MARKUP)
    names = st.text() | st.sampled_from(["id", "name", "images", "cells", "outputs", "metadata"])
    values = st.recursive(leaves, lambda a: st.lists(a) | st.dictionaries(names, a), max_leaves=8)
    kinds = [
        st.builds(lambda end: good[:end], at),
        st.builds(
            lambda place, one: good[:place] + one + good[place + 1 :], at, st.binary(max_size=4)
        ),
        st.builds(lambda place, size: good[:place] + good[place : place + size] * 3, at, at),
    ]
    if good[:1] in b"{[":
        content = json.loads(good)
        kinds.append(st.builds(partial(other_value, content), st.randoms(), values))
    return st.one_of(kinds)


def other_value(content: Any, lot: Any, value: Any) -> bytes:
    """Return JSON in which one value, at whatever depth, is another."""

    def inside(it: Any) -> Any:
        if not isinstance(it, dict | list) or not it or lot.random() < 0.3:
            return value
        chosen = lot.choice(list(it) if isinstance(it, dict) else range(len(it)))
        pairs = it.items() if isinstance(it, dict) else enumerate(it)
        made = {key: inside(old) if key == chosen else old for key, old in pairs}
        return made if isinstance(it, dict) else list(made.values())

    return json.dumps(inside(content)).encode()


@pytest.mark.parametrize(
    "examples", [pytest.param(5, id="few"), pytest.param(1000, marks=pytest.mark.soak)]
)
def test_a_bent_file_is_right_or_refused_in_a_paragraph(reader, examples):
    path, read, good = reader

    @few_or_many(examples)
    @given(bent(good))
    def check(content: bytes) -> None:
        tried(path, read, content)

    check()
