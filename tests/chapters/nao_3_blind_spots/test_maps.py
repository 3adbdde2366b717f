"""The maps of the chapter: what is changed in the others, and what they keep."""

import html
import json
import re

import numpy as np
import pytest

from robust_book.chapters.nao_3_blind_spots import maps as module
from robust_book.chapters.nao_3_blind_spots.maps import (
    SIDE,
    TILES,
    UNITS,
    atlas,
    block,
    kept_frame,
    maps,
    rings,
    sheet,
)
from robust_lib.explain.embedding_map import Map
from tests.chapters.nao_3_blind_spots import toys as own
from tests.protocols.blind_spots import toys


class Turned:
    """Places points as the map of two of their numbers, turned by the seed."""

    def transform(self, points):
        return points[:, :2] + 100


@pytest.fixture
def asked(monkeypatch):
    calls = []

    def fit_map(points, *, neighbours, seed):
        calls.append((neighbours, seed))
        places = points[:, seed : seed + 2]
        return Map(places, f"UMAP, {neighbours} neighbours, seed {seed}", Turned())

    monkeypatch.setattr(module, "fit_map", fit_map)
    return calls


def test_other_maps_have_other_neighbours_and_another_seed(asked):
    made = maps(toys.blind_spots(), 15, 0)
    assert asked == [(15, 0), (5, 0), (45, 0), (15, 1)]
    assert list(made.others) == ["5 neighbours", "45 neighbours", "seed 1"]


def test_neighbours_stay_within_what_there_is(asked):
    maps(toys.blind_spots(), 4, 0)
    maps(toys.blind_spots(), 200, 0)
    assert [one for one, _ in asked] == [4, 2, 12, 4, 200, 66, 239, 200]


def test_adversarial_pictures_lie_where_they_lie_in_the_pool_and_new_ones_are_placed(asked):
    found = toys.blind_spots()
    made = maps(found, 15, 0)
    own = found.space.own
    assert np.array_equal(made.chosen[:10], made.first.places[own[:10]])
    np.testing.assert_allclose(made.chosen[10:], found.space.chosen[10:, :2] + 100)


def test_what_is_kept_is_between_chance_and_all(asked):
    frame = kept_frame(toys.blind_spots(), maps(toys.blind_spots(), 15, 0))
    assert frame["Map"].tolist()[1:] == ["5 neighbours", "45 neighbours", "seed 1", "chance"]
    kept = frame.set_index("Map")["Kept from the map"]
    assert kept["5 neighbours"] == 100  # the same places
    assert kept["chance"] < kept["seed 1"] < 100
    assert kept["chance"] == pytest.approx(100 * 15 / 239)


def test_rings_are_where_their_pictures_are():
    found = toys.blind_spots()
    made = maps(found, None, 0)
    (one,) = rings(found, made, 3)
    places = made.first.places[found.spot == 0]
    assert one.number == 1
    assert (np.hypot(*(places - (one.x, one.y)).T) <= one.radius + 1e-9).mean() >= 0.75
    assert rings(found, made, 0) == []


@pytest.fixture
def made():
    _, pool, adversarial = own.seen()
    return atlas(toys.blind_spots(), own.maps(), pool, adversarial, 3)


def test_every_dot_lies_on_the_map_upwards_as_in_the_figure(made):
    every = np.concatenate(list(made.dots.values()))
    assert (every >= 0).all()
    assert (every <= UNITS).all()
    places = own.maps().first.places
    highest = int(places[:, 1].argmax())
    both = np.concatenate([made.dots["training"], made.dots["pool"]])
    assert both[:, 1].argmin() == highest


def test_thumbnails_lie_where_their_dots_are_and_say_what_they_are(made):
    found = toys.blind_spots()
    assert len(made.thumbnails) == 40 + 12
    first = made.thumbnails[0]
    place = found.pool_pictures(0)[0]
    np.testing.assert_allclose((first.x, first.y), made.dots["pool"][place], atol=0.06)
    shark = ", shark*" if place % 2 else ""
    assert first.words == f"spot 1, of the pool: bird{shark}"
    np.testing.assert_allclose(made.sheet[0, 0], place % 256)
    words = [one.words for one in made.thumbnails[40:]]
    assert words[0] == "adversarial: bird"
    assert sum(one.startswith("spot 1, adversarial") for one in words) == 9


def test_thumbnails_are_kept_to_what_a_page_bears(monkeypatch):
    monkeypatch.setattr(module, "MOST", 20)
    _, pool, adversarial = own.seen()
    few = atlas(toys.blind_spots(), own.maps(), pool, adversarial, 3)
    kinds = ["pool" in one.words for one in few.thumbnails]
    assert 0 < sum(kinds) <= 10
    assert 0 < len(kinds) - sum(kinds) <= 10


def test_a_sheet_holds_pictures_in_rows():
    pictures = [np.full((SIDE, SIDE, 3), number, np.uint8) for number in range(TILES + 2)]
    found = sheet(pictures)
    assert found.shape == (2 * SIDE, TILES * SIDE, 3)
    for number in (0, TILES - 1, TILES + 1):
        row, column = divmod(number, TILES)
        assert (found[row * SIDE : (row + 1) * SIDE, column * SIDE] == number).all()
    assert (found[SIDE:, 2 * SIDE :] == 0).all()
    assert sheet([]).shape == (SIDE, TILES * SIDE, 3)


def test_the_block_has_all_dots_the_points_and_the_rings(made):
    text = str(block(made, convention="toys"))
    drawn = re.findall(r'class="rb-dots rb-(\w+)" d="([^"]*)"', text)
    assert {name: d.count("h0") for name, d in drawn} == {
        "training": 100, "pool": 140, "adversarial": 12,
    }  # fmt: skip
    points = json.loads(html.unescape(re.search(r'data-points="([^"]*)"', text)[1]))
    assert len(points) == 52
    assert 'max="51"' in text
    assert text.count("rb-spot") == 1
    assert len(text) < 10_000
