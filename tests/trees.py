"""Small folders in exactly the layouts of the real data sets, for tests."""

import json
import tarfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from scipy.io import savemat

from robust_lib.config.class_lists import ClassEntry, ClassList, load_classes
from robust_lib.fetch.devkit import kit_truth

WNIDS = ("n01440764", "n01443537", "n01484850", "n01491361")
# The development kit counts classes in another order than that of WordNet ids.
KIT_ORDER = (WNIDS[2], WNIDS[0], WNIDS[3], WNIDS[1])
TRUTH = (WNIDS[0], WNIDS[3], WNIDS[0], WNIDS[1], WNIDS[2], WNIDS[2])


def class_list(wnids: Sequence[str] = WNIDS, name: str = "small") -> ClassList:
    entries = tuple(ClassEntry(index=i, name=f"class {w}", wnid=w) for i, w in enumerate(wnids))
    return ClassList(name=name, title=name, source="made for tests", entries=entries)


def picture(seed: int = 0, width: int = 40, height: int = 30) -> Image.Image:
    """Return smooth colours: noise would not survive a JPEG file."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 256, (5, 6, 3), dtype=np.uint8)
    return Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC)


def save(path: Path, seed: int = 0, width: int = 40, height: int = 30) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    picture(seed, width, height).save(path)
    return path


def class_folders(
    folder: Path,
    wnids: Sequence[str] = WNIDS,
    *,
    per_class: int = 2,
    side: int | None = None,
    training: bool = False,
) -> Path:
    """<wnid>/ILSVRC2012_val_00000001.JPEG, numbered through all classes; or <wnid>_1.JPEG."""
    size = (side, side) if side else (40, 30)
    for number in range(per_class * len(wnids)):
        inside = folder / wnids[number % len(wnids)]
        name = f"{inside.name}_{number + 1}" if training else f"ILSVRC2012_val_{number + 1:08d}"
        save(inside / f"{name}.JPEG", number, *size)
    return folder


def imagenet_a(folder: Path, wnids: Sequence[str] = WNIDS, *, per_class: int = 2) -> Path:
    """imagenet-a/<wnid>/*.jpg, with names that hold blanks, and a README.txt in the root."""
    root = folder / "imagenet-a"
    for place, wnid in enumerate(wnids):
        for number in range(per_class):
            name = f"0.00034{number}_chameleon _ box turtle_0.5554070{number}.jpg"
            save(root / wnid / name, place * per_class + number, 50 + place, 40 + number)
    (root / "README.txt").write_text("About these pictures.")
    return folder


def imagenet_22k(folder: Path, pairs: Sequence[tuple[str, str]], *, per_synset: int) -> Path:
    """imagenet22k/<wnid>/<wnid>_<number>.JPEG, and wordnet.is_a.txt, "parent child" a line."""
    lines = "".join(f"{parent} {child}\n" for parent, child in pairs)
    (folder / "imagenet22k").mkdir(parents=True)
    (folder / "wordnet.is_a.txt").write_text(lines)
    for place, wnid in enumerate(sorted({wnid for pair in pairs for wnid in pair})):
        for number in range(per_synset):
            path = folder / "imagenet22k" / wnid / f"{wnid}_{number}.JPEG"
            save(path, per_synset * place + number)
    return folder


def textures(folder: Path) -> Path:
    """dtd/images/<texture>/*.jpg of different sizes, with dtd/labels and dtd/imdb beside them."""
    for place, name in enumerate(("banded", "waffled")):
        for number in (2, 4):
            path = folder / "dtd" / "images" / name / f"{name}_{number:04d}.jpg"
            save(path, place + number, 40 + 5 * place, 30 + number)
    (folder / "dtd" / "images" / "waffled" / ".directory").write_text("[Dolphin]")
    for path in ("labels/train1.txt", "imdb/imdb.mat"):
        (folder / "dtd" / path).parent.mkdir()
        (folder / "dtd" / path).write_text("banded/banded_0002.jpg")
    return folder


def places(folder: Path) -> Path:
    """val_256/Places365_val_00000001.jpg, all in one folder."""
    for number in range(1, 5):
        save(folder / "val_256" / f"Places365_val_{number:08d}.jpg", number, 32, 32)
    return folder


def flat_validation(folder: Path, count: int) -> Path:
    """val/ILSVRC2012_val_00000001.JPEG, as the archive unpacks."""
    for number in range(1, count + 1):
        save(folder / "val" / f"ILSVRC2012_val_{number:08d}.JPEG", number)
    return folder


def devkit(folder: Path, order: Sequence[str], truth: Sequence[str]) -> Path:
    """ILSVRC2012_devkit_t12/data/ with meta.mat and the ground truth.

    `order` gives ILSVRC2012_ID 1, 2, ...; `truth` is the WordNet id of picture 1, 2, ...
    """
    data = folder / "ILSVRC2012_devkit_t12" / "data"
    data.mkdir(parents=True)
    number = {wnid: place for place, wnid in enumerate(order, start=1)}
    text = "".join(f"{number[wnid]}\n" for wnid in truth)
    (data / "ILSVRC2012_validation_ground_truth.txt").write_text(text)
    fields = ["ILSVRC2012_ID", "WNID", "words", "gloss", "num_children", "children"]
    fields += ["wordnet_height", "num_train_images"]
    ancestors = ["n00001740", "n00004258"]  # they have children, and ids after all classes
    synsets = np.empty((len(order) + len(ancestors), 1), dtype=[(f, "O") for f in fields])
    for place, wnid in enumerate([*order, *ancestors]):
        leaf = wnid in order
        children = np.array([] if leaf else [1, 2], dtype=float)
        row = (float(place + 1), wnid, f"words of {wnid}", "a gloss", float(len(children)))
        synsets[place, 0] = (*row, children, 0.0 if leaf else 1.0, 1300.0 if leaf else 0.0)
    savemat(data / "meta.mat", {"synsets": synsets}, do_compression=True)
    return folder


def flat_with_devkit(folder: Path) -> Path:
    """The validation pictures in one folder, and the kit that tells their classes."""
    flat_validation(folder, len(TRUTH))
    return devkit(folder, KIT_ORDER, TRUTH)


def kit_of(folder: Path) -> dict[str, str]:
    """What the kit in a folder says of the pictures."""
    data = folder / "ILSVRC2012_devkit_t12" / "data"
    return kit_truth(data / "ILSVRC2012_validation_ground_truth.txt", data / "meta.mat")


def imagenet_c(
    folder: Path,
    corruptions: Sequence[str] = ("fog",),
    severities: Sequence[int] = (1, 2, 3, 4, 5),
    wnids: Sequence[str] = WNIDS,
    *,
    side: int = 224,
) -> Path:
    """<corruption>/<severity>/<wnid>/ILSVRC2012_val_00000001.JPEG, 224 pixels, one a class."""
    for corruption in corruptions:
        for severity in severities:
            cell = folder / corruption / str(severity)
            class_folders(cell, wnids, per_class=1, side=side)
    return folder


def vid_robust(folder: Path, *, videos: int = 2, frames: int = 5, anchor: int = 2) -> Path:
    """imagenet_vid_ytbb_robust/imagenet-vid-robust/ with val/, metadata/ and misc/."""
    root = folder / "imagenet_vid_ytbb_robust" / "imagenet-vid-robust"
    labels: dict[str, list[int]] = {}
    sets: dict[str, list[str]] = {}
    for video in range(videos):
        # The last video's anchor has no neighbours: the release has one such set.
        numbers = [anchor] if video == videos - 1 else range(frames)
        named = {n: f"val/ILSVRC2015_val_{video:08d}/{n:06d}.JPEG" for n in numbers}
        for number, path in named.items():
            save(root / path, video * 100 + number, 64, 36)
            labels[path] = [video, 8] if video == 0 else [video]
        sets[named[anchor]] = [path for n, path in named.items() if n != anchor]
    _json(root / "metadata" / "labels.json", labels)
    _json(root / "metadata" / "pmsets.json", sets)
    vid_misc(root)
    return folder


def vid_misc(root: Path) -> None:
    """misc/imagenet_vid_class_index.json, and misc/wnid_map.json where the project has 1000."""
    vid, whole = load_classes("imagenet_vid"), load_classes("imagenet_1k").folders
    index = {str(one.index): [one.wnid, one.name.replace(" ", "_")] for one in vid.entries}
    _json(root / "misc" / "imagenet_vid_class_index.json", index)
    if len(whole) == 1000:
        wnids = {whole[output]: one.wnid for one in vid.entries for output in one.imagenet}
        _json(root / "misc" / "wnid_map.json", wnids)


def vid_boxes(folder: Path, *, videos: int = 2, frames: int = 5) -> Path:
    """ILSVRC2015/Annotations/VID/val/<video>/NNNNNN.xml, Pascal VOC with WordNet ids as names."""
    for video in range(videos):
        for number in range(frames):
            inside = f"val/ILSVRC2015_val_{video:08d}/{number:06d}"
            box = (10 + number, 5, 40 + number, 30)
            vid_annotation(folder / "ILSVRC2015", inside, [("n02691156", box)])
    return folder


def vid_frames(folder: Path, *, videos: int = 2, frames: int = 3) -> Path:
    """ILSVRC2015/Data/VID and Annotations/VID of both splits: a small dog before a larger car.

    The training videos lie one folder deeper; the last frame of each video has no object.
    """
    root = folder / "ILSVRC2015"
    small, large = ("n02084071", (0, 0, 10, 10)), ("n02958343", (20, 4, 63, 36))
    for split in ("train/ILSVRC2015_VID_train_0000", "val"):
        for video in range(videos):
            name = f"{split}/ILSVRC2015_{split.split('/')[0]}_{video:08d}"
            for number in range(frames):
                save(root / "Data/VID" / name / f"{number:06d}.JPEG", number, 64, 36)
                objects = [] if number == frames - 1 else [small, large]
                vid_annotation(root, f"{name}/{number:06d}", objects)
    return folder


def vid_annotation(
    root: Path, inside: str, objects: Sequence[tuple[str, tuple[float, ...]]]
) -> Path:
    """Annotations/VID/<inside>.xml for a frame of 64 x 36 pixels; a box is xyxy."""
    path = root / "Annotations/VID" / f"{inside}.xml"
    path.parent.mkdir(parents=True, exist_ok=True)
    video, number = inside.split("/", 1)[1].rsplit("/", 1)
    listed = "".join(
        f"<object><trackid>{track}</trackid><name>{wnid}</name><bndbox><xmax>{box[2]}</xmax>"
        f"<xmin>{box[0]}</xmin><ymax>{box[3]}</ymax><ymin>{box[1]}</ymin></bndbox>"
        f"<occluded>{track}</occluded><generated>0</generated></object>"
        for track, (wnid, box) in enumerate(objects)
    )
    path.write_text(
        f"<annotation><folder>{video}</folder><filename>{number}</filename>"
        "<source><database>ILSVRC_2015</database></source>"
        f"<size><width>64</width><height>36</height></size>{listed}</annotation>"
    )
    return path


def icons50(
    folder: Path,
    classes: Sequence[str],
    *,
    styles: Sequence[str] = ("apple",),
    subtypes: Sequence[str] = ("some_subtype",),
) -> Path:
    """Icons-50/<class>/<style>_<rendition>_<subtype>.png, with the stray files of the release."""
    root = folder / "Icons-50"
    for place, name in enumerate(classes):
        for style in styles:
            for rendition, subtype in product((1, 2), subtypes):
                save(root / name / f"{style}_{rendition}_{subtype}.png", place, 32, 32)
        (root / name / ".DS_Store").write_bytes(b"\0")
    (root / "README.txt").write_text("About these icons.")
    return folder


def painters(folder: Path, seed: int = 0) -> Path:
    """Write the encoder and the decoder of style transfer as their public files, random weights.

    The encoder's file is the whole VGG-19, which goes on after the layers that are used.
    """
    folder.mkdir(parents=True, exist_ok=True)
    generator = torch.Generator().manual_seed(seed)
    files = {"vgg_normalised.pth": VGG, "decoder.pth": DECODER}
    for name, layers in files.items():
        state = {}
        for place, (outputs, inputs) in layers.items():
            side = 1 if inputs == outputs == 3 else 3
            scale = (2 / inputs) ** 0.5 / side
            shape = (outputs, inputs, side, side)
            state[f"{place}.weight"] = scale * torch.randn(shape, generator=generator)
            state[f"{place}.bias"] = torch.zeros(outputs)
        torch.save(state, folder / name)
    return folder


# Place of each convolution -> its outputs and inputs.
VGG = {0: (3, 3), 2: (64, 3), 5: (64, 64), 9: (128, 64), 12: (128, 128), 16: (256, 128),
       19: (256, 256), 22: (256, 256), 25: (256, 256), 29: (512, 256), 32: (512, 512),
       35: (512, 512), 38: (512, 512), 42: (512, 512), 45: (512, 512), 48: (512, 512),
       51: (512, 512)}  # fmt: skip
DECODER = {1: (256, 512), 5: (256, 256), 8: (256, 256), 11: (256, 256), 14: (128, 256),
           18: (128, 128), 21: (64, 128), 25: (64, 64), 28: (3, 64)}  # fmt: skip


def tar(folder: Path, archive: Path, *, mode: str = "w") -> Path:
    """Pack what a folder holds, without the folder itself."""
    with tarfile.open(archive, mode) as packed:
        for entry in sorted(folder.iterdir()):
            packed.add(entry, arcname=entry.name)
    return archive


def _json(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
