"""The start of a run: every value of the profile may be replaced, and what cannot be is refused."""

import os
import warnings

import pytest

from robust_book.chapters import chapter
from robust_lib import paths
from robust_lib.config.profiles import load_profile
from robust_lib.errors import DataError, InputError
from robust_lib.run.network import Network
from robust_lib.run.parameters import BATCH
from robust_lib.run.start import start, start_like
from robust_lib.vocabulary import COMMON, EXTRA, OCCLUSION
from tests import tiny, trees
from tests.toys import unchecked

MCE, TOUR, OVERLAP = (chapter(name) for name in ("inc_2_mce", "00_tour", "overlap_1_matrix"))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return tiny.drawn(tmp_path_factory)


@pytest.fixture
def project(made, monkeypatch):
    return tiny.enter(made, monkeypatch)


def begin(**values):
    return start(MCE, "tiny", **values)


def names(run):
    return tuple(str(network) for network in run.networks)


def test_nothing_asked_for_is_the_profile(project):
    run = begin()
    assert run.profile == load_profile("tiny")
    assert names(run) == ("alexnet_mini", "resnet18_mini")
    assert run.corruptions == COMMON
    assert run.parameters == {}
    assert run.store.folder == project / "build" / "cache" / "store"
    assert run.folder == project / "build" / "tiny"
    assert run.severity_words == "1, 2, 3, 4, 5"


def test_a_profile_with_extra_corruptions_evaluates_nineteen(project):
    assert start(MCE, "smoke").corruptions == COMMON + EXTRA


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
        ("geometry", "archive", "archive"),
        ("batch_size", 5, 5),
    ],
)
def test_every_value_of_the_profile_may_be_replaced(project, name, value, kept):
    run = begin(**{name: value})
    assert getattr(run.profile, name) == kept
    assert list(run.parameters) == [name]
    others = load_profile("tiny").model_dump()
    del others[name]
    if name == "severities":  # of training as well
        del others["training_severities"]
        assert run.profile.training_severities is None
    assert others.items() <= run.profile.model_dump().items()


def test_a_start_settles_its_process(project, monkeypatch):
    settled = []
    monkeypatch.setattr("robust_lib.devices.settle", lambda: settled.append(True))
    begin()
    assert settled


def test_the_size_of_a_batch_may_be_told_beside_the_parameters(project, monkeypatch):
    """It decides no number, so a run is the same one whatever it is."""
    monkeypatch.setenv(BATCH, "7")
    assert (begin().profile.batch, begin().parameters) == (7, {})
    assert begin(batch_size=5).profile.batch == 5
    assert begin(batch_size=5).folder == begin().folder
    monkeypatch.setenv(BATCH, "many")
    with pytest.raises(InputError, match=r"batch_size can.*'many'"):
        begin()


def test_pictures_of_a_users_are_shown_few_at_once_on_a_processor(project, tmp_path):
    """The miniature shows 128, which are as many pixels as ten photographs."""
    photographs = trees.class_folders(tmp_path / "mine")
    assert load_profile("tiny").batch == 16
    run = begin(images=f"folder:{photographs}")
    assert run.profile.batch == 32
    assert begin(images=f"folder:{photographs}", batch_size=64).profile.batch == 64


def test_corruptions_and_models_may_be_chosen(project):
    run = begin(corruptions=["fog", "border"], models=["resnet18", "alexnet"])
    assert run.corruptions == ("fog", "border")
    assert names(run) == ("resnet18_mini", "alexnet_mini")
    # papermill's -p hands a list over as its text
    assert begin(models='["resnet18", "alexnet"]').networks == run.networks


@pytest.mark.parametrize(
    ("models", "expected"),
    [
        (["resnet18"], ("alexnet_mini", "resnet18_mini")),
        (["my_net.py:build"], ("alexnet_mini", "my_net.py:build")),
        (["resnet18", "alexnet"], ("resnet18_mini", "alexnet_mini")),
        (["alexnet_mini"], ("alexnet_mini",)),  # the baseline by its own name
        ([], ()),
    ],
)
def test_the_baseline_comes_along_where_it_is_measured(project, models, expected):
    assert names(begin(models=models)) == expected


def test_a_published_normaliser_needs_no_baseline(project):
    assert names(start(MCE, "full", models=["resnet18"])) == ("resnet18",)


