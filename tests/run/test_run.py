"""A run: what it asks images and networks for, and the command that makes it again."""

import json
import shlex
from dataclasses import replace

import numpy as np
import pytest
import yaml

from robust_book.chapters import chapter
from robust_lib.datasets.derived import Subset
from robust_lib.errors import DataError, InputError
from robust_lib.predict import classify
from robust_lib.predict.classify import choose
from robust_lib.protocols.corruption_error.normaliser import published
from robust_lib.run import corrupted_sets
from robust_lib.run.network import Network
from robust_lib.run.papers import inc
from robust_lib.run.start import start
from tests import tiny, trees
from tests.toys import brightest

MCE = chapter("inc_2_mce")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return tiny.drawn(tmp_path_factory)


@pytest.fixture
def project(made, monkeypatch):
    return tiny.enter(made, monkeypatch)


def begin(**values):
    return start(MCE, "tiny", **values)


def test_the_run_in_words(project):
    assert begin().description == "shapes, 4 classes, 16 scenes, 1 seed"
    assert begin(limit=1000, seeds=3).description == "shapes, 4 classes, 24 scenes, 3 seeds"
    assert start(chapter("inc_1_corruptions"), "tiny").description.startswith("photographs")
    run = begin()
    assert run.interval_words.endswith("ratios)")
    assert len(set(run.images.together)) < len(run.images)
    assert run.interval_words.endswith("over drawings if that is wider")
    assert begin(seeds=2).interval_words.startswith("mean of 2 seeds")


def test_the_command_says_what_was_asked_for_and_no_more(project):
    assert begin().command == (
        'papermill notebooks/inc_2_mce.ipynb out.ipynb -y \'{"profile": "tiny"}\''
    )
    run = begin(models=["resnet18", "it's.py:build"], limit=8, storage="memory")
    words = shlex.split(run.command)
    given = {}
    for flag, text in zip(words[3::2], words[4::2], strict=True):
        assert flag == "-y"
        given |= yaml.safe_load(text)  # as papermill reads it
    assert given == {
        "profile": "tiny",
        "models": ["resnet18", "it's.py:build"],
        "limit": 8,
        "storage": "memory",
    }
    again = dict(given)
    assert start(MCE, again.pop("profile"), **again).command == run.command
    assert json.loads(json.dumps(run.parameters)) == run.parameters


def test_pictures_are_no_more_than_there_are(project):
    run = begin()
    shown = run.pictures(100)
    assert len(shown) == len(run.class_of(100)) == 24
    assert {picture.shape for picture in shown} == {(64, 64, 3)}
    few = choose(run.images.ids, 4)
    assert run.class_of(4) == [run.images.class_names[run.images.labels[at]] for at in few]
    for picture, place in zip(run.pictures(4), few, strict=True):
        assert np.array_equal(picture, run.images.pictures[place])


def test_a_grid_and_its_normaliser(project):
    run = begin(corruptions=["fog"], severities=[1, 5])
    grid = run.grid()
    assert grid.models == ("alexnet_mini", "resnet18_mini")
    assert (grid.images, grid.n_full, grid.severities) == (16, 24, (1, 5))
    assert grid.corrupted == "scenes_val_c"
    normaliser = inc.normaliser(run, grid)
    assert normaliser.words == "alexnet_mini, measured on the same images"
    assert np.array_equal(normaliser.errors["fog"], grid.errors("alexnet_mini", "fog"))
    full = inc.normaliser(start(MCE, "full", severities=[1, 5]), grid)
    assert full.words == published([1, 5]).words
    curves = run.training_curves()
    assert set(curves) == {"AlexNet-like", "ResNet-18-like"}
    assert all(0 <= value <= 100 for ((value,),) in curves.values())  # one network, one epoch


