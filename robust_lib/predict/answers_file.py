"""Prediction files: outputs of a network that ran here or elsewhere, used in place of the model.

A parquet file with one row per image: `images` (name of the image set), `id`, and `logits` (a list
of numbers), or `predicted` (the class) and `confidence` (a fraction) if logits were not kept.
The file's metadata describe the network, under `robust`, as JSON. An .npz file with the arrays
`images`, `ids`, `logits` and the strings `model` and `classes` has the same content; if only some
rows have logits, `has_logits` marks them, and `predicted` and `confidence` are used for the others.
A .json file, frame -> 30 scores, contains a network's predictions for ImageNet-Vid-Robust, as the
authors of the data set publish them; its name is that of the network.
"""

import hashlib
import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from robust_lib import atomic
from robust_lib.config import strict_json
from robust_lib.config.class_lists import load_classes
from robust_lib.datasets import ImageSet
from robust_lib.datasets.derived import others_of
from robust_lib.errors import NO_ARRAYS, DataError, ModelError
from robust_lib.models.contract import Images, ModelLogits
from robust_lib.predict import foreign_numbers
from robust_lib.predict.predictions import Predictions, decide
from robust_lib.predict.store import Arrays, Keep
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Correct, Labels, Scores
from robust_lib.vocabulary import ANSWERS, is_answers_file

KINDS = (".parquet", ".npz")
_JUDGED = ("right", "sure", "reach", "together")
COLUMNS = ("images", "id", "predicted", "confidence", "logits", *_JUDGED, "picture")
_TEXTS = ("together", "picture")
_OF_EACH_ID = ("ids", "has_logits", "predicted", "confidence", *_JUDGED, "picture")
UNTOLD = -1
"""Marks unknown values in an .npz: whether a prediction is right, or how far it reaches."""


@dataclass(frozen=True, eq=False)
class Judged:
    """A network's results on an image set, among the set's own classes, for paired comparisons.

    Attributes:
        right: whether the network classified each image correctly; None if no image has a class.
        sure: its confidence for each image, a fraction, if only some of its outputs count.
        reach: for each anchor of a frame set, the number of distances from 0 upwards at which every
            frame was classified correctly; -1 for all other frames.
        together: the group of each image, such as its drawing; groups are resampled together. None:
            images are independent.
    """

    right: Correct | None = None
    sure: Scores | None = None
    reach: Labels | None = None
    together: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False)
class FiledAnswers:
    """A classifier that ran elsewhere, with predictions only for the images of its file."""

    name: str
    classes: str
    outputs: int
    fingerprint: str
    file: Path
    frame: pd.DataFrame = field(repr=False)

    @property
    def preprocessing(self) -> Preprocessing:
        """Unknown and not needed, since the model processes no image."""
        return Preprocessing(None, None)

    @cached_property
    def _sets(self) -> dict[str, pd.DataFrame]:
        return {str(name): part.set_index("id") for name, part in self.frame.groupby("images")}

    def answers(self, images: ImageSet, places: Sequence[int], keep: Keep) -> Arrays:
        """Return the predictions for some of a set's images, as arrays in their order.

        Raises:
            DataError: an image, or the logits of one, are not in the file.
        """
        if images.name not in self._sets:
            first, *others = self._sets
            more = f" and {len(others)} others" if others else ""
            raise DataError(
                f"Expected predictions for {images.name} in {self.file}, but it has those for "
                f"{first}{more}. Add one row per image with `images` {images.name}, or evaluate "
                "fewer conditions: set a chapter's parameter `corruptions` to those in the file."
            )
        part, ids = self._sets[images.name], [images.ids[place] for place in places]
        missing = [one for one in ids if one not in part.index]
        if missing:
            raise DataError(
                f"Expected a prediction for each of {len(ids):,} images of {images.name} in "
                f"{self.file}, but {len(missing):,} have none (first: {missing[0]}). Add "
                "them, or use the image set's ids, which `robust export` writes."
            )
        found = part.loc[ids]
        self._require_same(images, ids, found["picture"])
        logits = None if found["logits"].isna().any() else np.stack(found["logits"].to_list())
        if logits is None and keep == "logits":
            raise DataError(
                f"Expected logits for {images.name} in {self.file}, but it has only classes and "
                "confidences. Other classes are masked before the softmax, which requires logits."
            )
        if logits is not None:
            predicted, confidence = decide(logits)
        else:
            predicted = found["predicted"].to_numpy(np.int64)
            confidence = found["confidence"].to_numpy(np.float32)
        arrays = {"predicted": predicted, "confidence": confidence}
        return arrays | {"logits": logits} if keep == "logits" and logits is not None else arrays

    def _require_same(self, images: ImageSet, ids: Sequence[str], told: "pd.Series[Any]") -> None:
        """Raise DataError for answers to other images of these names.

        Where the file does not tell them, the names alone join the two, and a warning says so.
        """
        if told.isna().all():
            warnings.warn(
                f"{self.file} does not identify its images by content, so its predictions are "
                f"joined to the images of {images.name} by their names alone.",
                stacklevel=2,
            )
        if others := others_of(images, ids, told.tolist()):
            raise DataError(
                f"Expected predictions for the images of {images.name} in {self.file}, but "
                f"{len(others):,} of {len(ids):,} are for other images with the same name (first: "
                f"{others[0]}). Compute the predictions again, or pass the folder on which the "
                "network was evaluated."
            )

    def __call__(self, images: Images) -> ModelLogits:
        """Refuse: only what the file holds is known."""
        raise ModelError(
            f"Expected images with predictions in {self.file}, but {self.name} was evaluated on "
            "other images. A file of predictions replaces a model only on the same image sets."
        )


