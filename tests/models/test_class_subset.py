"""Which outputs of a network are some classes: the very ones, a part of them, or none."""

import numpy as np
import pytest
import torch

from robust_lib.config.class_lists import load_classes
from robust_lib.errors import InputError
from robust_lib.metrics.class_scores import class_scores
from robust_lib.miniworld.worlds import load_world
from robust_lib.models.adapter import wrap_callable
from robust_lib.models.class_subset import (
    groups_of,
    known_groups,
    outputs_of,
    require,
    require_groups,
    restrict,
    select,
    select_logits,
)
from robust_lib.models.contract import check_classifier
from robust_lib.preprocessing import Preprocessing
from tests.toys import Swatches, brightest, convolutional


@pytest.fixture
def logits():
    return np.random.default_rng(0).normal(size=(7, 1000)).astype(np.float32)


@pytest.mark.parametrize(
    ("space", "count", "classes", "names", "found"),
    [
        ("mine", 3, "theirs", "abc", None),  # as many, but in which order?
        ("theirs", 3, "theirs", "abc", (0, 1, 2)),
        ("mine", 4, "theirs", "abc", None),
        ("same", 4, "same", "abc", None),
        ("imagenet_o", 200, "imagenet_a", load_classes("imagenet_a").names, None),
        ("my_200", 200, "imagenet_a", load_classes("imagenet_a").names, None),
        ("imagenet_1k", 10, "imagenet_a", load_classes("imagenet_a").names, None),
        ("imagenet_1k", 1000, "imagenet_vid", load_classes("imagenet_vid").names, None),
        ("scenes_a", 24, "scenes_o", load_world("scenes").subsets["o"], None),
        ("scenes", 64, "other", ["no such thing"], None),
    ],
    ids=str,
)
def test_which_outputs_are_some_classes(space, count, classes, names, found):
    assert outputs_of(space, count, classes, names) == found


def test_groups_are_found_by_what_a_network_and_an_image_set_say_of_themselves():
    images, model = Swatches(), brightest()
    assert known_groups(model, images) == ((0,), (1,), (2,))
    assert known_groups(select(model, [0, 2], "two"), images) is None


def test_the_outputs_of_a_world_go_by_name():
    world = load_world("scenes")
    names = world.subsets["a"]
    found = outputs_of("scenes", len(world.inside), "scenes_a", names)
    assert [list(world.inside)[place] for place in found] == list(names)


def test_a_network_that_knows_other_classes_is_named_with_what_it_knows():
    with pytest.raises(InputError, match=r"mine.*2 outputs.*class"):
        require("mine", "my_cars", 3, "pets", ["cat", "dog"])
    with pytest.raises(InputError, match=r'my_pets.*return.*model.*classes="p'):
        require("mine", "my_pets", 2, "pets", ["cat", "dog"])
    with pytest.raises(InputError, match=r"2.*coco\..*model.*classes"):
        require("mine", "coco", 2, "pets", ["cat", "dog"])


def test_a_restricted_model_has_the_lists_outputs_in_its_order():
    model = wrap_callable(
        lambda x: np.tile(np.arange(1000.0), (len(x), 1)), "count", "imagenet_1k",
        Preprocessing(None, 8),
    )  # fmt: skip
    hard, every = load_classes("imagenet_a"), load_classes("imagenet_1k")
    answer = restrict(model, "imagenet_a", hard.names)(torch.zeros(1, 3, 8, 8))
    assert answer[0].tolist() == [float(only) for (only,) in hard.imagenet]
    assert restrict(model, "imagenet_1k", every.names) is model


def test_selected_outputs_leave_the_others_out_before_any_softmax():
    model = brightest()
    selected = select(model, [2, 0], "blue_or_red")
    images = torch.rand(4, 3, 16, 16)
    assert torch.equal(selected(images), model(images)[:, [2, 0]])
    assert (selected.name, selected.classes, selected.outputs) == ("brightest", "blue_or_red", 2)
    assert select(model, [0], "red", name="redness").name == "redness"


def test_a_model_of_selected_outputs_keeps_the_contract():
    check_classifier(select(convolutional(), [2, 0], "two"))


def test_fingerprints_tell_selections_apart():
    model = convolutional()
    made = [model, select(model, [0, 1], "a"), select(model, [1, 0], "a"), select(model, [1], "a")]
    assert len({one.fingerprint for one in made}) == len(made)
    assert select(model, [0], "a").fingerprint == select(convolutional(), [0], "a").fingerprint


def test_selected_logits_are_in_the_lists_order(logits):
    indices = [group[0] for group in load_classes("imagenet_a").imagenet]
    scored = select_logits(logits, indices)
    assert scored.shape == (7, 200)
    assert scored.dtype == np.float32
    np.testing.assert_array_equal(scored[:, 1], logits[:, 11])


def test_leaving_outputs_out_before_the_argmax_changes_the_winner():
    logits = np.array([[5.0, 1.0, 2.0]])
    assert select_logits(logits, [1, 2]).argmax() == 1


@pytest.mark.parametrize("wrong", [[0, 1000], [-1], [], [1, 1]])
def test_wrong_outputs_are_refused(logits, wrong):
    message = r"Expected (indices of outputs, from 0 to 999|every output once)"
    with pytest.raises(InputError, match=message):
        select_logits(logits, wrong)
    with pytest.raises(InputError, match=message.replace("999", "2")):
        select(brightest(), wrong, "wrong")


def test_wider_classes_have_the_outputs_that_their_list_says():
    vid = load_classes("imagenet_vid")
    groups = groups_of("imagenet_1k", 1000, "imagenet_vid", vid.names)
    assert groups == vid.imagenet
    assert groups_of("imagenet_1k", 10, "imagenet_vid", vid.names) is None
    world = load_world("scenes")
    wide = world.widened("vid")
    groups = groups_of("scenes", 64, "scenes_vid", list(wide.inside))
    named = [[list(world.inside)[output] for output in group] for group in groups]
    assert named == [list(members) for members in world.wide["vid"].values()]


def test_the_wider_classes_themselves_have_an_output_each():
    assert groups_of("scenes_vid", 2, "scenes_vid", "ab") == ((0,), (1,))
    part = list(load_world("scenes").part("a").inside)
    singles = tuple((output,) for output in outputs_of("scenes", 64, "scenes_a", part))
    assert groups_of("scenes", 64, "scenes_a", part) == singles


def test_who_knows_no_member_is_refused():
    names = list(load_world("scenes").widened("vid").inside)
    with pytest.raises(InputError, match=r"16 outputs.*class.*scenes_vid"):
        require_groups("mine", "scenes_a", 24, "scenes_vid", names)


def test_the_unmapped_outputs_never_win(logits):
    groups = load_classes("imagenet_vid").imagenet
    unmapped = sorted(set(range(1000)) - {o for group in groups for o in group})
    assert len(unmapped) == 712
    loud = logits.copy()
    loud[:, unmapped] = 1e6
    np.testing.assert_array_equal(class_scores(loud, groups), class_scores(logits, groups))
