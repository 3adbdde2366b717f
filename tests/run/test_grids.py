"""Grids: what an archive holds comes from it, what none holds is made here, and both are one."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from robust_lib.cache import Store
from robust_lib.config.profiles import load_profile
from robust_lib.run import grids
from tests import toys

NOWHERE = Store(Path("nowhere"))


@pytest.fixture
def asked(monkeypatch):
    """Which corruptions are asked of which source."""
    calls = []

    def corrupted(profile, images, models, corruptions):
        calls.append((profile.corrupted, tuple(corruptions)))
        return SimpleNamespace(cell=None, name="c", storage="memory", notes=(), models={})

    def evaluate(models, images, cell, *, corruptions, severities, **_):
        return toys.grid(lambda *_: [True, False], models, corruptions, severities)

    monkeypatch.setattr(grids.corrupted_sets, "corrupted", corrupted)
    monkeypatch.setattr(grids, "evaluate", evaluate)
    return calls


def grid(mini, source, corruptions):
    profile = mini.model_copy(update={"corrupted": source})
    return grids.grid(profile, toys.Swatches(), {"one": (toys.brightest(),)}, corruptions, NOWHERE)


@pytest.fixture
def mini():
    return load_profile("mini")


def test_all_is_made_here_where_there_is_no_archive(mini, asked):
    found = grid(mini, "generated", ("fog", "border"))
    assert asked == [("generated", ("fog", "border"))]
    assert found.corruptions == ("fog", "border")


def test_what_no_archive_holds_is_made_here(mini, asked):
    found = grid(mini, "archive", ("fog", "border"))
    assert sorted(asked) == [("archive", ("fog",)), ("generated", ("border",))]
    assert set(found.corruptions) == {"fog", "border"}


def test_an_archive_that_holds_all_is_enough(mini, asked):
    grid(mini, "archive", ("fog", "snow"))
    assert asked == [("archive", ("fog", "snow"))]


def test_an_archive_that_holds_nothing_is_not_asked(mini, asked):
    assert grid(mini, "archive", ("border",)).corruptions == ("border",)
    assert asked == [("generated", ("border",))]
