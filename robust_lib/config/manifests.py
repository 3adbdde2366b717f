"""Frozen records of data sets and models, read from data_manifests/."""

import hashlib
import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from robust_lib import paths
from robust_lib.config import strict_yaml
from robust_lib.config.dataset_files import Content, File, Identifier
from robust_lib.config.enhancements import Stability, Wrapper
from robust_lib.config.papers import Paper
from robust_lib.config.strict_yaml import Entry, Record
from robust_lib.errors import InputError, ManifestError, one_of
from robust_lib.preprocessing import Preprocessing

Channels = tuple[float, float, float]
Kind = Literal["datasets", "profiles"]

_COSTS = ("step_seconds", "predict_seconds")

ABOUT_A_MODEL = frozenset(
    {
        "title",
        "description",
        "reference",
        "licence",
        "colour",
        "outputs",
        "corrupted_recipe",
        *_COSTS,
    }
)
"""Keys of a model's row that do not decide its weights, so that they may change; what is trained
here has a list of classes, which says how many outputs there are."""

DETECTORS = frozenset(
    {
        *("faster_rcnn_mini", "mask_rcnn_mini", "retinanet_mini", "rfcn_mini", "efficientdet_mini"),
        *("faster_rcnn", "rfcn", "efficientdet", "torchvision_detection"),
    }
)
"""Builders of detectors; all others make classifiers. They are told apart without torch."""

ITSELF = frozenset({"name", "title", "description", "colour", *_COSTS})
"""Keys that a model's row never takes from the one that it is like."""


class DatasetManifest(Record):
    """A data set: its source, its layout, and its terms of use.

    Args:
        kind: its reader: a key of `KINDS` in `run.image_sets`.
        of: name of the manifest that lists the files, for a part of a different data set.
        root: folder of its images, below the data set's own.
        also: names of that folder in other editions of the archive, in the order in which they are
            tried if there is no root.
        image_seconds: seconds that one core needs to draw an image; None: images are not drawn
            ahead.
        folders: class list of its folders, if each image folder is a class.
        contents: content for `verify`; if empty, the images and folders above.
        access: "open" is fetched, "terms" is obtained by the user, "generated" is drawn here.
        members_of: data set whose images, by file name, are in each of its contents.
        named: whether each image is named by its class folder and a number.
        side: side of every image in pixels; None if sizes differ.
        split: word in the names of its shards, if a copy in shards also has other splits.
        withheld: whether its images, and those of its parts, may not be redistributed.
        elsewhere: copies in a different layout or by others, a few words each; those on the hub,
            "hf:OWNER/NAME", are fetched only when a user names one.
    """

    name: Identifier
    title: str
    kind: Identifier
    paper: Paper | None = None
    files: tuple[File, ...] = ()
    of: Identifier | None = None
    root: str = "."
    layout: str
    images: Annotated[int, Field(gt=0)] | None = None
    # No digest of a manifest holds it: it decides no picture.
    image_seconds: Annotated[float | None, Field(gt=0, exclude=True)] = None
    classes: Identifier | None = None
    folders: Identifier | None = None
    contents: tuple[Content, ...] = ()
    licence: str
    access: Literal["open", "terms", "generated"]
    instructions: Annotated[str | None, Field(validate_default=True)] = None
    reference: str | None = None
    options: dict[str, Any] = Field(default_factory=dict)
    # What only `verify` reads decides no picture either.
    members_of: Annotated[Identifier | None, Field(exclude=True)] = None
    side: Annotated[int | None, Field(gt=0, exclude=True)] = None
    even: Annotated[bool, Field(exclude=True)] = False
    named: Annotated[bool, Field(exclude=True)] = False
    withheld: Annotated[bool, Field(exclude=True)] = False
    # Where it lies decides no picture.
    split: Annotated[str | None, Field(exclude=True)] = None
    also: Annotated[tuple[str, ...], Field(exclude=True)] = ()
    elsewhere: Annotated[tuple[str, ...], Field(exclude=True)] = ()

    def below(self, folder: Path) -> Path:
        """Return the folder of the images: the root, or the folder that a different edition uses.

        >>> load_dataset("imagenet_vid").below(Path("nowhere")).as_posix()
        'nowhere/ILSVRC'
        """
        named = (folder / name for name in (self.root, *self.also))
        return next((one for one in named if one.is_dir()), folder / self.root)

    @field_validator("instructions")
    @classmethod
    def _explained(cls, instructions: str | None, info: Any) -> str | None:
        by_hand = any(not file.is_fetched for file in info.data.get("files", ()))
        part = info.data.get("of") is not None
        if instructions is None and not part and (by_hand or info.data.get("access") == "terms"):
            raise ValueError("a data set that cannot be fetched needs instructions")
        return instructions


