"""Profiles: every committed one is whole, and every change to one is checked."""

import re
import shutil

import pytest

from robust_lib import paths
from robust_lib.config import manifests
from robust_lib.config.profiles import Profile, changed, load_profile, profile_names
from robust_lib.errors import InputError, ManifestError
from robust_lib.models import torch_models
from robust_lib.results.reported import reported
from robust_lib.vocabulary import COMMON


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of our own, with the profile `mini` alone."""
    folder = tmp_path / "data_manifests" / "profiles"
    folder.mkdir(parents=True)
    text = (paths.manifests() / "profiles" / "mini.yaml").read_text()
    (folder / "mini.yaml").write_text(text)
    monkeypatch.setenv("ROBUST_ROOT", str(tmp_path))
    return folder / "mini.yaml"


def test_the_three_profiles_are_there():
    assert {"smoke", "mini", "full"} <= set(profile_names())


@pytest.mark.parametrize("name", profile_names())
def test_a_profile_names_what_there_is(name):
    profile = load_profile(name)
    assert profile.name == name
    assert set(profile.data.values()) <= set(manifests.dataset_names())
    assert {"imagenet_val"} <= set(profile.data)
    assert profile.corrupted == "generated" or "imagenet_c" in profile.data
    for model in profile.models.values():
        assert torch_models.describe(model).classes
    assert profile.normaliser == "published" or profile.baseline in profile.models
    assert sorted(set(profile.severities)) == list(profile.severities)
    assert len(set(profile.seeds)) == len(profile.seeds) > 0


@pytest.mark.parametrize("name", profile_names())
def test_a_profile_plays_the_papers_models(name):
    """Roles have the names that the paper's table uses, or nothing could be set beside it."""
    printed = {row.model for row in reported("inc-tab1")}
    asked = set(load_profile(name).models)
    assert asked <= printed or (
        name.startswith("photos") and not asked & printed
    )  # networks of its own


@pytest.mark.parametrize("name", profile_names())
def test_a_profile_says_itself_in_words(name):
    words = load_profile(name).words.format(classes="64", images="2,560", seeds="1 seed")
    assert "2,560" in words


def test_mini_plays_all_of_table_1_without_a_gpu():
    profile = load_profile("mini")
    assert profile.device == "cpu"
    assert set(profile.models) == {
        "alexnet", "squeezenet1_1", "vgg11", "vgg19", "vgg19_bn", "resnet18", "resnet50",
    }  # fmt: skip
    assert len(COMMON) == 15
    assert profile.severities == (1, 2, 3, 4, 5)


def test_smoke_is_part_of_mini():
    smoke, mini = load_profile("smoke"), load_profile("mini")
    assert smoke.data == mini.data
    assert smoke.models.items() <= mini.models.items()
    assert smoke.limit < mini.limit
    assert smoke.train_limit is not None
    assert smoke.epochs is not None


def test_an_unknown_profile_is_refused_with_the_known_ones():
    with pytest.raises(
        InputError,
        match=r"full_trained.*photos, photos_few, smoke",
    ):
        load_profile("maxi")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("\nlimit:", "\nlimits:", "unknown key 'limits'"),
        ("baseline: alexnet\n", "", "missing key 'baseline'"),
        ("severities: [1, 2, 3, 4, 5]", "severities: [1, 6]", "severities.1"),
        ("storage: jpeg85", "storage: jpeg", "'jpeg85' or 'memory'"),
        ("batch_size: 128", "batch_size: 0", "batch_size"),
        ("name: mini", "name: mini\nname: maxi", "occurs twice"),
    ],
)
def test_a_wrong_profile_names_file_line_and_key(project, old, new, words):
    text = project.read_text()
    assert old in text
    project.write_text(text.replace(old, new))
    with pytest.raises(ManifestError) as caught:
        load_profile("mini")
    assert f"{project}:" in str(caught.value)
    assert words in str(caught.value)


def like_mini(project, text):
    path = project.with_name("new.yaml")
    path.write_text(f"name: new\nlike: mini\n{text}")
    return path


def test_a_profile_like_another_takes_all_but_its_name_from_it(project):
    like_mini(project, "limit: null\n")
    mini, new = load_profile("mini"), load_profile("new")
    assert (new.name, new.default, new.limit) == ("new", False, None)
    assert new.model_copy(update={"name": "mini", "default": True, "limit": mini.limit}) == mini


