"""Images in Parquet files as on hubs: a column of bytes and file names, and one of labels.

`image` is a struct of `bytes` and `path`, `label` the number of a class. If the file's metadata
contain the names of the classes, these are read as well.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from robust_lib.errors import DataError
from robust_lib.fetch.shards import Contents, Label, Sample

LABELS = ("label", "wnid", "cls")
"""Columns that tell the class, the first of them that is there."""

HELD = 2  # row groups in memory; one has some hundred pictures


def contents(path: Path) -> Contents:
    """Return the contents of a Parquet file; no image is read.

    Raises:
        DataError: it is not a Parquet file, or has no images.
    """
    with _opened(path) as file:
        schema = file.schema_arrow
        image = _image(schema, path)
        label = next((name for name in LABELS if name in schema.names), None)
        columns = [f"{image}.path", *([] if label is None else [label])]
        samples: list[Sample] = []
        for group in range(file.num_row_groups):
            table = file.read_row_group(group, columns=columns, use_threads=False)
            names = pa.compute.struct_field(table.column(image), "path").to_pylist()
            said: list[Label] = [None] * len(names)
            if label is not None:
                said = table.column(label).to_pylist()
            for row, (name, of) in enumerate(zip(names, said, strict=True)):
                # Pictures without a name are called by their place.
                called = name or f"{path.stem}-{len(samples):05d}.jpg"
                samples.append(Sample(str(called), of, group, row, 0))
    return Contents(_footer_digest(path), _class_names(schema, label), tuple(samples))


def read(path: Path, sample: Sample) -> bytes:
    """Return an image's bytes; its neighbours are kept in memory for the next call.

    Raises:
        DataError: the file is truncated, or holds only the name of an image.
    """
    found: bytes | None = _group(path, path.stat().st_mtime_ns, sample.first)[sample.second].as_py()
    if found is None:
        raise DataError(
            f"Expected the bytes of the image {sample.name} in {path}, but it contains only its "
            "name. Use a copy that contains the images."
        )
    return found


@lru_cache(maxsize=HELD)
def _group(path: Path, changed: int, group: int) -> Any:
    """Return the bytes of all images of a row group; the file's time tells versions apart."""
    with _opened(path) as file:
        image = _image(file.schema_arrow, path)
        table = file.read_row_group(group, columns=[f"{image}.bytes"], use_threads=False)
    return pa.compute.struct_field(table.column(image), "bytes")


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    try:
        with pq.ParquetFile(path) as file:
            yield file
    except (pa.ArrowException, OSError) as error:
        raise DataError(
            f"Could not read the Parquet file {path}: {str(error).splitlines()[0]} Download it "
            "again."
        ) from None


def _image(schema: Any, path: Path) -> str:
    """Return the name of the column of images."""
    for field in schema:
        if pa.types.is_struct(field.type):
            inside = {part.name for part in field.type}
            if {"bytes", "path"} <= inside:
                return str(field.name)
    raise DataError(
        f"Expected a column of images in {path}, a struct of bytes and path, but it has "
        f"{', '.join(schema.names)}. Use a copy in the layout of the hub."
    )


def _class_names(schema: Any, label: str | None) -> tuple[str, ...]:
    """Return what the numbers of the classes are called, as the hub's notes in the file say it.

    It is empty if there are no such notes, or they are not in the hub's form.
    """
    try:
        notes = json.loads((schema.metadata or {}).get(b"huggingface", b"{}"))
        names = notes["info"]["features"][label]["names"]
    except (LookupError, TypeError, ValueError):
        return ()
    known = isinstance(names, list) and all(isinstance(name, str) for name in names)
    return tuple(names) if known else ()


def _footer_digest(path: Path) -> str:
    """Return the digest of a file's footer, which has the size and place of all its columns."""
    with path.open("rb") as file:
        file.seek(-8, 2)
        length = int.from_bytes(file.read(4), "little")
        file.seek(-8 - length, 2)
        return hashlib.sha256(file.read(length)).hexdigest()