def read_answers(name: str) -> FiledAnswers:
    """Return the classifier of a prediction file.

    Args:
        name: predictions:FILE, or the file's path.

    Raises:
        DataError: no such file, one of a different kind, or one that lacks a column or the
            description of the network.
    """
    path = Path(name.removeprefix(ANSWERS) if is_answers_file(name) else name).expanduser()
    if not path.is_file():
        raise DataError(f"Expected a file of predictions at {path.absolute()}, but there is none.")
    kind = path.suffix if path.suffix == ".json" else _kind(path)
    frame, about = {".json": _read_frames, ".npz": _read_npz}.get(kind, _parquet)(path)
    frame = _whole(frame, path)
    lacking = [one for one in ("model", "classes") if not about.get(one)]
    if lacking:
        raise DataError(
            f"Expected {path} to describe its network, but {', '.join(lacking)} is missing. Write "
            "it with robust_lib.write_answers, or `robust export`."
        )
    known = _outputs(frame, about, path)
    frame = foreign_numbers.answers(frame, known, path, scores=kind == ".json")
    if frame.duplicated(["images", "id"]).any():
        twice = frame[frame.duplicated(["images", "id"])].iloc[0]
        raise DataError(
            f"Expected one prediction per image in {path}, but {twice['id']} of {twice['images']} "
            "has two."
        )
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return FiledAnswers(str(about["model"]), str(about["classes"]), known, digest, path, frame)


def write_answers(
    target: Path,
    answers: Iterable[Predictions],
    *,
    classes: str,
    outputs: int,
    judged: Mapping[str, Judged] = MappingProxyType({}),
) -> Path:
    """Write a network's predictions for some image sets to one file, and return its path.

    Args:
        target: a .parquet or an .npz file.
        judged: image set -> its results, if available; used only for paired comparisons of models.

    Raises:
        DataError: a different file suffix, or no predictions.
    """
    target = Path(target)
    kind, every = _kind(target), list(answers)
    if not every:
        raise DataError(f"Expected predictions to write to {target}, but got none.")
    frames = [
        pd.DataFrame(
            {
                "images": one.dataset,
                "id": list(one.ids),
                "predicted": one.predicted,
                "confidence": one.confidence,
                "logits": [None] * len(one.ids) if one.logits is None else list(one.logits),
                "picture": one.pictures or [None] * len(one.ids),
            }
            | vars(judged.get(one.dataset, Judged()))  # None is of each
        )
        for one in every
    ]
    about = {"model": every[0].model, "classes": classes, "outputs": outputs}
    write = _write_npz if kind == ".npz" else _write_parquet
    with atomic.file(target) as made:
        write(made, pd.concat(frames, ignore_index=True), about)
    return target