class ModelManifest(Record):
    """A model: its builder, its weights, and its preprocessing.

    Args:
        description: a longer description; None if the title is sufficient.
        colour: colour in every figure, as #RRGGBB, for the papers' networks and their stand-ins;
            None takes a free one.
        weights: name or address of the weights, or "pypi:" and a file in a wheel, in the form of
            `File.pypi`; None if they are trained here.
        keys: how the tensors of the weights are assigned: by name, or by order if a different
            library uses different names and all shapes agree.
        outputs: number of outputs, if there is no list of its classes; None: the length of the
            list.
        mean, std: normalisation of RGB in [0, 1].
        corrupted_recipe: recipe for training it further, from its own weights, with half of each
            batch corrupted; None: it is trained from scratch, by its own recipe.
        starts_from: model with whose weights its training starts, those of the last layer only if
            both have the same classes; None: its own. Without a recipe, these weights are kept.
        wrapper: step that changes its images or evaluates it several times; it is also used in
            training.
        reference: its publisher, and the source of weights that are not downloaded automatically
            ("file:NAME", below the data folder's `weights`).
        step_seconds: seconds of a training step on one core; None if not measured.
        predict_seconds: seconds for a thousand images, from the network's input to its outputs.
    """

    name: Identifier
    title: Annotated[str, Field(min_length=1)]
    description: str | None = None
    colour: Annotated[str, Field(pattern=r"^#[0-9A-F]{6}$")] | None = None
    builder: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    weights: str | None = None
    keys: Literal["by_name", "by_order"] = Field(
        default="by_name", exclude_if=lambda value: bool(value == "by_name")
    )
    classes: Identifier
    outputs: Annotated[int, Field(gt=0)] | None = None
    preprocessing: Preprocessing
    mean: Channels = (0.485, 0.456, 0.406)
    std: Channels = (0.229, 0.224, 0.225)
    recipe: str | None = None
    trained_on: str = "imagenet_train"
    starts_from: Identifier | None = None
    # No digest of a row without them knows them.
    wrapper: Wrapper | None = Field(default=None, exclude_if=lambda value: value is None)
    stability: Stability | None = Field(default=None, exclude_if=lambda value: value is None)
    corrupted_recipe: str | None = Field(default=None, exclude_if=lambda value: value is None)
    reference: str | None = None
    licence: str | None = None
    step_seconds: Annotated[float, Field(gt=0)] | None = None
    predict_seconds: Annotated[float, Field(gt=0)] | None = None


def load_dataset(name: str) -> DatasetManifest:
    """Return the manifest datasets/<name>.yaml, of data_manifests or of your own.

    Raises:
        InputError: no manifest with that name.
        ManifestError: the file is invalid; the message names file, line and key.

    >>> load_dataset("imagenet_a").images
    7500
    """
    path = described("datasets", name)
    if path is None:
        raise InputError(f"{one_of('data set', name, dataset_names())} {of_ones_own('datasets')}")
    manifest = strict_yaml.read_record(path, DatasetManifest)
    strict_yaml.require_stem(path, manifest.name)
    return manifest


def dataset_names() -> tuple[str, ...]:
    """Return the names of all data set manifests, sorted."""
    return all_described("datasets")


def other_kind(name: str, kind: str, wanted: str, words: str) -> InputError:
    """Return the error that a data set is of a different kind; it names those of the right kind.

    Args:
        kind, wanted: the data set's kind, and the right one.
        words: the right kind in words, in the plural.
    """
    fitting = [one for one in dataset_names() if load_dataset(one).kind == wanted]
    return InputError(
        f"Expected {name} to be {words}, but it is {kind}. Use one of: {', '.join(fitting)}."
    )


def is_dataset(name: str) -> bool:
    """Return whether a data set has a manifest; a user's folder has none.

    >>> is_dataset("imagenet_a"), is_dataset("folder:holiday/pictures")
    (True, False)
    """
    return described("datasets", name) is not None


def described(kind: Kind, name: str) -> Path | None:
    """Return the file that describes a data set or profile, the project's or yours, or None.

    Raises:
        ManifestError: both exist.
    """
    files = [folder / f"{name}.yaml" for folder in _folders(kind)]
    found = [path for path in files if path.is_file()]
    if len(found) > 1:
        ours, yours = found
        raise ManifestError(
            f"Expected a new name for {yours}, but the project already has {ours}. Rename your "
            "file, and its key `name`."
        )
    return found[0] if found else None


def all_described(kind: Kind) -> tuple[str, ...]:
    """Return the names of all data sets or profiles that are described, sorted."""
    found = {path.stem for folder in _folders(kind) for path in folder.glob("*.yaml")}
    return tuple(sorted(found))


def of_ones_own(kind: Kind) -> str:
    """Return the folder for a user's own files, as the last sentence of a message."""
    return f"Put your own files into {_folders(kind)[-1]}."


