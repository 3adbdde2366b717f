import re
import shutil
import subprocess
import sys

import pytest
import yaml

from robust_lib import paths
from robust_lib.config import class_lists, manifests
from robust_lib.config.dataset_files import File
from robust_lib.config.enhancements import Stability, Wrapper
from robust_lib.config.manifests import (
    DETECTORS,
    ModelManifest,
    is_detector,
    load_dataset,
    load_model,
    model_names,
)
from robust_lib.config.profiles import load_profile, profile_names
from robust_lib.errors import InputError, ManifestError
from robust_lib.models import builders, torch_models
from robust_lib.models.deepen import is_deeper
from robust_lib.models.detectors.builders import BUILDERS
from robust_lib.preprocessing import Preprocessing

NAMES = manifests.dataset_names()
DATA_SET = {
    "name": "small",
    "title": "Small",
    "kind": "image_folder",
    "layout": "as tests have it",
    "licence": "none",
    "access": "open",
}
MODEL = {
    "title": "A network",
    "builder": "torchvision",
    "classes": "pair",
    "preprocessing": {"resize": 256, "crop": 224},
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    for folder in ("datasets", "models", "classes"):
        (tmp_path / "data_manifests" / folder).mkdir(parents=True)
    shutil.copy(paths.manifests() / "papers.yaml", tmp_path / "data_manifests")
    monkeypatch.setenv("ROBUST_ROOT", str(tmp_path))
    return tmp_path / "data_manifests"


def write(project, keys, name="small"):
    path = project / "datasets" / f"{name}.yaml"
    path.write_text(yaml.safe_dump(keys, sort_keys=False))
    return path


@pytest.mark.parametrize("name", NAMES)
def test_every_manifest_is_valid_and_refers_to_what_exists(name):
    manifest = load_dataset(name)
    lists = [manifest.classes, manifest.folders, *(c.folders for c in manifest.contents)]
    for classes in lists:
        # The miniature's label set is the miniature's own kind of list.
        assert classes is None or classes == "scenes" or classes in class_lists.class_names()
    if manifest.of is not None:
        assert load_dataset(manifest.of).of is None
    if manifest.folders is not None:
        assert class_lists.load_classes(manifest.folders).folders


def test_no_manifest_is_missing():
    assert {
        "coco_val",
        "frost_textures",
        "icons",
        "icons50",
        "imagenet_a",
        "imagenet_c",
        "imagenet_o",
        "imagenet_train",
        "imagenet_val",
        "imagenet_vid",
        "imagenet_vid_robust",
        "nao",
    } <= set(NAMES)


def test_nae_tab1_counts():
    assert load_dataset("imagenet_a").images == 7500
    assert load_dataset("imagenet_o").images == 2000


def test_imagenet_c_has_nineteen_corruptions_at_five_severities():
    manifest = load_dataset("imagenet_c")
    cells = [content.path.split("/")[0] for content in manifest.contents]
    assert len(set(cells)) == 19
    assert sum(c.matches * c.images for c in manifest.contents) == manifest.images == 4_750_000
    assert {file.name for file in manifest.files} == {
        f"{family}.tar" for family in ("noise", "blur", "weather", "digital", "extra")
    }


def test_the_frost_textures_are_those_that_the_corruption_expects():
    from robust_lib.corruptions.frost_textures import SHA256

    files = load_dataset("frost_textures").files
    assert {file.name: file.sha256 for file in files} == SHA256


def test_the_icon_sets_state_licence_and_author():
    manifest = load_dataset("icons")
    sets = manifest.options["sets"]
    assert len(sets) == len(manifest.files) == 9
    for described, file in zip(sets, manifest.files, strict=True):
        assert file.npm.startswith(f"@iconify-json/{described['prefix']}@")
        assert described["licence"] in {"MIT", "Apache-2.0", "CC-BY-4.0", "CC-BY-SA-4.0"}
        assert described["author"]
        assert described["author_url"].startswith("https://")
    assert sum(file.bytes for file in manifest.files) == pytest.approx(28.4e6, rel=0.01)


def test_what_cannot_be_fetched_says_how_to_get_it():
    for name in NAMES:
        manifest = load_dataset(name)
        if manifest.access == "terms" and manifest.of is None:
            assert len(manifest.instructions) > 50
        if manifest.access == "open":
            assert all(file.is_fetched for file in manifest.files)


@pytest.mark.parametrize(
    ("changed", "line", "message"),
    [
        ({"colour": "red"}, 7, "unknown key 'colour'"),
        ({"access": "perhaps"}, 6, "key 'access'"),
        ({"access": "terms"}, 1, "needs instructions"),
        ({"files": [{"name": "a.tar"}]}, 1, "needs instructions"),
        ({"files": [{"name": "../a"}], "instructions": "x"}, 8, "key 'files.0.name'"),
        ({"files": [{"name": "a", "url": "ftp://x/a"}]}, 9, "key 'files.0.url'"),
        ({"files": [{"name": "a", "url": "http://x/a", "md5": "xyz"}]}, 10, "files.0.md5"),
        ({"files": [{"name": "a", "url": "http://x/a", "sha512": "sha512-a"}]}, 10, "sha512"),
        ({"files": [{"name": "a", "url": "http://x/a", "bytes": 0}]}, 10, "files.0.bytes"),
        ({"files": [{"name": "a", "url": "http://x/a", "into": "../x"}]}, 10, "files.0.into"),
        ({"files": [{"name": "a", "npm": "noto"}]}, 9, "files.0.npm"),
        ({"name": "Small"}, 1, "key 'name'"),
        ({"paper": "other"}, 7, "key 'paper'"),
        ({"images": -1}, 7, "key 'images'"),
    ],
)
def test_a_wrong_key_is_named_with_file_and_line(project, changed, line, message):
    path = write(project, DATA_SET | changed)
    with pytest.raises(ManifestError, match=re.escape(message)) as caught:
        load_dataset("small")
    assert str(caught.value).startswith(f"{path}:{line}: ")


@pytest.mark.parametrize("key", sorted(DATA_SET))
def test_a_missing_key_is_named(project, key):
    write(project, {name: value for name, value in DATA_SET.items() if name != key})
    with pytest.raises(ManifestError, match=f"missing key '{key}'"):
        load_dataset("small")


def test_the_name_is_the_files(project):
    write(project, DATA_SET, name="other")
    with pytest.raises(ManifestError, match="must be the file's stem 'other', but got 'small'"):
        load_dataset("other")


def test_unknown_names_are_input_errors(project):
    write(project, DATA_SET)
    with pytest.raises(InputError, match="Expected data set to be one of small, but got large"):
        load_dataset("large")
    with pytest.raises(InputError, match="Expected model"):
        manifests.load_model("resnet50")


def test_records_are_frozen():
    with pytest.raises(ValueError, match="frozen"):
        load_dataset("imagenet_a").images = 3


def test_models_are_rows_of_files(project):
    rows = {"big": MODEL | {"weights": "V1", "mean": [0.5, 0.5, 0.5]}, "small": MODEL}
    (project / "models" / "some.yaml").write_text(yaml.safe_dump(rows))
    (project / "models" / "others.yaml").write_text(yaml.safe_dump({"third": MODEL}))
    assert manifests.model_names() == ("big", "small", "third")
    big = manifests.load_model("big")
    assert big.preprocessing == Preprocessing(256, 224)
    assert (big.weights, big.mean) == ("V1", (0.5, 0.5, 0.5))
    assert isinstance(manifests.load_model("third"), ModelManifest)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (MODEL | {"hue": "red"}, "unknown key 'hue'"),
        (MODEL | {"colour": "red"}, "key 'colour': String should match pattern"),
        (MODEL | {"preprocessing": {"resize": 256, "crop": 224, "x": 1}}, "preprocessing.x"),
        (MODEL | {"preprocessing": {"resize": 224, "crop": 256}}, "no larger than the resized"),
        (MODEL | {"mean": [0.5, "x", 0.5]}, "key 'mean.1'"),
        (MODEL | {"step_seconds": 0}, "key 'step_seconds': Input should be greater than 0"),
        (MODEL | {"predict_seconds": -1}, "key 'predict_seconds': Input should be greater"),
        ({}, "missing key 'title'"),
        ("resnet50", "expected a mapping"),
    ],
)
def test_a_wrong_model_is_named(project, row, message):
    (project / "models" / "some.yaml").write_text(yaml.safe_dump({"small": row}))
    with pytest.raises((ManifestError, InputError), match=re.escape(message)):
        manifests.load_model("small")


