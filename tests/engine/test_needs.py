"""What chapters need: networks and what they start from, drawn pictures, filters, evaluations."""

import pytest

from robust_book.engine.needs import Evaluated, lineage, needs
from robust_lib.config.profiles import load_profile
from robust_lib.errors import InputError
from robust_lib.run.chapter import Chapter, OnBoxes, OnCorruptions, OnEmbeddings, OnImages
from robust_lib.run.network import Network
from robust_lib.run.papers import vid

TRAIN, BOXES = "imagenet_vid_train_boxes", "imagenet_vid_robust_boxes"

MINI, SMOKE, FULL = (load_profile(name) for name in ("mini", "smoke", "full_trained"))


def test_a_chapter_without_networks_needs_its_pictures_alone():
    found = needs(Chapter("inc_1_corruptions"), MINI)
    assert (found.networks, found.datasets, found.evaluated) == ((), ("scenes_val",), {})


def test_the_network_that_normalises_is_needed_where_it_is_measured():
    chapter = Chapter("a", networks="imagenet_c", evaluates=("resnet18",), baseline=True)
    assert [str(one) for one in needs(chapter, MINI).trained] == ["alexnet_mini", "resnet18_mini"]
    assert [str(one) for one in needs(chapter, FULL).networks] == ["resnet18"]


def test_what_is_published_is_not_trained():
    assert needs(Chapter("a", networks="imagenet_c"), FULL).trained == ()


def test_a_network_comes_after_the_one_that_it_starts_from():
    chapter = Chapter("a", networks="nae", role="imagenet_val", evaluates=("resnet50_a",))
    assert [str(one) for one in needs(chapter, MINI).trained] == [
        "resnet50_mini",
        "resnet50_mini_a",
    ]
    assert lineage(Network("resnet50_mini_a+fog.py:fog")) == (
        Network("resnet50_mini_a+fog.py:fog"),
    )


def test_pictures_are_those_seen_and_those_trained_on_each_once_and_whole():
    chapter = Chapter("a", networks="overlap", role="imagenet_val_a")
    assert needs(chapter, MINI).datasets == ("scenes_val", "scenes_small_train")


def test_nothing_is_drawn_of_the_real_data():
    assert needs(Chapter("a", networks="nae", role="imagenet_a"), FULL).datasets == ()


def test_a_filtered_set_needs_its_candidates_and_the_networks_that_filter():
    shown = OnImages(("imagenet_a",), "imagenet_a")
    chapter = Chapter(
        "a", networks="nae", role="imagenet_a", shows=(shown,), evaluates=("alexnet",)
    )
    found = needs(chapter, MINI)
    assert found.filters == {
        "scenes_a_filtered": (Network("resnet50_mini"), Network("resnet50_mini_a"))
    }
    assert [str(one) for one in found.trained] == [
        "alexnet_mini", "resnet50_mini", "resnet50_mini_a",
    ]  # fmt: skip
    assert found.datasets == ("scenes_candidates_a", "scenes_train")


def test_equal_evaluations_are_equal_whatever_the_roles_are_called():
    one, other = (
        Chapter(
            "a", networks="overlap", role=role, shows=(OnCorruptions(role),), corruptions=("fog",)
        )
        for role in ("imagenet_100", "balance")
    )
    key = Evaluated(
        ("scenes_small_val",), "scenes_small_val", ("fog",), MINI.severities, MINI.limit
    )
    assert needs(one, MINI).evaluated == {key: ("imagenet_100",)}
    assert needs(other, MINI).evaluated == {key: ("balance",)}


DETECTING = MINI.model_copy(
    update={
        "data": MINI.data
        | {
            TRAIN: "clips_train_large",
            BOXES: "clips_val_large",
        },
        "networks": MINI.networks
        | {"detection": {"rfcn": "rfcn_resnet101_mini", "frcnn": "fasterrcnn_resnet50_mini"}},
    }
)


def test_a_chapter_of_detectors_needs_the_classifiers_that_they_start_from():
    shown = OnBoxes((BOXES,))
    chapter = Chapter("a", networks="detection", role=BOXES, shows=(shown,))
    found = needs(chapter, DETECTING)
    assert [str(one) for one in found.trained] == [
        "resnet152_mini", "rfcn_resnet101_mini", "resnet50_mini", "fasterrcnn_resnet50_mini",
    ]  # fmt: skip
    assert set(found.datasets) == {"clips_val_large", "clips_train_large", "scenes_train"}
    key = Evaluated(("clips_val_large",), "clips_val_large", limit=MINI.limit, boxes=True)
    assert found.evaluated == {key: (BOXES,)}


def test_a_chapter_of_embeddings_needs_its_pictures_whatever_their_classes():
    shown = OnEmbeddings(("imagenet_val", "imagenet_100"))
    chapter = Chapter("a", networks="imagenet_c", evaluates=("resnet50",), shows=(shown,))
    found = needs(chapter, MINI)
    assert set(found.datasets) == {"scenes_val", "scenes_small_val", "scenes_train"}
    names = ("scenes_val", "scenes_small_val")
    key = Evaluated(names, "scenes_val", limit=MINI.limit, embeddings=True)
    assert found.evaluated == {key: ("imagenet_val", "imagenet_100")}


def test_a_users_folder_is_there():
    own = MINI.model_copy(update={"data": MINI.data | {"imagenet_val": "folder:holiday"}})
    assert needs(Chapter("a"), own).datasets == ()


def test_a_role_that_nobody_plays_is_refused():
    with pytest.raises(InputError, match=r"a role of the profile to be one of .* got paint"):
        needs(Chapter("a", role="paintings"), MINI)


def test_a_chapter_does_without_pictures_that_are_not_there(tmp_path, monkeypatch):
    from robust_lib.run.papers import nao

    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    full, mini = (needs(nao.MAP, load_profile(name)).evaluated for name in ("full", "mini"))
    assert (nao.AT_RANDOM,) not in full.values()
    assert (nao.AT_RANDOM,) in mini.values()


def test_a_still_camera_is_asked_where_the_profile_has_one():
    chapter = vid.record("vid_2_classification", still=True)
    shown = {name for asked in needs(chapter, SMOKE).evaluated for name in asked.datasets}
    assert "clips_still" in shown
    real = {name for asked in needs(chapter, FULL).evaluated for name in asked.datasets}
    assert "clips_still" not in real
