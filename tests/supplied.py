"""Data sets as a glance finds them whole: all class folders, hardly a picture."""

from pathlib import Path

from robust_lib.config.class_lists import load_classes
from robust_lib.vocabulary import COMMON, EXTRA


def class_folders(folder: Path, classes: str = "imagenet_1k") -> Path:
    """All class folders, of which the first and the last hold a picture."""
    names = load_classes(classes).folders
    for name in names:
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name in (names[0], names[-1]):
        (folder / name / "ILSVRC2012_val_00000001.JPEG").write_bytes(b"a picture")
    return folder


def validation_and_archive(data: Path) -> None:
    """ImageNet's validation images, and ImageNet-C; each cell of it is a link to them."""
    val = class_folders(data / "imagenet_val" / "val")
    for name in COMMON + EXTRA:
        (data / "imagenet_c" / name).mkdir(parents=True)
        for severity in range(1, 6):
            (data / "imagenet_c" / name / str(severity)).symlink_to(val)