def test_two_models_of_one_name_and_a_file_that_is_no_mapping_are_errors(project):
    path = project / "models" / "some.yaml"
    path.write_text(yaml.safe_dump({"small": MODEL}))
    (project / "models" / "twice.yaml").write_text(yaml.safe_dump({"small": MODEL}))
    with pytest.raises(ManifestError, match="model 'small' is already described in"):
        manifests.model_names()
    (project / "models" / "twice.yaml").write_text("- a list")
    with pytest.raises(ManifestError, match=r"twice\.yaml:1: expected a mapping"):
        manifests.model_names()


def test_a_row_takes_from_another_of_any_file_what_it_lacks(project):
    base = MODEL | {"description": "a long one", "mean": [0.5, 0.5, 0.5], "licence": "MIT"}
    row = {"like": "big", "title": "Another", "preprocessing": {"resize": None, "crop": 64}}
    (project / "models" / "some.yaml").write_text(yaml.safe_dump({"small": row}))
    (project / "models" / "those.yaml").write_text(yaml.safe_dump({"big": base}))
    small, big = manifests.load_model("small"), manifests.load_model("big")
    assert (small.name, small.title, small.description) == ("small", "Another", None)
    assert small.preprocessing == Preprocessing(None, 64)
    taken = set(ModelManifest.model_fields) - manifests.ITSELF - {"preprocessing"}
    assert all(getattr(small, key) == getattr(big, key) for key in taken)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"like": "big"}, "some.yaml:1: missing key 'title'"),
        ({"like": "bigger", "title": "A"}, "one of big, other, but got 'bigger'"),
        ({"like": "small", "title": "A"}, "one of big, other, but got 'small'"),
        ({"like": "other", "title": "A"}, "some.yaml:2: key 'like': other is itself like big"),
        ({"like": "big", "title": "A", "mean": 3}, "some.yaml:3: key 'mean'"),
    ],
)
def test_a_row_that_is_like_what_it_cannot_be_is_told(project, row, message):
    (project / "models" / "some.yaml").write_text(yaml.safe_dump({"small": row}))
    others = {"big": MODEL, "other": {"like": "big", "title": "B"}}
    (project / "models" / "those.yaml").write_text(yaml.safe_dump(others))
    with pytest.raises(ManifestError, match=re.escape(message)):
        manifests.load_model("small")


