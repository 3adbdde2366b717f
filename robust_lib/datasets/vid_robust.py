"""ImageNet-Vid-Robust: 1,109 sets of similar video frames, as released [vid, sec. 2].

The release is metadata/labels.json (the classes of each frame), metadata/pmsets.json (the
neighbours of each anchor), misc/imagenet_vid_class_index.json (the list of classes) and the frames
themselves, val/<video>/<number>.JPEG. It has no boxes; ImageNet-VID has them (see `vid_boxes`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from robust_lib import paths, seeds
from robust_lib.config import strict_json
from robust_lib.config.class_lists import ClassList, load_classes
from robust_lib.config.manifests import DatasetManifest, digest, load_dataset, other_kind
from robust_lib.datasets import vid_boxes
from robust_lib.datasets.frame_sets import FARTHEST, FrameSets, from_names, listed
from robust_lib.datasets.image_folder import require_folder
from robust_lib.datasets.picture_files import Entry, PictureFiles
from robust_lib.datasets.vid_boxes import Annotation
from robust_lib.errors import DataError, InputError

OUTPUTS = 1000  # of a classifier for ImageNet-1K


def require_index(index: Mapping[str, Sequence[str]], classes: ClassList) -> None:
    """Raise InputError for a class index that lists the classes in a different order.

    Args:
        index: number as text -> (WordNet id, name), as in imagenet_vid_class_index.json; a class
            without such an id is matched by name. Entries after the last class, such as a root of
            all classes, are allowed.

    Raises:
        InputError: a class is missing or different; the message names the first.

    >>> vid = load_classes("imagenet_vid")
    >>> require_index({str(n): [one.wnid, one.name] for n, one in enumerate(vid.entries)}, vid)
    """
    for place, entry in enumerate(classes.entries):
        said = index.get(str(place), ("nothing",))[0]
        if said != (entry.wnid or entry.name):
            raise InputError(
                f"Expected class {place} of the class index to be {entry.wnid} ({entry.name}), but "
                f"got {said}. The labels refer to this index, so every label would be read as a "
                "wrong class: use the index and the labels of the same release."
            )


def require_wnid_map(wnid_map: Mapping[str, str], classes: ClassList) -> None:
    """Raise InputError if a map of WordNet ids assigns ImageNet's classes to different VID classes.

    Args:
        wnid_map: WordNet id of an ImageNet class -> that of its VID class, as in wnid_map.json.

    Raises:
        InputError: the two maps differ; the message names classes of ImageNet that do.

    >>> vid, whole = load_classes("imagenet_vid"), load_classes("imagenet_1k")
    >>> ours = [(one.wnid, output) for one in vid.entries for output in one.imagenet]
    >>> require_wnid_map({whole.entries[output].wnid: wnid for wnid, output in ours}, vid)
    """
    whole = load_classes("imagenet_1k").folders
    ours = {whole[output]: one.wnid for one in classes.entries for output in one.imagenet}
    differ = sorted(
        wnid for wnid in {*ours, *wnid_map} if ours.get(wnid, "") != wnid_map.get(wnid, "")
    )
    if differ:
        raise InputError(
            f"Expected the map of {len(ours)} ImageNet classes to the {len(classes)} of "
            f"{classes.name}, but got one in which {len(differ)} differ ({differ[0]} first). "
            "Scores would come from the wrong outputs: use the map of the release."
        )


LABELS = "metadata/labels.json"
SETS = "metadata/pmsets.json"
INDEX = "misc/imagenet_vid_class_index.json"
WNIDS = "misc/wnid_map.json"  # ImageNet's WordNet ids to those of VID


@dataclass(frozen=True)
class Counts:
    """Counts that distinguish one release of the frame sets from another.

    Attributes:
        anchors: number of sets, each with one anchor.
        frames: number of distinct frames, anchors included.
        neighbours: numbers of pairs of anchor and neighbour at most 1, 2, ..., 10 frames apart.
        alone: number of anchors without a neighbour, which still count in every mean.
        several: number of frames with more than one label.
        several_anchors: number of anchors with more than one label.
        other: number of neighbours whose labels differ from those of their anchor.
    """

    anchors: int
    frames: int
    neighbours: tuple[int, ...]
    alone: int
    several: int
    several_anchors: int
    other: int


def counts(sets: FrameSets) -> Counts:
    """Return the numbers of anchors, frames, neighbours by k, and frames with several labels.

    >>> labels = {"val/a/000001.JPEG": [0, 1], "val/a/000003.JPEG": [0]}
    >>> sets = from_names(labels, {"val/a/000001.JPEG": ["val/a/000003.JPEG"]}, classes=2)
    >>> counts(sets).neighbours[:3], counts(sets).several, counts(sets).other
    ((0, 1, 1), 1, 1)
    """
    several = [len(labels) > 1 for labels in sets.labels]
    return Counts(
        anchors=len(sets),
        frames=len(sets.frames),
        neighbours=tuple(int(sets.within(k).sum()) - len(sets) for k in range(1, FARTHEST + 1)),
        alone=int(((sets.members >= 0).sum(axis=1) == 1).sum()),
        several=sum(several),
        several_anchors=sum(several[anchor] for anchor in sets.anchors),
        other=sum(
            sets.labels[place] != sets.labels[anchor]
            for anchor, row in zip(sets.anchors, sets.members, strict=True)
            for place in row[row >= 0]
        ),
    )


class VidRobust(PictureFiles):
    """The frames of the frame sets as an image set, each frame once.

    `labels` holds the first of a frame's classes, for code that uses only one; `sets.truth` holds
    all classes, any of which counts as correct.

    Args:
        boxes: folder of ImageNet-VID with the frames' annotations.

    Raises:
        DataError: the folder or some of the frames are missing; the message names the first.
    """

    def __init__(
        self,
        folder: Path,
        sets: FrameSets,
        classes: ClassList,
        *,
        name: str = "imagenet_vid_robust",
        provenance: str = "",
        boxes: Path | None = None,
    ) -> None:
        require_folder(folder)
        entries, missing = [], []
        for frame, labels in zip(sets.frames, sets.labels, strict=True):
            try:
                entries.append(Entry(frame, labels[0], (folder / frame).stat().st_size))
            except FileNotFoundError:
                missing.append(frame)
        if missing:
            raise DataError(
                f"Expected the {len(sets.frames)} frames that the metadata name in {folder}, but "
                f"{len(missing)} are missing ({listed(missing)}). Check that unpacking was "
                "completed: a set without some of its frames would be easier than the benchmark's."
            )
        super().__init__(
            folder, entries, classes, name=name, provenance=f"{provenance}{sets.digest}"
        )
        self.sets = sets
        self._boxes = boxes
        self._class_list = classes

    @cached_property
    def annotations(self) -> tuple[Annotation, ...]:
        """Return the objects of each frame, in the order of `ids`, read when first requested.

        Raises:
            DataError: frames have no annotation, or the folder of the annotations was not given.
        """
        if self._boxes is None:
            raise DataError(
                f"Expected a folder with annotations of {self.name}, but got none. The boxes are "
                "those of ImageNet-VID: obtain the data set imagenet_vid."
            )
        return vid_boxes.read_all(self.sets.frames, self._boxes, self._class_list)


def read_frame_sets(folder: Path, classes: ClassList) -> FrameSets:
    """Return the frame sets in a release's metadata, without reading any image.

    Args:
        folder: the release's folder, which has metadata/ and misc/.

    Raises:
        DataError: a file is missing, or is not JSON of the expected form.
        InputError: the class index has a different order, or the frame sets are incomplete (see
            `frame_sets.from_names`).

    >>> import json, tempfile
    >>> root = Path(tempfile.mkdtemp())
    >>> vid = load_classes("imagenet_vid")
    >>> index = {str(one.index): [one.wnid, one.name] for one in vid.entries}
    >>> anchor, neighbour = "val/a/000001.JPEG", "val/a/000002.JPEG"
    >>> labels, sets = {anchor: [8], neighbour: [8, 9]}, {anchor: [neighbour]}
    >>> for name, content in ((INDEX, index), (LABELS, labels), (SETS, sets)):
    ...     (root / name).parent.mkdir(exist_ok=True)
    ...     _ = (root / name).write_text(json.dumps(content))
    >>> read_frame_sets(root, vid).labels
    ((8,), (8, 9))
    """
    require_index(_read(folder / INDEX, list, str), classes)
    if (folder / WNIDS).exists():  # those who copy the two metadata files alone have none
        require_wnid_map(_read(folder / WNIDS, str), classes)
    labels, sets = _read(folder / LABELS, list, int), _read(folder / SETS, list, str)
    return from_names(labels, sets, classes=len(classes))


def load(
    name: str = "imagenet_vid_robust",
    folder: Path | None = None,
    *,
    limit: int | None = None,
    seed: int = 0,
) -> VidRobust:
    """Return the image set of a manifest of kind vid_robust.

    Args:
        name: the manifest. Its options are `counts` (the release's counts), `boxes` (the data set
            with the frames' annotations) and `begins` (the common prefix of a part's anchors).
        limit: number of sets to keep, chosen by (seed, anchor); a smaller selection is part of a
            larger one.

    Raises:
        InputError: no such manifest, one of a different kind, a limit below 1, or metadata that are
            incomplete (see `read_frame_sets`) or of a different release.
        DataError: a file or frame is missing.
    """
    manifest = load_dataset(name)
    release = load_dataset(manifest.of) if manifest.of is not None else manifest
    if release.kind != "vid_robust" or manifest.classes is None:
        raise other_kind(name, manifest.kind, "vid_robust", "sets of video frames")
    root = release.below(folder or paths.data() / release.name)
    classes = load_classes(manifest.classes)
    sets = _part(read_frame_sets(root, classes), manifest.options.get("begins", ""))
    _require_counts(counts(sets), manifest)
    whole = load_dataset(manifest.options["boxes"]) if "boxes" in manifest.options else None
    return VidRobust(
        root,
        _limited(sets, limit, seed),
        classes,
        name=name,
        provenance=digest(manifest),
        boxes=None if whole is None else whole.below(paths.data() / whole.name),
    )


def released(manifest: DatasetManifest) -> Counts | None:
    """Return the counts of the release that a manifest states; None if it states none.

    >>> released(load_dataset("imagenet_vid_robust")).anchors
    1109
    """
    stated = manifest.options.get("counts")
    if stated is None:
        return None
    return Counts(**{**stated, "neighbours": tuple(stated["neighbours"])})


def _require_counts(found: Counts, manifest: DatasetManifest) -> None:
    expected = released(manifest)
    if expected is None or found == expected:
        return
    differ = [
        f"{field.name} {getattr(found, field.name)} instead of {getattr(expected, field.name)}"
        for field in fields(Counts)
        if getattr(found, field.name) != getattr(expected, field.name)
    ]
    raise InputError(
        f"Expected the release of {manifest.name} that the papers' code scores, but these metadata "
        f"differ: {'; '.join(differ)}. Their numbers are not comparable with published ones: fetch "
        "the archive of the manifest."
    )


def _part(sets: FrameSets, begins: str) -> FrameSets:
    if not begins:
        return sets
    return sets.take(
        [n for n, one in enumerate(sets.anchors) if sets.frames[one].startswith(begins)]
    )


def _limited(sets: FrameSets, limit: int | None, seed: int) -> FrameSets:
    if limit is None or limit >= len(sets):
        return sets
    if limit < 1:
        raise InputError(f"Expected a limit of at least one set of frames, but got {limit}.")
    keys = [seeds.key(seed, sets.frames[anchor], "limit") for anchor in sets.anchors]
    return sets.take(sorted(range(len(sets)), key=keys.__getitem__)[:limit])


def _read(path: Path, kind: type[Any], member: type = str) -> Mapping[str, Any]:
    try:
        content = strict_json.parsed(path.read_text(encoding="utf-8"), object_pairs_hook=_once)
    except FileNotFoundError:
        raise DataError(
            f"Expected metadata of the frame sets at {path}, but there is no such file. Fetch the "
            "data set, or set ROBUST_DATA to the folder that has it."
        ) from None
    except ValueError as error:
        raise DataError(
            f"Expected JSON in {path}, but it cannot be read ({error}). Unpack the file again."
        ) from None
    if not isinstance(content, dict) or not all(
        isinstance(one, kind) and all(isinstance(part, member) for part in one)
        for one in content.values()
    ):
        of = "numbers" if member is int else "texts"
        words = f"lists of {of}" if kind is list else of
        raise DataError(
            f"Expected a mapping of names to {words} in {path}, but it contains something else. "
            "Use the release's file."
        )
    return content


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    (name, count), *_ = Counter(name for name, _ in pairs).most_common(1) or [("", 0)]
    if count > 1:
        raise ValueError(f"{name} occurs twice")
    return dict(pairs)
