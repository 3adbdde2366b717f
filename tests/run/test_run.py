"""A run: defaults from the profile, every value replaceable, the command that makes it again."""

import json
import os
import shlex

import numpy as np
import pytest
import yaml

from robust_lib import paths
from robust_lib.cache import content_key
from robust_lib.config.profiles import load_profile
from robust_lib.errors import DataError, InputError
from robust_lib.predict import classify
from robust_lib.predict.classify import choose
from robust_lib.run.start import start
from robust_lib.vocabulary import COMMON, EXTRA, OCCLUSION
from tests import tiny
from tests.toys import unchecked


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return tiny.project(tmp_path_factory.mktemp("run"))


@pytest.fixture
def project(made, monkeypatch):
    return tiny.enter(made, monkeypatch)


def begin(**values):
    return start("tiny", "inc_2_mce", **values)


def test_nothing_asked_for_is_the_profile(project):
    run = begin()
    assert run.profile == load_profile("tiny")
    assert run.names == ("alexnet", "resnet18")
    assert run.corruptions == COMMON
    assert run.parameters == {}
    assert run.store.folder == project / "build" / "cache" / "store"
    assert run.folder == project / "build" / "tiny"
    assert (run.baseline, run.severity_words) == ("alexnet_mini", "1, 2, 3, 4, 5")


def test_a_profile_with_extra_corruptions_evaluates_nineteen(project):
    assert start("smoke", "inc_2_mce").corruptions == COMMON + EXTRA


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("severities", [2, 4], (2, 4)),
        ("severities", "[2, 4]", (2, 4)),
        ("limit", 8, 8),
        ("seeds", 3, (0, 1, 2)),
        ("seeds", [4, 7], (4, 7)),
        ("seeds", "[4, 7]", (4, 7)),
        ("device", "cuda:1", "cuda:1"),
        ("storage", "memory", "memory"),
    ],
)
def test_every_value_of_the_profile_may_be_replaced(project, name, value, kept):
    run = begin(**{name: value})
    assert getattr(run.profile, name) == kept
    assert list(run.parameters) == [name]
    others = load_profile("tiny").model_dump()
    del others[name]
    assert others.items() <= run.profile.model_dump().items()


def test_corruptions_and_models_may_be_chosen(project):
    run = begin(corruptions=["fog", "border"], models=["resnet18", "alexnet"])
    assert run.corruptions == ("fog", "border")
    assert run.names == ("resnet18", "alexnet")
    # papermill's -p hands a list over as its text
    assert begin(corruptions='["fog"]', models='["resnet18", "alexnet"]').names == run.names


@pytest.mark.parametrize(
    ("models", "names"),
    [
        (["resnet18"], ("alexnet", "resnet18")),
        (["my_net.py:build"], ("alexnet", "my_net.py:build")),
        (["resnet18", "alexnet"], ("resnet18", "alexnet")),
        (["alexnet_mini"], ("alexnet_mini",)),  # the baseline by its own name
        ([], ()),
    ],
)
def test_the_baseline_comes_along_where_it_is_measured(project, models, names):
    assert begin(models=models).names == names


def test_a_published_normaliser_needs_no_baseline(project):
    assert start("full", "inc_2_mce", models=["resnet18"]).names == ("resnet18",)


def test_data_may_lie_elsewhere(project, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    run = begin(data="sets")
    assert paths.data() == tmp_path / "sets"
    assert os.environ["ROBUST_DATA"] == str(tmp_path / "sets")  # for the processes that it starts
    assert "sets" not in run.command  # where data lies is everybody's own


def test_recompute_treats_what_is_stored_as_absent(project):
    key, description = content_key({"what": "test"}), {"what": "test"}
    begin().store.put(key, {"x": np.arange(2)}, description)
    assert begin().store.has(key)
    assert not begin(recompute=True).store.has(key)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"corruptions": ["fogg"]}, "Expected corruption to be one of gaussian_noise, .*got fogg"),
        ({"corruptions": "fog"}, r"such as '\[\"fog\"\]', but got 'fog'"),
        ({"models": "resnet18"}, r"such as '\[\"resnet18\"\]', but got 'resnet18'"),
        ({"models": [3]}, "Expected models as a list of names"),
        ({"models": "[resnet18"}, "Expected models as a list of names"),
        ({"severities": [0]}, r"severities\.0 can take, but got 0"),
        ({"severities": [2, 2]}, "severities can take, but got .*: a value stands in it twice"),
        ({"severities": []}, "at least 1 item"),
        ({"seeds": 0}, "at least 1 item"),
        ({"seeds": -1}, "at least 1 item"),
        ({"seeds": [1, 1]}, "a value stands in it twice"),
        ({"limit": -3}, "limit can take, but got -3"),
        ({"storage": "png"}, "storage can take, but got 'png': Input should be 'jpeg85' or"),
    ],
)
def test_values_that_cannot_be(project, values, told):
    with unchecked(), pytest.raises(InputError, match=told):
        begin(**values)