def test_what_a_model_starts_from_is_a_model_of_the_same_architecture_or_a_shallower_one():
    models = [manifests.load_model(name) for name in manifests.model_names()]
    derived = [model for model in models if model.starts_from is not None]
    assert derived
    for model in derived:
        base = manifests.load_model(model.starts_from)
        assert model.recipe is not None or model.wrapper is not None
        assert (model.mean, model.std) == (base.mean, base.std)
        if is_detector(model.name):  # whose backbone starts from a classifier
            assert base.starts_from is None
        elif (model.builder, model.arguments) != (base.builder, base.arguments):
            assert is_deeper(*(torch_models.build(one, outputs=7) for one in (model, base)))


@pytest.mark.parametrize("name", manifests.model_names())
def test_a_title_is_short_enough_for_a_legend_and_a_description_says_more(name):
    model = manifests.load_model(name)
    assert 4 <= len(model.title) <= 31
    assert model.title == model.title.strip()
    assert model.title != name
    assert model.description is None or len(model.description) > len(model.title)


@pytest.mark.parametrize("profile", profile_names())
def test_networks_that_are_shown_together_have_titles_of_their_own(profile):
    for group, networks in load_profile(profile).networks.items():
        # Two of the paper's names may be of one network.
        titles = [manifests.model_title(name) for name in {*networks.values()}]
        assert len(set(titles)) == len(titles), group


