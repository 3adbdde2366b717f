"""Contact sheets: pictures in rows, drawings of a name below each other, white where none is."""

import numpy as np
import pytest
from PIL import Image

from robust_book.figures import contact_sheets
from robust_lib.cache import Store
from robust_lib.miniworld.icons import Art, Drawing
from robust_lib.miniworld.layout_grounds import KINDS
from robust_lib.miniworld.scene_set import Scenes
from robust_lib.miniworld.worlds import load_world


def test_pictures_stand_in_rows_and_the_last_row_ends_in_white():
    pictures = [np.full((2, 3, 3), level, np.uint8) for level in (10, 20, 30)]
    sheet = contact_sheets.tiled(pictures, columns=2)
    assert sheet.shape == (4, 6, 3)
    assert sheet[:, :, 0].tolist() == [[10] * 3 + [20] * 3] * 2 + [[30] * 3 + [255] * 3] * 2


@pytest.fixture
def patches():
    """Two sets; the names are spelled with and without hyphens, and the second set lacks one."""
    names = [("one", f"icon-{number}") for number in range(6)]
    names += [("other", f"icon{number}") for number in range(5)]
    rgba = np.zeros((11, 2, 2, 4), np.uint8)
    rgba[..., :3] = np.arange(11, dtype=np.uint8)[:, None, None, None]
    rgba[..., 3] = 255
    return Art(tuple(Drawing(*name) for name in names), rgba)


def test_every_fifth_name_has_a_column_and_every_set_a_row(patches):
    sheet = contact_sheets.rows_of_sets(patches)
    # The names 0 and 5: of the first set drawings 0 and 5, of the second drawing 6 and none.
    assert sheet.shape == (4, 4, 3)
    assert sheet[::2, ::2, 0].tolist() == [[0, 5], [6, 255]]


def test_what_is_transparent_shows_white(patches):
    patches.rgba[0, ..., 3] = 51  # a fifth of black
    sheet = contact_sheets.rows_of_sets(patches, columns=1)
    assert sheet[0, 0].tolist() == [204, 204, 204]


def test_both_sheets_are_png_files_of_the_scenes_and_the_art(project):
    scenes = Scenes("toys", load_world("toys"), "test", 12, Store(project / "store"), size=32)
    paths = contact_sheets.draw(scenes, project / "figures")
    shown, drawn = (np.asarray(Image.open(path)) for path in paths)
    classes = len(scenes.class_names)
    assert shown.shape == (32, 32 * contact_sheets.COLUMNS, 3)
    assert np.array_equal(shown[:, : 32 * classes], np.concatenate(scenes.pictures[:classes], 1))
    assert (shown[:, 32 * classes :] == 255).all()
    assert np.array_equal(drawn, contact_sheets.rows_of_sets(scenes.art))


def test_photographs_stand_by_their_grounds_in_order_until_the_sheet_is_full():
    def shown():
        for number, kind in enumerate(("sky", "road", "sky", "sky", "road")):
            yield kind, np.full((2, 2, 3), number, np.uint8)
        raise AssertionError("asked for more than the sheet holds")

    sheet = contact_sheets.rows_of_grounds(shown(), kinds=("road", "sky"), columns=2)
    assert sheet[::2, ::2, 0].tolist() == [[1, 4], [0, 2]]


def test_the_sheet_of_photographs_has_a_row_for_each_kind_of_ground(tmp_path):
    few = [("beach", np.zeros((2, 2, 3), np.uint8))]
    shown = np.asarray(Image.open(contact_sheets.draw_photographs(iter(few), tmp_path)))
    assert shown.shape == (2 * len(KINDS), 2 * contact_sheets.PHOTOGRAPHS, 3)
    assert np.argwhere((shown == 0).all(2)).tolist() == [[4, 0], [4, 1], [5, 0], [5, 1]]