def test_what_no_archive_holds_is_made_here(project, tmp_path, monkeypatch):
    file = tmp_path / "rain.py"
    file.write_text("def rain(picture, severity, rng):\n    return picture\n", "utf-8")
    names, made_here = ["fog", "border", f"{file}:rain"], corrupted_sets.corrupted
    run = begin(models=["resnet18"], corruptions=names, severities=[1], limit=4)
    archived = replace(run, profile=run.profile.model_copy(update={"corrupted": "archive"}))
    sources = {}

    def corrupted(profile, images, models, corruptions):
        sources[profile.corrupted] = list(corruptions)
        return made_here(run.profile, images, models, corruptions)

    monkeypatch.setattr(corrupted_sets, "corrupted", corrupted)
    assert archived.grid().corruptions == tuple(names)
    assert sources == {"archive": ["fog"], "generated": ["border", f"{file}:rain"]}


def test_networks_of_two_runs_are_shown_each_image_once(project, monkeypatch):
    one = begin(models=["resnet18"], corruptions=["fog"], severities=[2])
    other = begin(models=["alexnet"], corruptions=["fog"], severities=[2])
    both = one.with_networks_of(other)
    assert tuple(map(str, both.networks)) == (
        "alexnet_mini",
        "resnet18_mini",
    )  # every run has the baseline
    grid = both.grid()

    def ask(*_):
        raise AssertionError("what was predicted with both is kept for each")

    monkeypatch.setattr(classify, "ask", ask)
    alone = one.grid()
    assert np.array_equal(alone.errors("resnet18_mini", "fog"), grid.errors("resnet18_mini", "fog"))
    milder = begin(models=["alexnet"], corruptions=["fog"], severities=[1])
    with pytest.raises(InputError, match="Pass one chapter at a time"):
        one.with_networks_of(milder)


def test_a_role_that_the_profile_does_not_have(project):
    with pytest.raises(
        InputError, match=r"one of imagenet_val, imagenet_c, .* but got imagenet_train"
    ):
        start(MCE, "full").image_set("imagenet_train")


def test_images_of_one_name_that_are_not_the_same_are_refused(project, tmp_path):
    """Results name their images: two folders called alike were one in a table."""
    name = begin().images.class_names[1]
    for place, side in (("one", 8), ("two", 9)):
        trees.save(tmp_path / place / "same" / name / "a.png", 0, side, side)
    run = begin(images=f"folder:{tmp_path / 'one' / 'same'}")
    roles = {"other": f"folder:{tmp_path / 'two' / 'same'}"}
    roles |= {"again": f"folder:{tmp_path / 'one' / 'same'}"}
    run = replace(run, profile=run.profile.model_copy(update={"data": run.profile.data | roles}))
    assert run.image_set("again").ids == run.images.ids
    with pytest.raises(InputError, match=r"two/same.*folder:same.*results"):
        run.image_set("other")


def test_a_run_without_data_says_so_when_it_is_asked_for_pictures(project):
    run = start(chapter("inc_1_corruptions"), "full")
    with pytest.raises(DataError, match=r"set imagenet_val.*complete"):
        run.pictures(1)


def test_predictions_are_of_the_runs_networks_among_the_images_classes(project):
    run = begin(models=["resnet18"])
    found = run.predict("imagenet_val")
    assert set(found.predictions) == {"alexnet_mini", "resnet18_mini"}
    assert (found.dataset, found.classes, found.n) == (run.images.name, 4, "24")
    part = run.predict(Subset(run.images, (0, 5)), networks=["resnet18_mini"])
    assert list(part.predictions) == ["resnet18_mini"]
    first, whole = part.predictions["resnet18_mini"][0], found.predictions["resnet18_mini"][0]
    assert first.predicted.tolist() == whole.predicted[[0, 5]].tolist()


def test_networks_beside_the_runs_own_may_be_asked(project):
    run = begin(models=["alexnet"])
    found = run.predict("imagenet_val", networks=[Network("resnet18_mini")])
    assert list(found.predictions) == ["resnet18_mini"]
    assert set(run.fingerprints) == {"resnet18_mini"}  # its own were not loaded


def test_networks_that_know_other_classes_are_refused(project):
    with pytest.raises(InputError, match=r"classes.*icons50_open.*alexnet_mini"):
        begin(models=["alexnet"]).predict("imagenet_val", classes_of="icons50")