def test_a_network_without_a_row_is_called_by_its_name():
    assert manifests.model_title("resnet18_mini") == "ResNet-18-like"
    assert manifests.model_title("nets.py:build") == "nets.py:build"


def test_models_of_one_title_have_one_colour():
    models = [manifests.load_model(name) for name in manifests.model_names()]
    colours = manifests.model_colours()
    assert {model.colour for model in models if model.title in colours} - {None} == {
        *colours.values()
    }
    for model in models:
        assert model.colour in (None, colours.get(model.title))


OTHER = {
    "corrupted_recipe": "scenes_small_tuned",
    "name": "other", "title": "Another", "description": "another one",
    "reference": "somebody", "licence": "MIT", "keys": "by_order",
    "builder": "cifar", "arguments": {"family": "vgg11"},
    "weights": "other", "classes": "others", "preprocessing": Preprocessing(None, 32),
    "mean": (0.1, 0.2, 0.3), "std": (0.1, 0.2, 0.3), "recipe": "other", "trained_on": "other",
    "starts_from": "other", "colour": "#000000", "outputs": 7, "step_seconds": 9.0,
    "predict_seconds": 9.0, "wrapper": Wrapper(name="clahe"),
    "stability": Stability(noise=0.1, weight=0.1),
}  # fmt: skip


@pytest.mark.parametrize("key", ModelManifest.model_fields)
def test_weights_depend_on_all_but_what_is_said_about_a_model(key):
    model = manifests.load_model("alexnet_mini")
    other = model.model_copy(update={key: OTHER[key]})
    assert other != model
    same = manifests.weights_digest(other) == manifests.weights_digest(model)
    assert same == (key in manifests.ABOUT_A_MODEL)


def test_a_row_without_enhancements_has_the_digest_that_it_had_before_there_were_any():
    model = manifests.load_model("alexnet_mini")
    assert not {"wrapper", "stability"} & model.model_dump().keys()
    wrapped = model.model_copy(update={"wrapper": Wrapper(name="clahe")})
    other = model.model_copy(update={"wrapper": Wrapper(name="clahe", arguments={"tiles": 4})})
    assert len({manifests.weights_digest(one) for one in (model, wrapped, other)}) == 3


def test_digests_tell_records_apart():
    digests = {manifests.digest(load_dataset(name)) for name in NAMES}
    assert len(digests) == len(NAMES)
    assert manifests.digest(File(name="a")) != manifests.digest(File(name="b"))
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in digests)


def test_nothing_in_the_manifests_names_a_registry_or_a_machine():
    for path in paths.manifests().rglob("*.yaml"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"registry\.|pypi\.|npmjs|/work/|/tmp/|/home/", text), path


def test_the_builders_are_those_that_make_detectors():
    assert BUILDERS.keys() == DETECTORS
    assert not DETECTORS & builders.BUILDERS.keys()


def test_every_row_is_one_or_the_other():
    made = {name: load_model(name).builder for name in model_names()}
    assert {name for name in made if is_detector(name)} == {
        name for name, builder in made.items() if builder not in builders.BUILDERS
    }
    assert not is_detector("unknown")


def test_the_question_needs_no_torch():
    code = (
        "import sys; from robust_lib.config.manifests import is_detector; "
        "is_detector('resnet50'); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