def _kind(path: Path) -> str:
    """Return the ending of a file of answers."""
    if path.suffix not in KINDS:
        raise DataError(
            f"Expected a file of predictions that ends in {' or '.join(KINDS)}, but got "
            f"{path.name}. Use one of these endings; it determines the format."
        )
    return path.suffix


def _write_parquet(made: Path, frame: pd.DataFrame, about: Mapping[str, Any]) -> None:
    kinds = [pa.string(), pa.string(), pa.int64(), pa.float32(), pa.list_(pa.float32()), pa.bool_()]
    kinds += [pa.float64(), pa.int64(), pa.string(), pa.string()]
    schema = pa.schema(
        list(zip(COLUMNS, kinds, strict=True)), metadata={"robust": json.dumps(about)}
    )
    table = pa.Table.from_pandas(frame, schema=schema, preserve_index=False)
    pq.write_table(table.replace_schema_metadata(schema.metadata), made, compression="zstd")


def _parquet(path: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    try:
        table = pq.read_table(path)
        frame = table.to_pandas()
    except (pa.ArrowException, AttributeError, *NO_ARRAYS) as error:
        raise DataError(
            f"Expected a parquet file at {path}, but reading it failed: {error}. Write it again."
        ) from None
    try:
        notes = (table.schema.metadata or {}).get(b"robust", b"{}")
        return frame, dict(strict_json.parsed(notes))
    except (ValueError, TypeError) as error:
        raise DataError(
            f"Expected an object of JSON under `robust` in the metadata of {path}, but reading it "
            f"failed: {error}. Write the file with robust_lib.write_answers."
        ) from None


def _read_frames(path: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the answers of a file as ImageNet-Vid-Robust's authors publish them.

    Raises:
        DataError: no JSON, or other than a row of 30 scores for each frame.
    """
    classes = load_classes("imagenet_vid")
    try:
        said = strict_json.parsed(path.read_text(encoding="utf-8"))
        scores = np.array(list(said.values()), dtype=np.float64)
        if scores.ndim != 2 or scores.shape[1] != len(classes) or not np.isfinite(scores).all():
            raise ValueError(f"its scores have the shape {scores.shape}, or some are not numbers")
    except (ValueError, TypeError, AttributeError) as error:
        raise DataError(
            f"Expected a mapping of frames to {len(classes)} scores each in {path}, as "
            f"ImageNet-Vid-Robust's authors publish them, but reading it failed: {error}. Use a "
            ".parquet or an .npz file for other predictions."
        ) from None
    frame = pd.DataFrame({"images": "imagenet_vid_robust", "id": list(said)})
    frame["logits"] = list(scores)
    return frame, {"model": path.stem, "classes": classes.name}


def _whole(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Return a frame with all columns, those of logits or of decisions empty if not given."""
    decided = {"predicted", "confidence"} <= set(frame.columns)
    if not {"images", "id"} <= set(frame.columns) or not (decided or "logits" in frame.columns):
        raise DataError(
            f"Expected the columns images, id and logits (or predicted and confidence) in {path}, "
            f"but got {', '.join(map(str, frame.columns))}."
        )
    return frame.reindex(columns=list(COLUMNS))


def _outputs(frame: pd.DataFrame, about: Mapping[str, Any], path: Path) -> int:
    """Return how many outputs the network of a file has, as it says or its logits show."""
    sizes = {np.size(one) for one in frame["logits"].dropna()}
    said = about.get("outputs") or (next(iter(sizes)) if sizes else 0)
    if isinstance(said, bool) or not isinstance(said, int) or said < 1:
        raise DataError(
            f"Expected the number of outputs of the network in {path}, but got {said!r}. Write it "
            "with robust_lib.write_answers, or `robust export`."
        )
    if sizes - {said}:
        raise DataError(f"Expected rows of {said} logits in {path}, but got {sorted(sizes)}.")
    return said


def _write_npz(made: Path, frame: pd.DataFrame, about: Mapping[str, Any]) -> None:
    """Write a frame of answers, and what their network is, as an .npz file.

    Args:
        about: model, classes and outputs of the network.
    """
    has = frame["logits"].notna().to_numpy(bool)
    kept = frame.loc[has, "logits"].to_list()
    logits = np.stack(kept) if kept else np.zeros((0, int(about["outputs"])))
    arrays: dict[str, Any] = {
        "images": frame["images"].to_numpy(str),
        "ids": frame["id"].to_numpy(str),
        **{name: frame[name].fillna("").to_numpy(str) for name in _TEXTS},
        "predicted": frame["predicted"].to_numpy(np.int64),
        "confidence": frame["confidence"].to_numpy(np.float32),
        "logits": logits.astype(np.float32),
        "has_logits": has,
        "right": frame["right"].map({True: 1, False: 0}).fillna(UNTOLD).to_numpy(np.int8),
        "sure": frame["sure"].to_numpy(np.float64),
        "reach": frame["reach"].fillna(UNTOLD).to_numpy(np.int64),
    }
    with made.open("wb") as file:  # numpy adds an ending to a path that has another one
        np.savez_compressed(file, **arrays | {name: np.array(it) for name, it in about.items()})


def _read_npz(path: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the answers of an .npz file, and what their network is.

    Raises:
        DataError: a file that is none, that lacks an array, or whose arrays do not fit together.
    """
    try:
        # A file that numpy opened itself stays open where it is none.
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            held = {name: file[name] for name in file.files}
    except (AttributeError, *NO_ARRAYS) as error:  # a single array has no files and is no context
        raise DataError(
            f"Expected an .npz file of plain arrays at {path}, but reading it failed: {error}. "
            "Write it with numpy.savez or robust_lib.write_answers, or use the ending .parquet "
            "for a Parquet file."
        ) from None
    # What is no array in the file comes as its bytes.
    held = {name: array for name, array in held.items() if isinstance(array, np.ndarray)}
    lacking = [name for name in ("images", "ids", "logits") if name not in held]
    if lacking:
        raise DataError(
            f"Expected the arrays images, ids and logits in {path}, but it lacks "
            f"{', '.join(lacking)}."
        )
    rows = held["ids"].size
    has = held.get("has_logits", np.ones(rows, bool)).astype(bool)
    _require_lengths(held, rows, has, path)
    frame = pd.DataFrame({"id": held["ids"].tolist()})
    frame["images"] = np.broadcast_to(held["images"], rows).tolist()
    frame["logits"] = pd.Series(list(held["logits"]), index=np.flatnonzero(has), dtype=object)
    for name in {"predicted", "confidence", "sure", "reach"} & held.keys():
        frame[name] = held[name]
    for name in held.keys() & set(_TEXTS):
        frame[name] = [str(one) or None for one in held[name].tolist()]
    if "right" in held:
        frame["right"] = pd.Series(held["right"]).map({1: True, 0: False})
    about: dict[str, Any] = {name: str(held[name]) for name in ("model", "classes") if name in held}
    about |= {"outputs": held["outputs"].tolist()} if "outputs" in held else {}
    return frame, about


def _require_lengths(held: Arrays, rows: int, has: Correct, path: Path) -> None:
    """Raise DataError unless the arrays of an .npz have a value, or a row, for each id."""
    for name in _OF_EACH_ID:
        if name in held and held[name].shape != (rows,):
            raise _unequal(path, f"{name} of {rows:,} values, one for each id", held[name].shape)
    if held["images"].shape not in ((), (1,), (rows,)):
        what = f"images as one name, or {rows:,} names, one for each id"
        raise _unequal(path, what, held["images"].shape)
    if held["logits"].ndim != 2 or len(held["logits"]) != has.sum():
        what = (
            f"logits of {has.sum():,} rows, one for each id that has them, and one column per class"
        )
        raise _unequal(path, what, held["logits"].shape)


def _unequal(path: Path, what: str, shape: tuple[int, ...]) -> DataError:
    return DataError(
        f"Expected {what}, in {path}, but got the shape {shape}. Write one entry for each id."
    )