def test_an_unknown_profile(project):
    with pytest.raises(InputError, match="one of full, gpu, mini, smoke, tiny, but got maxi"):
        start("maxi", "inc_2_mce")


def test_the_run_in_words(project):
    assert begin().words == "shapes, 4 classes, 16 scenes, 1 seed"
    assert begin(limit=1000, seeds=3).words == "shapes, 4 classes, 24 scenes, 3 seeds"
    assert begin(shows="a photograph").words == "a photograph"
    assert "Clopper-Pearson" in begin().interval_words
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
    assert start(again.pop("profile"), "inc_2_mce", **again).command == run.command
    assert json.loads(json.dumps(run.parameters)) == run.parameters


def test_a_notebook_with_parameters_of_its_own_names_them(project):
    own = {"model": "resnet18", "corruption": "fog", "limit": None}
    run = start("tiny", "00_tour", models=["resnet18"], corruptions=["fog"], parameters=own)
    assert run.parameters == {"model": "resnet18", "corruption": "fog"}
    assert "models" not in run.command
    assert '{"corruption": "fog"}' in run.command


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
    grid = run.corruption_grid(progress=False)
    assert grid.models == ("alexnet_mini", "resnet18_mini")
    assert (grid.images, grid.n_full, grid.severities) == (16, 24, (1, 5))
    assert grid.corrupted == "scenes_val_c"
    normaliser = run.normaliser(grid)
    assert normaliser.words == "alexnet_mini, measured on the same images"
    assert np.array_equal(normaliser.errors["fog"], grid.errors("alexnet_mini", "fog"))
    published = start("full", "inc_2_mce", severities=[1, 5]).normaliser(grid)
    assert published.words == published([1, 5]).words
    curves = run.training_curves()
    assert set(curves) == {"alexnet_mini", "resnet18_mini"}
    assert all(len(values) == 1 and 0 <= values[0] <= 100 for values in curves.values())


def test_networks_of_two_runs_are_shown_each_image_once(project, monkeypatch):
    one = begin(models=["resnet18"], corruptions=["fog"], severities=[2])
    other = begin(models=["alexnet"], corruptions=["fog"], severities=[2])
    both = one.with_networks_of(other)
    assert both.names == ("alexnet_mini", "resnet18_mini")  # every run has the baseline
    grid = both.corruption_grid(progress=False)

    def ask(*_):
        raise AssertionError("what was predicted with both is kept for each")

    monkeypatch.setattr(classify, "_ask", ask)
    alone = one.corruption_grid(progress=False)
    assert np.array_equal(alone.errors("resnet18_mini", "fog"), grid.errors("resnet18_mini", "fog"))
    milder = begin(models=["alexnet"], corruptions=["fog"], severities=[1])
    with pytest.raises(InputError, match="Name one study at a time"):
        one.with_networks_of(milder)


def test_a_role_that_the_profile_does_not_have(project):
    with pytest.raises(
        InputError, match=r"one of imagenet_val, imagenet_c, .* but got imagenet_train"
    ):
        start("full", "inc_2_mce").image_set("imagenet_train")


def test_a_run_without_data_says_so_when_it_is_asked_for_pictures(project):
    run = start("full", "inc_1_corruptions", models=[])
    with pytest.raises(DataError, match=r"data set imagenet_val in .* is not complete"):
        run.pictures(1)


def test_a_study_has_networks_and_corruptions_of_its_own(project):
    given = {"study": "overlap"}
    run = start("mini", "overlap_1_matrix", trained_with=["fog", "snow"], **given)
    assert run.corruptions == COMMON + OCCLUSION
    assert run.names == tuple(
        f"{name}{end}" for name in ("resnet18", "densenet121") for end in ("", "+fog", "+snow")
    )
    assert run.profile.models["resnet18"] == "resnet18_small"
    fewer = start("smoke", "overlap_1_matrix", trained_with=None, **given)
    assert fewer.corruptions == load_profile("smoke").training_corruptions
    assert len(fewer.names) == 2 * (1 + len(fewer.corruptions))


@pytest.mark.parametrize(
    ("given", "words"), [({"study": "overlpa"}, "overlpa"), ({"trained_with": ["fgo"]}, "fgo")]
)
def test_a_study_or_corruption_that_there_is_not_is_refused(project, given, words):
    with pytest.raises(InputError, match=words):
        start("smoke", "overlap_1_matrix", **given)
