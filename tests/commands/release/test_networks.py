"""The packs of a release hold its networks, and the predictions that its pages show."""

import pytest

from robust_book.commands.release import networks
from robust_book.commands.release.networks import ALONE, WITH_PREDICTIONS
from robust_book.engine import pace, pack
from robust_lib.cache import content_key
from robust_lib.errors import RunError
from tests import tiny
from tests.engine import packs


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    return packs.trained(tmp_path_factory)


def test_both_packs_hold_the_networks_and_one_the_predictions_that_pages_show(
    trained, tmp_path, monkeypatch
):
    tiny.enter(trained, monkeypatch)
    release = packs.packs(trained, tmp_path / "release")
    alone, both = (pack.opened(release / name) for name in (ALONE, WITH_PREDICTIONS))
    wanted = sorted(packs.stored(trained))
    assert sorted(alone.descriptions) == sorted(both.keys(*pack.NETWORKS)) == wanted
    shown = sorted(map(content_key, (packs.ANSWER, packs.ON_PHOTOGRAPHS, packs.TEN_CROPS)))
    assert sorted(both.keys(*pack.PREDICTIONS)) == shown
    assert both.arrays(content_key(packs.ANSWER))["predicted"].tolist() == [0, 1, 2]
    assert (alone.about.chapters, both.about.chapters) == ((), ("one",))
    assert alone.name == "networks.zip (toy 1.2.0, profile tiny)"
    assert alone.about.machine == pace.name(1)


def test_a_book_without_all_its_networks_has_no_pack(trained, tmp_path, monkeypatch):
    tiny.enter(trained, monkeypatch)
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    with pytest.raises(RunError, match="all networks of profile tiny to be trained, but alexnet"):
        networks.trained(tiny.PROFILE, {"00_tour": packs.RUNS["one"]})
