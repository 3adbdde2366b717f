"""Small data sets in shards, in exactly the layouts that hubs publish, made of class folders."""

import io
import json
import tarfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from tests import trees

HASH = "1ce8a97d12e20fb9"


def pictures(root: Path) -> list[tuple[str, str, bytes]]:
    """Class folder, file name and bytes of each picture, in an order of no meaning."""
    files = [file for file in root.glob("n*/*") if file.is_file()]
    files.sort(key=lambda file: file.name[::-1])
    return [(file.parent.name, file.name, file.read_bytes()) for file in files]


def parquet(
    folder: Path,
    root: Path,
    *,
    shard: str = "data/validation-{:05d}-of-{:05d}{}.parquet",
    wnids: Sequence[str] = trees.WNIDS,
    names: Sequence[str] | None = None,
    shards: int = 3,
    hashed: bool = False,
    suffixed: bool = True,
    group: int = 2,
) -> list[Path]:
    """data/validation-00000-of-00003[-HASH].parquet with `image` {bytes, path} and int `label`.

    Args:
        names: what the hub's notes in the file call the labels.
        suffixed: pictures are called ILSVRC2012_val_00000293_n01440764.JPEG, as imagenet-1k's are.
        group: rows of a row group; the hub writes a hundred.
    """
    rows = [
        (bytes_, name.replace(".JPEG", f"_{wnid}.JPEG") if suffixed else name, wnids.index(wnid))
        for wnid, name, bytes_ in pictures(root)
    ]
    each, written = -(-len(rows) // shards), []
    for number in range(shards):
        part = rows[number * each : (number + 1) * each]
        path = folder / shard.format(number, shards, f"-{HASH}" if hashed else "")
        written.append(write_parquet(path, part, names=names, group=group))
    return written


def write_parquet(
    path: Path,
    rows: Sequence[tuple[bytes | None, str | None, int | str]],
    *,
    names: Sequence[str] | None = None,
    group: int = 2,
    label: str = "label",
) -> Path:
    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    kind = pa.string() if rows and isinstance(rows[0][2], str) else pa.int64()
    features = {
        "image": {"_type": "Image"},
        label: {"names": list(names), "_type": "ClassLabel"} if names else {"_type": "Value"},
    }
    notes = {"huggingface": json.dumps({"info": {"features": features}})}
    schema = pa.schema([("image", image), (label, kind)], metadata=notes)
    table = pa.table(
        {
            "image": pa.array([{"bytes": one, "path": name} for one, name, _ in rows], image),
            label: pa.array([of for _, _, of in rows], kind),
        },
        schema=schema,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, row_group_size=group)
    return path


def webdataset(
    folder: Path,
    root: Path,
    *,
    shard: str = "imagenet1k-validation-{:02d}.tar",
    wnids: Sequence[str] = trees.WNIDS,
    key: str = "{stem}",
    picture: str = "jpg",
    told: str | None = "cls",
    shards: int = 3,
) -> list[Path]:
    """imagenet1k-validation-00.tar with KEY.jpg and KEY.cls, as timm and clip-benchmark write them.

    Args:
        key: of a sample; may name the picture's stem, wnid and number.
        told: ending of the file that tells the class, "cls" or "json"; None: none does.
    """
    held = pictures(root)
    each, written = -(-len(held) // shards), []
    for number in range(shards):
        samples = []
        for place, (wnid, name, content) in enumerate(held):
            if place // each == number:
                called = key.format(stem=Path(name).stem, wnid=wnid, number=place)
                of = wnids.index(wnid)
                text = str(of) if told == "cls" else json.dumps({"label": of, "width": 40})
                beside = {told: text.encode()} if told else {}
                samples.append((called, {picture: content, **beside}))
        written.append(write_tar(folder / shard.format(number), samples))
    return written


def write_tar(path: Path, samples: Sequence[tuple[str, Mapping[str, bytes]]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w") as tar:
        for key, parts in samples:
            for ending, content in parts.items():
                member = tarfile.TarInfo(f"{key}.{ending}")
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    return path


def small_project(root: Path) -> None:
    """Manifests of data sets of four classes, called imagenet_1k here, with a list of their truth.

    Of six validation pictures; of a part of two classes, whose numbers are not those of all; of
    ImageNet-C with one corruption; and of ImageNet-22K.
    """
    places = root / "data_manifests"
    for name in ("datasets", "classes", "truth"):
        (places / name).mkdir(parents=True)
    lists = {"imagenet_1k": trees.WNIDS, "few": PART}
    text = "".join(f"{name}: {{title: {name}, source: made for tests}}\n" for name in lists)
    (places / "classes" / "lists.yaml").write_text(text)
    for name, wnids in lists.items():
        rows = "".join(f"{place},{wnid},class {wnid}\n" for place, wnid in enumerate(wnids))
        (places / "classes" / f"{name}.csv").write_text(f"index,wnid,name\n{rows}")
    numbers = "".join(f"{trees.WNIDS.index(wnid)}\n" for wnid in trees.TRUTH)
    (places / "truth" / "small_val.csv").write_text(f"index\n{numbers}")
    thousand = {"folders": "imagenet_1k", "classes": "imagenet_1k"}
    cells = {"path": "fog/[1-2]", "matches": 2, "images": 6, "folders": "imagenet_1k"}
    for name, keys in {
        "small_val": {"root": "val", "images": 6, "split": "val", **thousand},
        "small_a": {"root": "a", "images": 4, "folders": "few", "classes": "few"},
        "small_c": {
            "kind": "imagenet_c",
            "classes": "imagenet_1k",
            "members_of": "small_val",
            "contents": [cells],
        },
    }.items():
        plain = {"name": name, "title": name, "kind": "image_folder", "layout": "as tests have it"}
        plain |= {"licence": "none", "access": "open"}
        (places / "datasets" / f"{name}.yaml").write_text(yaml.safe_dump(plain | keys))


PART = (trees.WNIDS[1], trees.WNIDS[3])


def validation(folder: Path, truth: Sequence[str] = trees.TRUTH) -> Path:
    """val/<wnid>/ILSVRC2012_val_00000001.JPEG, by the list of the small project."""
    for number, wnid in enumerate(truth, 1):
        trees.save(folder / "val" / wnid / f"ILSVRC2012_val_{number:08d}.JPEG", number, 224, 224)
    return folder / "val"


LAYOUTS: Mapping[str, Callable[[Path, Path], list[Path]]] = {
    # ILSVRC/imagenet-1k
    "hub": parquet,
    "hub, hashed": partial(parquet, hashed=True),
    # the hub's own conversion of any set: refs/convert/parquet
    "hub, converted": partial(parquet, shard="default/validation/{:04d}.parquet"),
    "hub, plain names": partial(parquet, suffixed=False),
    # timm/imagenet-1k-wds
    "timm": webdataset,
    "json": partial(webdataset, shard="val/imagenet-val-{:06d}.tar", picture="JPEG", told="json"),
    # folders in keys tell the class as well
    "folders": partial(webdataset, shard="val-{:06d}.tar", key="{wnid}/{stem}", told=None),
}
"""Layout -> what writes the validation pictures in it, given a folder and that of the pictures."""