def _folders(kind: Kind) -> tuple[Path, Path]:
    return paths.manifests() / kind, paths.own_manifests() / kind


def load_model(name: str) -> ModelManifest:
    """Return one row of the files data_manifests/models/*.yaml, which map names to models.

    A row may be `like: OTHER`, where OTHER is a row in any of these files without a `like`: it
    takes the keys that it lacks from that row, except those in `ITSELF`.

    Raises:
        InputError: no model with that name.
        ManifestError: a file is invalid; the message names file, line and key.
    """
    rows = _model_rows()
    if name not in rows:
        raise InputError(one_of("model", name, sorted(rows)))
    return strict_yaml.read_like(name, rows.__getitem__, rows, ModelManifest, excluding=ITSELF)


def model_names() -> tuple[str, ...]:
    """Return the names of all models, sorted."""
    return tuple(_model_rows())


def is_detector(name: str) -> bool:
    """Return whether a model's row is that of a detector, which finds boxes.

    >>> is_detector("rfcn_resnet101_mini"), is_detector("resnet50"), is_detector("my.py:net")
    (True, False, False)
    """
    return name in model_names() and load_model(name).builder in DETECTORS


def model_title(name: str) -> str:
    """Return a model's title in figures and tables: its row's, or else its title in the papers.

    A name without either stays unchanged.

    >>> model_title("vgg19_bn_mini"), model_title("yolov4_p7"), model_title("my_net.py:build")
    ('VGG-19+BN-like', 'YOLOv4-P7', 'my_net.py:build')
    """
    return load_model(name).title if name in _model_rows() else paper_titles().get(name, name)


def paper_titles() -> Mapping[str, str]:
    """Return the titles of the papers' networks in tables that show all papers.

    >>> paper_titles()["yolov3"]
    'YOLOv3'
    """
    path = paths.manifests() / "reported" / "titles.yaml"
    return dict(strict_yaml.read_yaml(path)) if path.exists() else {}


def model_colours() -> dict[str, str]:
    """Return title -> colour, for models that have the same colour in every figure."""
    rows = (entry.raw for entry in _model_rows().values())
    return {row["title"]: row["colour"] for row in rows if "colour" in row}


def begins_as(manifest: ModelManifest, *, corrupted: bool = False) -> str | None:
    """Return the model from whose weights a network starts: itself, a different one, or None.

    >>> begins_as(load_model("vgg19_mini")), begins_as(load_model("resnet18_mini"))
    ('vgg11_mini', None)
    """
    if corrupted and manifest.corrupted_recipe is not None:
        return manifest.name
    return manifest.starts_from


def weights_digest(manifest: ModelManifest) -> str:
    """Return the digest of everything that determines a model's weights: all but `ABOUT_A_MODEL`.

    >>> model = load_model("alexnet_mini")
    >>> weights_digest(model.model_copy(update={"title": "A"})) == weights_digest(model)
    True
    """
    return digest(manifest, without=ABOUT_A_MODEL)


def digest(record: Record, without: Collection[str] = ()) -> str:
    """Return the SHA-256 of a record's canonical JSON: equal records, equal digests.

    Args:
        without: keys to ignore.

    >>> digest(File(name="a.tar")) == digest(File(name="a.tar", mirrors=()))
    True
    """
    plain = record.model_dump(mode="json", exclude=set(without))
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _model_rows() -> Mapping[str, Entry]:
    try:
        with os.scandir(paths.manifests() / "models") as folder:  # a plan asks 15,000 times
            found = [one for one in folder if one.name.endswith(".yaml")]
            files = [(one.path, one.stat().st_mtime_ns) for one in found]
    except FileNotFoundError:  # manifests of one's own need describe no models
        files = []
    return _read_rows(tuple(sorted(files)))


@lru_cache(maxsize=4)
def _read_rows(files: tuple[tuple[str, int], ...]) -> Mapping[str, Entry]:
    """Return the rows of some files by their names, sorted; a file changes seldom."""
    found: dict[str, Entry] = {}
    for path in (Path(file) for file, _ in files):
        for name, row in _named(strict_yaml.read_yaml(path), path):
            if name in found:
                raise ManifestError(
                    f"{path}: model {name!r} is already described in {found[name].path}. Keep one."
                )
            raw = {"name": name, **row} if isinstance(row, dict) else row
            found[name] = Entry(raw, path, (name,))
    return dict(sorted(found.items()))


def _named(raw: Any, path: Path) -> Iterable[tuple[str, Any]]:
    if not isinstance(raw, dict) or not all(re.fullmatch(r"[a-z]\w*", str(key)) for key in raw):
        raise ManifestError(f"{path}:1: expected a mapping of model names to their descriptions.")
    return raw.items()