def test_networks_that_are_left_out_for_their_classes_are_named_and_so_is_what_is_assumed(project):
    """Beside one that knows the classes they were dropped without a word."""
    run = begin(models=["alexnet"])
    assert run.predict("imagenet_val").predictions.keys() == {"alexnet_mini"}
    assert run.notes == ()
    mine = replace(brightest("mine"), assumed=True)
    run._record([mine])
    run.__dict__["models"] = {**run.models, "mine": (mine,)}
    assert run.predict("imagenet_val").predictions.keys() == {"alexnet_mini"}
    assumed, dropped = run.notes
    assert assumed.startswith("mine sees interpolation bilinear, mean 0 0 0, ")
    assert "; assumed, because the network does not" in assumed
    assert dropped == (
        f"mine is left out of {run.images.name}: its 3 outputs of colours are not the classes of "
        f"{run.images.name} (scenes)."
    )


def test_a_network_of_the_run_may_be_called_by_the_papers_name(project):
    run = begin()
    assert run.evaluated("resnet18") == run.evaluated("resnet18_mini") == "resnet18_mini"
    with pytest.raises(InputError, match=r"network.*run.*alexnet_mini"):
        run.evaluated("vgg11")


OWN = """
import torch
from robust_lib import Preprocessing, TorchClassifier

def build():
    module = torch.nn.Sequential(torch.nn.AvgPool2d(16), torch.nn.Flatten(), torch.nn.Linear(48, 4))
    return TorchClassifier(
        module=module.eval(), name="mine", classes="scenes", outputs=4,
        preprocessing=Preprocessing(None, 64),
    )
"""


def test_a_network_of_a_file_may_be_called_by_file_or_name(project, tmp_path):
    (tmp_path / "net.py").write_text(OWN)
    file = f"{tmp_path}/net.py:build"
    run = start(replace(MCE, baseline=False), "tiny", models=[file])
    assert run.names == ("mine",)
    assert run.evaluated(file) == run.evaluated("mine") == "mine"
    # A default that the run has not gives way to its first network; a name that was given does not.
    assert run.evaluated(None, "resnet50", "resnet18") == "mine"
    with pytest.raises(InputError, match="a network of this run to be one of mine, but got resnet"):
        run.evaluated("resnet18")
    beside = start(replace(MCE, baseline=False), "tiny", models=["resnet18", file])
    assert beside.evaluated(None, "resnet50", "resnet18") == "resnet18_mini"
    assert beside.evaluated(file) == "mine"
    assert beside.evaluated("theirs", others=["theirs"]) == "theirs"


def test_threads_of_the_profile_read_ahead(project, monkeypatch):
    run = begin(models=["resnet18"], corruptions=["fog"], severities=[2], limit=8)
    run = replace(run, profile=run.profile.model_copy(update={"workers": 2}))
    read, used = classify.read, set()

    def noted(dataset, preprocessing, batches, workers, device):
        used.add(workers)
        return read(dataset, preprocessing, batches, workers, device)

    monkeypatch.setattr(classify, "read", noted)
    assert run.grid().images == 8
    run.predict("imagenet_val")
    assert used == {2}


def test_pictures_of_any_classes_are_embedded_whole(project):
    run = begin(models=["resnet18"], corruptions=["fog"], severities=[2], limit=8)
    scenes = run.image_set("imagenet_val")
    strange = Subset(scenes, tuple(range(4)), called="strange")
    strange.__dict__["classes"] = "others"
    found = run.embed("imagenet_val", "resnet18"), run.embed(strange, Network("resnet18_mini"))
    assert [len(one) for one in found] == [8, 4]
    assert {one.model for one in found} == {"resnet18_mini"}
    assert found[0].ids == tuple(scenes.ids[place] for place in choose(scenes.ids, 8))
    assert found[0].preprocessing.words == "as they are"
    assert "resnet18_mini" in run.fingerprints
    with pytest.raises(InputError, match="role"):
        run.embed("absent", "resnet18")
