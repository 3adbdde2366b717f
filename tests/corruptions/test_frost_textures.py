"""The frost pictures: originals by checksum, stand-ins that say that they are."""

import shutil

import numpy as np
import pytest
import torch

from robust_lib import errors
from robust_lib.corruptions.frost_textures import SHA256, fitted, textures

CPU = torch.device("cpu")


def test_originals(frost_folder):
    look = textures(frost_folder)
    assert look.canonical
    sizes = [picture.shape[:2] for picture in look.pictures]
    assert sizes == [(600, 900), (315, 560), (315, 560), (350, 527), (495, 660), (323, 485)]
    assert look.pictures[0].mean(axis=(0, 1)) == pytest.approx([78, 149, 166], abs=1)  # RGB


def test_stand_ins_look_alike_in_size_colour_and_contrast(frost_folder, tmp_path):
    ours, theirs = textures(tmp_path / "none"), textures(frost_folder)
    assert not ours.canonical
    for one, other in zip(ours.pictures, theirs.pictures, strict=True):
        assert one.shape == other.shape
        assert np.abs(one.mean(axis=(0, 1)) - other.mean(axis=(0, 1))).max() < 5
        contrasts = [picture.mean(axis=-1).std() for picture in (one, other)]
        assert contrasts[0] == pytest.approx(contrasts[1], rel=0.15)
    assert textures(tmp_path / "none") is ours  # drawn once


def test_missing_and_foreign_files_are_refused(frost_folder, tmp_path):
    folder = tmp_path / "frost_textures"
    shutil.copytree(frost_folder, folder)
    (folder / "frost4.jpg").unlink()
    with pytest.raises(errors.DataError, match=r"frost4.jpg.*missing or empty"):
        textures(folder)
    (folder / "frost4.jpg").write_bytes(b"another picture")
    with pytest.raises(errors.DataError, match=f"{SHA256['frost4.jpg'][:12]}.*another file"):
        textures(folder)


@pytest.mark.parametrize(
    ("height", "width", "expected"),
    [
        (224, 224, (315, 560)),
        (64, 64, (90, 160)),
        (448, 448, (630, 1120)),
        (224, 900, (507, 901)),
    ],
)
def test_fitted_covers_the_picture(height, width, expected, tmp_path):
    picture = fitted(textures(tmp_path / "none"), 1, height, width, CPU)
    assert tuple(picture.shape[1:]) == expected
    assert picture.shape[1] > height
    assert picture.shape[2] > width