def test_roles_and_groups_given_replace_the_others_and_null_removes_them(project):
    like_mini(
        project,
        "data: {imagenet_val: icons50_open, textures: null}\n"
        "networks: {nae: null, balance: {alexnet: alexnet_small}}\n",
    )
    mini, new = load_profile("mini"), load_profile("new")
    assert set(mini.data) - set(new.data) == {"textures"}
    assert new.data["imagenet_val"] == "icons50_open"
    assert new.data["blobs"] == mini.data["blobs"]
    assert set(mini.networks) - set(new.networks) == {"nae"}
    assert new.networks["balance"] == {"alexnet": "alexnet_small"}
    assert new.networks["overlap"] == mini.networks["overlap"]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("limits: 3\n", 3, "unknown key 'limits'"),
        ("networks: {nae: {alexnet: 3}}\n", 3, "key 'networks.nae.alexnet'"),
        ("data:\n  texture: null\n", 4, "key 'data.texture'"),
        ("default: perhaps\n", 3, "key 'default'"),
    ],
)
def test_a_wrong_profile_like_another_is_told_by_its_own_line(project, text, line, words):
    path = like_mini(project, text)
    with pytest.raises(ManifestError) as caught:
        load_profile("new")
    assert str(caught.value).startswith(f"{path}:{line}: {words}")


def test_a_profile_like_a_wrong_one_is_told_by_that_ones_line(project):
    like_mini(project, "")
    project.write_text(project.read_text().replace("\nlimit:", "\nlimits:"))
    with pytest.raises(ManifestError, match="unknown key 'limits'") as caught:
        load_profile("new")
    assert str(caught.value).startswith(f"{project}:")


def test_a_profile_cannot_be_like_one_that_there_is_not_or_that_is_like_another(project):
    path = like_mini(project, "")
    path.with_name("newer.yaml").write_text("name: newer\nlike: new\n")
    with pytest.raises(ManifestError, match=r"newer.yaml:2: key 'like'"):
        load_profile("newer")
    path.write_text("name: new\nlike: maxi\n")
    with pytest.raises(ManifestError, match=r"new.yaml:2.*newer.*'maxi'"):
        load_profile("new")


def test_a_profile_is_called_as_its_file(project):
    project.write_text(project.read_text().replace("name: mini", "name: maxi"))
    with pytest.raises(ManifestError, match="must be the file's stem 'mini', but got 'maxi'"):
        load_profile("mini")


def test_changed_replaces_what_is_given_and_keeps_the_rest():
    mini = load_profile("mini")
    other = changed(mini, limit=10, severities=[3], device=None, seeds=(0, 1))
    assert (other.limit, other.severities, other.seeds) == (10, (3,), (0, 1))
    assert other.device == mini.device
    assert mini.limit == load_profile("mini").limit
    kept = set(Profile.model_fields) - {"limit", "severities", "seeds"}
    assert all(getattr(other, name) == getattr(mini, name) for name in kept)
    assert changed(mini) == mini


def test_changed_refuses_unknown_keys_and_names_the_known():
    with pytest.raises(InputError, match=r"profile.*batch_size.*limits\."):
        changed(load_profile("mini"), limits=3)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"limit": 0}, ["limit", "0"]),
        ({"limit": "many"}, ["limit", "'many'"]),
        ({"limit": 2.5}, ["limit", "2.5"]),
        ({"severities": [0]}, ["severities.0", "0"]),
        ({"severities": [1, 6]}, ["severities.1", "6"]),
        ({"severities": 3}, ["severities", "3"]),
        ({"storage": "png"}, ["storage", "'png'"]),
        ({"seeds": ["a"]}, ["seeds.0", "'a'"]),
        ({"epochs": -1}, ["epochs", "-1"]),
        ({"networks": ["alexnet"]}, ["networks", "alexnet"]),
        ({"networks": {"nae": ["alexnet"]}}, ["networks.nae", "alexnet"]),
    ],
)
def test_changed_refuses_values_that_a_key_cannot_take(values, words):
    with pytest.raises(InputError) as caught:
        changed(load_profile("mini"), **values)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message


def test_the_profile_that_the_page_on_runs_writes_is_one(tmp_path, monkeypatch):
    """Precision and batch size are values of a profile; the page has the lines that set them."""
    page = (paths.book() / "run.md").read_text("utf-8")
    (text,) = re.findall(r"^```yaml\n(.*?)^```", page, flags=re.DOTALL | re.MULTILINE)
    folder = shutil.copytree(paths.manifests(), tmp_path / "data_manifests") / "profiles"
    monkeypatch.setenv("ROBUST_ROOT", str(tmp_path))
    (folder / "full_bfloat16.yaml").write_text(text)
    full, found = load_profile("full"), load_profile("full_bfloat16")
    given = {"name": "full_bfloat16", "precision": "bfloat16", "batch_size": 512}
    assert found == full.model_copy(update=given)


def test_the_size_of_a_batch_goes_by_the_device():
    """Of photographs: three small networks take 12 GB for 256 at once, and 3 for 32."""
    full = load_profile("full")
    assert full.batch == 256
    assert changed(full, device="cpu").batch == 32
    assert changed(full, device="cpu", batch_size=64).batch == 64
    assert load_profile("mini").batch == 128


def test_what_is_divided_by_published_errors_is_corrupted_as_the_archive():
    assert load_profile("full").as_archive
    assert not load_profile("mini").as_archive
    assert not changed(load_profile("full"), geometry="network").as_archive
    assert changed(load_profile("mini"), geometry="archive").as_archive
