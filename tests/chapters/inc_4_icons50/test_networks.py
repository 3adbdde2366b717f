"""What is held out is looked up first; then networks say what they were not trained on."""

import pytest

from robust_book.chapters import inc_4_icons50 as chapter
from robust_book.chapters.inc_4_icons50 import networks
from robust_lib.config.profiles import load_profile
from robust_lib.errors import InputError
from robust_lib.run.start import start
from tests import tiny


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return tiny.project(tmp_path_factory.mktemp("icons"))


@pytest.fixture
def run(made, monkeypatch):
    tiny.enter(made, monkeypatch)
    return start(chapter.CHAPTER, "tiny")


def test_what_cannot_be_held_out_is_refused_before_a_network_is_trained(run):
    with pytest.raises(InputError, match="style to be one of google, microsoft, mozilla"):
        networks.held_out(run, "apple", "exact")
    with pytest.raises(InputError, match="match to be one of authors, exact"):
        networks.held_out(run, "google", "author")
    with pytest.raises(InputError, match="a hold-out to be one of style:VENDOR"):
        networks.predictions(run, ["random", "colour"])


def test_the_original_icons_are_held_out_as_their_authors_did(run):
    """So were the published numbers made; open icons, which nobody published, by the exact rule."""
    assert networks.rule(run, None) == "exact"
    assert networks.rule(run, "authors") == "authors"
    mini, full = (networks.per_hold_out(["net"], load_profile(name)) for name in ("mini", "full"))
    authors = [f"net@{one}:authors" for one in ("style:microsoft", "version", "subtypes")]
    assert [str(one) for one in full[:3]] == authors
    assert str(mini[0]) == "net@style:microsoft"


def test_vendors_are_those_of_the_icons_or_the_named_ones(run):
    assert networks.vendors(run) == ["google", "microsoft", "mozilla"]
    assert networks.vendors(run, ["google"]) == ["google"]
    assert networks.vendors(run, '["google"]') == ["google"]
    with pytest.raises(InputError, match="style to be one of google, microsoft, mozilla"):
        networks.vendors(run, ["lg"])


def test_a_class_is_known_by_its_name(run):
    assert run.images.class_names[networks.label_of(run, "Hat")] == "Hat"
    with pytest.raises(InputError, match="a class to be one of Airplane"):
        networks.label_of(run, "hat")


def test_networks_predict_what_they_were_not_trained_on(run):
    (found,) = networks.predictions(run, ["style:microsoft"]).values()
    assert list(found) == list(networks.model_names(run)) == ["resnet20_mini"]
    (predictions,) = found["resnet20_mini"]
    assert predictions.ids == tuple(name for name in run.images.ids if "microsoft" in name)
    assert predictions.model == "resnet20_mini@style:microsoft"
