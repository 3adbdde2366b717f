"""Studies: which networks they have, and what is refused."""

import pytest

from robust_lib import paths
from robust_lib.config.manifests import load_dataset
from robust_lib.config.profiles import load_profile
from robust_lib.errors import InputError
from robust_lib.miniworld.icons50 import load_atlas
from robust_lib.run.chapter import STUDIES, among, corruptions, load_study, networks, severities
from robust_lib.vocabulary import COMMON, OCCLUSION

MINI, SMOKE = load_profile("mini"), load_profile("smoke")


def test_the_overlap_study_trains_with_each_corruption_and_without():
    assert corruptions(MINI) == COMMON + OCCLUSION
    assert len(networks("overlap", MINI)) == 2 * (1 + 17)
    assert networks("overlap", MINI)[:2] == ("resnet18", "resnet18+gaussian_noise")


def test_the_icons_study_holds_out_and_leaves_every_vendor_out_once():
    found = networks("icons50", MINI)
    assert len(set(found)) == len(found)
    first = {name.partition("@")[2] for name in found if name.startswith("resnet20@")}
    styles = {f"style:{style}" for style in load_dataset("icons50_open").options["styles"]}
    assert first == styles | {"version", "subtypes", "random"}
    others = {name.partition("@")[2] for name in found if name.startswith("msdnet@")}
    assert others == {"style:microsoft", "version", "subtypes"}


def test_the_vendors_of_the_manifest_are_those_of_the_atlas():
    styles = {origin.style for origin in load_atlas("icons50").sets.values()}
    assert set(load_dataset("icons50_open").options["styles"]) == styles


def test_the_balance_study_has_the_normaliser_among_its_networks():
    assert STUDIES["balance"].baseline
    assert networks("balance", MINI) == tuple(MINI.studies["balance"])
    assert "alexnet" in MINI.studies["balance"]


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_has_its_chapters_and_plays_in_both_profiles(name):
    study = load_study(name, SMOKE)
    assert study is load_study(name, MINI) is STUDIES[name]
    notebooks = {path.stem for path in paths.notebooks().glob("*.ipynb")}
    assert set(study.chapters) <= notebooks
    for role in (study.role, *(role for part in study.asked for role in part)):
        assert role in MINI.data


def test_networks_choose_among_the_classes_of_their_jobs_first_set():
    assert among("nae", "imagenet_val_a") == "imagenet_a"
    assert among("nae", "blobs") == among("nae", "imagenet_o") == "imagenet_o"
    with pytest.raises(InputError, match="a role of the study to be one of imagenet_a"):
        among("nae", "icons50")


def test_studies_train_and_test_at_their_own_severities():
    assert severities(MINI) == (4, 5)
    assert severities(load_profile("full")) == (1, 2, 3, 4, 5)


def test_a_study_that_there_is_not_is_refused():
    with pytest.raises(InputError, match="a study of the profile to be one of overlap"):
        load_study("overlpa", MINI)
