"""The record of a chapter: which networks it needs, and what it shows them."""

from dataclasses import replace

import pytest

from robust_book.chapters import all_chapters, chapter, notebooks
from robust_lib.config.manifests import load_dataset
from robust_lib.config.profiles import load_profile, profile_names
from robust_lib.errors import InputError
from robust_lib.miniworld.icons50 import load_atlas
from robust_lib.run.chapter import (
    Chapter,
    OnCorruptions,
    is_trained_here,
    per_corruption,
    plain,
)
from robust_lib.run.network import Network
from robust_lib.vocabulary import COMMON, EXTRA, OCCLUSION

MINI, SMOKE, FULL = (load_profile(name) for name in ("mini", "smoke", "full_trained"))
OVERLAP = chapter("overlap_1_matrix")


def test_networks_are_trained_with_each_corruption_and_without():
    assert OVERLAP.evaluated_corruptions(MINI) == COMMON + OCCLUSION
    found = OVERLAP.all_networks(MINI)
    assert len(found) == 2 * (1 + 17) + 2  # and two that train on with nothing
    assert [str(one) for one in found if one.model.endswith("_longer")] == [
        "resnet18_small_longer",
        "densenet121_small_longer",
    ]
    assert list(map(str, found[:2])) == ["resnet18_small", "resnet18_small+gaussian_noise"]


def test_icons_are_held_out_and_every_style_is_left_out_once():
    found = chapter("inc_4_icons50").all_networks(MINI)
    assert len(set(found)) == len(found)
    first = {network.hold_out for network in found if network.model == "resnet20_mini"}
    styles = {f"style:{style}" for style in load_dataset("icons50_open").options["styles"]}
    assert first == styles | {"version", "subtypes", "random"}
    others = {network.hold_out for network in found if network.model == "msdnet_mini"}
    assert others == {"style:microsoft", "version", "subtypes"}


def test_the_styles_of_the_manifest_are_those_of_the_atlas():
    styles = {origin.style for origin in load_atlas("icons50").sets.values()}
    assert set(load_dataset("icons50_open").options["styles"]) == styles


def test_the_balance_chapter_has_the_normaliser_among_its_networks():
    balance = chapter("overlap_2_balance_and_cover")
    assert balance.baseline
    assert balance.models(MINI)["alexnet"] == "alexnet_small"
    assert balance.also == (OVERLAP,)


def test_every_chapter_is_of_its_notebook_and_plays_in_every_profile():
    """But in those of photographs, which are shown beside a book and make none."""
    assert [one.notebook for one in all_chapters()] == list(notebooks())
    beside = {load_profile(name).beside for name in profile_names()}
    for one in all_chapters():
        for name in set(profile_names()) - beside:
            profile = load_profile(name)
            if one.networks and one.networks not in profile.networks:
                assert not profile.trains, "only what trains lacks a section"
                continue
            assert bool(one.all_networks(profile)) == bool(one.networks)
            roles = [one.role] if one.networks else []
            for shown in one.shows:
                if getattr(shown, "if_there", False):  # a control, which a profile may lack
                    continue
                roles += [shown.role] if isinstance(shown, OnCorruptions) else shown.roles
            assert set(roles) <= set(profile.data)


def test_networks_choose_among_the_classes_that_the_chapter_says():
    nae = chapter("nae_2_imagenet_a")
    assert nae.classes_of("imagenet_val_a") == "imagenet_a"
    with pytest.raises(InputError, match=r"role.*chapter.*imagenet_a"):
        nae.classes_of("icons50")


def test_a_chapter_may_say_which_models_of_its_section_it_evaluates():
    some = Chapter("some", networks="imagenet_c", evaluates=lambda model: model.startswith("vgg"))
    found = list(map(str, some.all_networks(MINI)))
    assert found == ["vgg11_mini", "vgg19_mini", "vgg19_bn_mini"]
    assert "alexnet" in some.models(MINI)


def test_a_chapter_evaluates_the_benchmark_or_what_networks_train_with():
    mce = chapter("inc_2_mce")
    assert mce.evaluated_corruptions(SMOKE) == COMMON + EXTRA
    assert mce.severities(MINI) == (1, 2, 3, 4, 5)
    assert OVERLAP.severities(MINI) == (4, 5)
    assert OVERLAP.severities(FULL) == (1, 2, 3, 4, 5)


def test_a_chapter_evaluates_as_many_images_as_its_kind_does():
    more = MINI.model_copy(update={"limit": 10, "training_limit": 20})
    assert (chapter("inc_2_mce").limit(more), OVERLAP.limit(more)) == (10, 20)
    assert OVERLAP.limit(more.model_copy(update={"training_limit": None})) == 10
    assert replace(OVERLAP, every_image=True).limit(more) is None


def test_variants_of_models():
    assert plain(["resnet18+fog"], MINI) == (Network("resnet18", "fog"),)
    found = per_corruption(["a", "b"], MINI, ["fog"])
    assert list(map(str, found)) == ["a", "a+fog", "b", "b+fog"]


def test_what_is_trained_here():
    assert is_trained_here(Network("resnet18_mini", "fog"))
    assert not is_trained_here(Network("resnet18"))
    assert not is_trained_here(Network("torchvision/resnet34"))


def test_a_section_that_the_profile_lacks_is_refused():
    told = "a section of the profile to be one of imagenet_c"
    with pytest.raises(InputError, match=rf"{told}.*but got nothing\.$"):
        Chapter("nao_2", networks="nothing").models(MINI)
    with pytest.raises(InputError, match=rf"{told}.* such as full_trained\.$"):
        Chapter("nao_2", networks="nothing").models(load_profile("full"))


def test_a_chapter_may_begin_with_some_models_and_corruptions_of_its_section():
    some = Chapter(
        "some", networks="imagenet_c", evaluates=("resnet18",), corruptions=("fog", "snow")
    )
    assert some.evaluated_models(MINI) == ("resnet18",)
    assert [str(network) for network in some.all_networks(MINI)] == ["resnet18_mini"]
    assert some.evaluated_corruptions(MINI) == ("fog", "snow")
    assert some.severities(MINI) == MINI.severities
    assert set(some.models(MINI)) > {"resnet18", "alexnet"}  # all are known by the paper's names


def test_a_model_that_the_section_lacks_is_refused():
    some = Chapter("some", networks="imagenet_c", evaluates=("resnet19",))
    with pytest.raises(
        InputError, match=r"a model of some to be one of alexnet, .*, but got resne"
    ):
        some.evaluated_models(MINI)
