import numpy as np
import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.errors import InputError
from robust_lib.models import label_maps


@pytest.fixture
def logits():
    return np.random.default_rng(0).normal(size=(7, 1000)).astype(np.float32)


def test_subset_takes_outputs_in_the_lists_order(logits):
    indices = [group[0] for group in load_classes("imagenet_a").imagenet]
    scored = label_maps.subset(logits, indices)
    assert scored.shape == (7, 200)
    assert scored.dtype == np.float32
    np.testing.assert_array_equal(scored[:, 1], logits[:, 11])


def test_masking_before_the_argmax_changes_the_winner():
    logits = np.array([[5.0, 1.0, 2.0]])
    assert label_maps.subset(logits, [1, 2]).argmax() == 1


def test_merge_max_equals_a_loop(logits):
    groups = load_classes("imagenet_vid").imagenet
    merged = label_maps.merge_max(logits, groups)
    slow = np.array([[max(row[o] for o in group) for group in groups] for row in logits])
    np.testing.assert_array_equal(merged, slow)


def test_the_unmapped_outputs_never_win(logits):
    groups = load_classes("imagenet_vid").imagenet
    unmapped = sorted(set(range(1000)) - {o for group in groups for o in group})
    assert len(unmapped) == 712
    loud = logits.copy()
    loud[:, unmapped] = 1e6
    expected = label_maps.merge_max(logits, groups)
    np.testing.assert_array_equal(label_maps.merge_max(loud, groups), expected)


def test_the_maximum_of_logits_and_of_probabilities_agree_on_the_winner(logits):
    groups = load_classes("imagenet_vid").imagenet
    exponentials = np.exp(logits - logits.max(1, keepdims=True))
    probabilities = exponentials / exponentials.sum(1, keepdims=True)
    ours = label_maps.merge_max(logits, groups).argmax(1)
    np.testing.assert_array_equal(ours, label_maps.merge_max(probabilities, groups).argmax(1))


def test_a_group_of_one_is_a_subset(logits):
    indices = [4, 999, 0]
    merged = label_maps.merge_max(logits, [[index] for index in indices])
    np.testing.assert_array_equal(merged, label_maps.subset(logits, indices))


@pytest.mark.parametrize(("name", "outputs"), [("imagenet_o", 200), ("imagenet_vid", 30)])
def test_project_goes_to_the_lists_label_space(logits, name, outputs):
    assert label_maps.project(logits, load_classes(name)).shape == (7, outputs)


def test_project_wants_imagenet_logits_and_a_mapped_list(logits):
    with pytest.raises(InputError, match="1000 logits of an ImageNet-1K classifier, but got 10"):
        label_maps.project(logits[:, :10], load_classes("imagenet_a"))
    with pytest.raises(InputError, match="not mapped"):
        label_maps.project(logits, load_classes("coco"))


@pytest.mark.parametrize("indices", [[0, 1000], [-1], [], [1, 1]])
def test_wrong_outputs_are_refused(logits, indices):
    with pytest.raises(InputError, match=r"Expected (indices from 0 to 999|every output once)"):
        label_maps.subset(logits, indices)


@pytest.mark.parametrize("groups", [[], [[]], [[0], []], [[0, 1], [1]], [[1000]]])
def test_wrong_groups_are_refused(logits, groups):
    with pytest.raises(InputError, match="Expected"):
        label_maps.merge_max(logits, groups)


def test_places_go_by_name_not_by_id():
    coco = load_classes("coco")
    assert label_maps.places(["person", "toothbrush"], coco).tolist() == [0, 79]
    assert coco.entries[79].coco_id == 90
    with pytest.raises(InputError, match="names of classes of coco, but got flounder, unicorn"):
        label_maps.places(["unicorn", "person", "flounder"], coco)