def test_data_may_lie_elsewhere(project, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    run = begin(data="sets")
    assert paths.data() == tmp_path / "sets"
    assert os.environ["ROBUST_DATA"] == str(tmp_path / "sets")  # for the processes that it starts
    assert "sets" not in run.command  # where data lies is everybody's own


def test_a_users_pictures_may_take_the_place_of_the_chapters(project, tmp_path):
    name = begin().images.class_names[1]
    trees.save(tmp_path / "mine" / name / "a.png", 0, 64, 64)
    run = begin(images=f"folder:{tmp_path}/mine")
    assert run.images.name == "folder:mine"
    assert run.images.labels.tolist() == [1]
    classes = len(run.images.class_names)
    assert run.description == f"the folder mine: 1 images, {classes} classes, 1 seed"
    assert run.parameters == {"images": f"folder:{tmp_path}/mine"}
    assert begin().images.name == "scenes_val"


def test_another_role_may_take_the_place_of_the_chapters(project):
    run = begin(images="imagenet_val_a")
    assert run.images.name == begin().image_set("imagenet_val_a").name
    archive = start(MCE, "full", images="imagenet_a")
    assert archive.profile.corrupted == "generated"  # there is no archive of its corrupted pictures
    assert archive.profile.data["imagenet_val"] == "imagenet_a"


@pytest.mark.parametrize(
    ("images", "message"),
    [
        ("folder:nowhere", r"Expected a folder of images at nowhere, but there is none"),
        (
            "nowhere",
            r"images to be one of .*imagenet_val.*folder:PATH, coco:ANN.*, but got nowhere",
        ),
    ],
)
def test_pictures_that_are_not_there_are_missed_at_once(project, images, message):
    with pytest.raises((InputError, DataError), match=message):
        begin(images=images)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"corruptions": ["fogg"]}, "Expected corruption to be one of gaussian_noise, .*got fogg"),
        ({"corruptions": "fog"}, r"such as '\[\"fog\"\]', but got 'fog'"),
        ({"models": "resnet18"}, r"such as '\[\"resnet18\"\]', but got 'resnet18'"),
        ({"models": [3]}, r"models can take, but got \[3\]: Input should be a valid string"),
        ({"models": "[resnet18"}, "Expected models as a list"),
        ({"severities": [0]}, r"severities\.0 can take, but got 0"),
        ({"severities": [2, 2]}, "severities can take, but got .*: a value occurs in it twice"),
        ({"severities": []}, "at least 1 item"),
        ({"seeds": 0}, "at least 1 item"),
        ({"seeds": -1}, "at least 1 item"),
        ({"seeds": [1, 1]}, "a value occurs in it twice"),
        ({"limit": -3}, "limit can take, but got -3"),
        ({"storage": "png"}, "storage can take, but got 'png': Input should be 'jpeg85' or"),
    ],
)
def test_values_that_cannot_be(project, values, message):
    with unchecked(), pytest.raises(InputError, match=message):
        begin(**values)


def test_an_unknown_profile(project):
    with pytest.raises(
        InputError,
        match=r"full_trained.*photos, photos_few, smoke",
    ):
        start(MCE, "maxi")


def test_a_parameter_that_is_no_setting_is_recorded_alone(project):
    run = start(MCE, "tiny", photograph="china", limit=None)
    assert run.parameters == {"photograph": "china"}
    assert run.profile == load_profile("tiny")


def test_a_chapter_may_call_a_setting_otherwise(project):
    run = start(TOUR, "tiny", model="resnet18", corruption="fog", limit=None)
    assert run.parameters == {"model": "resnet18", "corruption": "fog"}
    assert (names(run), run.corruptions) == (("alexnet_mini", "resnet18_mini"), ("fog",))
    assert "models" not in run.command
    assert '{"corruption": "fog"}' in run.command


def test_a_chapter_has_networks_and_corruptions_of_its_own(project):
    run = start(OVERLAP, "mini", corruptions=["fog", "snow"])
    trained = (
        f"{name}_small{end}"
        for name in ("resnet18", "densenet121")
        for end in ("", "+fog", "+snow")
    )
    controls = ("resnet18_small_longer", "densenet121_small_longer")
    assert names(run) == (*trained, *controls)
    assert start(OVERLAP, "mini").corruptions == COMMON + OCCLUSION
    assert run.profile.severities == (4, 5)
    assert start(OVERLAP, "mini", severities=[1]).profile.severities == (1,)
    assert run.profile.limit == load_profile("mini").training_limit
    assert start(OVERLAP, "mini", limit=9).profile.limit == 9
    fewer = start(OVERLAP, "smoke")
    assert fewer.corruptions == load_profile("smoke").training_corruptions
    assert len(fewer.networks) == 2 * (1 + len(fewer.corruptions)) + len(controls)


def test_a_users_corruption_joins_those_of_the_chapter(project, tmp_path):
    file = tmp_path / "rain.py"
    file.write_text("def rain(images, severity, keys, seed):\n    return images\n", "utf-8")
    run = start(OVERLAP, "smoke", corruption_file=f"{file}:rain")
    assert run.corruptions[-1] == f"{file}:rain"
    assert Network("resnet18_small", f"{file}:rain") in run.networks


def test_another_chapter_starts_with_the_same_settings_and_its_own_networks(project, tmp_path):
    file = tmp_path / "rain.py"
    file.write_text("def rain(images, severity, keys, seed):\n    return images\n", "utf-8")
    given = {"severities": "[2, 4]", "seeds": 3, "limit": 8, "corruption_file": f"{file}:rain"}
    first = start(MCE, "tiny", models=["resnet18"], benchmark=["fog", "snow"], **given)
    other = start_like(first, OVERLAP)
    assert other.chapter is OVERLAP
    kept = given | {"severities": (2, 4)}
    assert other.parameters == kept  # neither its networks nor what only its notebook knows
    assert {name: getattr(other.profile, name) for name in ("severities", "limit", "seeds")} == {
        "severities": (2, 4), "limit": 8, "seeds": (0, 1, 2)
    }  # fmt: skip
    assert other.networks == start(OVERLAP, "tiny", **given).networks
    assert other.corruptions[-1] == f"{file}:rain"
    assert start_like(first, OVERLAP, limit=None).profile.limit == load_profile("tiny").limit


def test_what_another_chapter_looks_at_is_in_the_first_runs_provenance(project):
    first = start(MCE, "tiny", models=["resnet18"])
    other = start_like(first, OVERLAP)
    other.image_set("imagenet_val")
    assert [one.name for one in first.image_sets_used.values()] == ["scenes_val"]
    other.models_of([Network("alexnet_mini")])
    assert set(first.fingerprints) == {"alexnet_mini"}


def test_a_corruption_to_train_with_that_there_is_not_is_refused(project):
    with pytest.raises(InputError, match="fgo"):
        start(OVERLAP, "smoke", corruptions=["fgo", "fog"])


def test_no_page_tells_of_widgets_that_none_has(project):
    """timm's bars ask for them as it is imported, in a cell of the notebook."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        start(MCE, "tiny", models=["resnet18"])
        warnings.warn("IProgress not found. Please update jupyter and ipywidgets.", stacklevel=1)
    assert told == []
