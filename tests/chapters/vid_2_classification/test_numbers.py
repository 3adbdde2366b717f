"""Accuracies, classes, conventions and settings as the page shows them, beside the paper's."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from robust_book.chapters.vid_2_classification import numbers
from robust_lib import seeds
from robust_lib.config.profiles import load_profile
from robust_lib.datasets.frame_sets import from_names
from robust_lib.protocols.pm_k import classification
from robust_lib.protocols.pm_k.classes import by_class
from robust_lib.protocols.pm_k.frame_predictions import FramePredictions
from robust_lib.protocols.pm_k.networks import TYPES
from robust_lib.results.compare import compare
from tests.chapters.toys import class_rows
from tests.protocols.pm_k import toys

NAMES = {
    "resnet50": "plain",
    "resnet50_augmented": "jpeg",
    "resnet50_imagenet_augment_jpeg_compression": "jpeg",
    "resnet50_finetune": "tuned",
}
ANSWERS = toys.answers({"plain": (3, 6), "jpeg": (4, 6), "tuned": (5, 8)})
ROWS = classification.results(ANSWERS, NAMES)
FULL = load_profile("full_trained").networks["vid"]


def test_every_type_of_the_paper_is_printed():
    printed = numbers.printed_accuracies("vid-tab1")
    assert list(printed) == list(TYPES)
    assert all(set(one) == set(numbers.COLUMNS) for one in printed.values())
    frame = numbers.printed_types_frame()
    assert frame["Type"].tolist() == list(TYPES.values())
    assert frame.loc[0, ["Anchor", "Worst frame", "Drop"]].tolist() == [67.5, 52.7, 14.9]


def test_numbers_of_the_text_are_no_part_of_table_3():
    printed = numbers.printed_accuracies("vid-tab3")
    assert printed["resnet50_detection"]["Anchor"] == 76.3
    assert len(printed) == 50


def test_a_line_through_the_papers_table_3_says_nothing_of_what_networks_lose():
    """What the page says: R squared is as high where the drops are dealt out by lot."""
    printed = numbers.printed_accuracies("vid-tab3").values()
    anchor, worst = (np.array([one[name] for one in printed]) for name in ("Anchor", "Worst frame"))
    drop = anchor - worst

    def r_squared(lost):
        return np.corrcoef(anchor, anchor - lost)[0, 1] ** 2

    rng = seeds.generator("drops by lot")
    by_lot = np.median([r_squared(rng.permutation(drop)) for _ in range(500)])
    assert (round(r_squared(drop), 3), round(by_lot, 3)) == (0.960, 0.956)
    assert round(stats.spearmanr(anchor, drop).statistic, 2) == -0.36
    assert round(stats.spearmanr(anchor, drop / anchor).statistic, 2) == -0.83


def test_table_1_has_a_line_per_type_whether_it_was_asked_or_not():
    frame = numbers.types_frame(ROWS, ANSWERS, NAMES).set_index("Type")
    assert len(frame) == len(TYPES)
    line = frame.loc["trained on still images: plain"]
    assert [line[name].value for name in ("Anchor", "Worst frame", "Drop")] == [60, 30, 30]
    assert line["Average neighbour"] == pytest.approx(100 * ANSWERS.neighbours("plain"))
    assert frame.loc["against attacks: not evaluated in this run"].isna().all()
    # A network of the profile that the notebook left out was not asked, either.
    alone = numbers.types_frame(ROWS, toys.answers({"plain": (3, 6)}), NAMES)
    assert alone["Anchor"].notna().sum() == 1


def test_a_network_stands_beside_the_name_that_says_most_of_it():
    frame = numbers.all_frame(ROWS, ANSWERS, NAMES).set_index("Network")
    assert frame.loc["jpeg", "This run|Worst frame"].value == 40
    assert frame.loc["jpeg", "The paper|Worst frame"] == 52.4
    assert frame.loc["jpeg", "Type"] == "with noise augmentation"
    assert frame.index[:3].tolist() == ["tuned", "jpeg", "plain"]  # by the worst frame
    assert len(frame) == 50


def test_what_is_committed_is_table_1():
    frame = numbers.committed_frame(ROWS)
    assert list(frame) == ["Network", "k", "Metric", "Value", "Low", "High"]
    first = frame[frame["Network"] == "plain"]
    assert first[["k", "Metric", "Value"]].values.tolist() == [
        [0, "pm accuracy", 60], [10, "pm accuracy", 30], [10, "drop", 30],
    ]  # fmt: skip


def test_dots_have_both_accuracies_and_the_papers_are_a_group_of_their_own():
    found = numbers.dots(ROWS, ANSWERS, NAMES)
    assert list(found) == [
        "trained on still images",
        "with noise augmentation",
        "fine-tuned on video",
        numbers.PAPER,
    ]
    (first, second) = found["fine-tuned on video"]["tuned"]
    assert (first[0], second[0]) == (80.0, 50.0)
    assert len(found[numbers.PAPER]) == 50
    assert found[numbers.PAPER]["resnet50_detection"][0] == (76.3, 76.3, 76.3)


def test_lines_by_distance_end_where_the_table_does():
    lines = numbers.by_distance(ROWS, ["plain"])
    assert [lines["plain"][k][0] for k in (0, 2, 3, 10)] == pytest.approx([60, 60, 30, 30])


def test_the_class_with_the_lowest_accuracy_comes_first_with_both_ends():
    of_each = numbers.of_classes(class_rows({"mine": (3, 5)}, "mine"), "toys", 10)
    assert list(of_each) == ["monkey", "lion"]
    dots = numbers.class_dots(of_each)
    assert dots["anchor"]["monkey"][0] == 40.0
    assert dots["worst frame"]["monkey"][0] == 20.0
    frame = numbers.class_frame(of_each)
    assert frame["Sets"].tolist() == [5, 5]
    assert [cell.value for cell in frame["Anchor"]] == [40.0, 60.0]
    assert frame["Drop"].tolist() == [20.0, 20.0]


def test_classes_of_other_data_sets_are_left_out():
    assert numbers.of_classes(class_rows({"mine": (3, 5)}, "mine"), "other", 10) == {}


FRAMES = [f"val/a/{number:06d}.JPEG" for number in range(3)]


def answers(predicted, labels):
    names = dict(zip(FRAMES, labels, strict=True))
    sets = from_names(names, {FRAMES[1]: [FRAMES[0], FRAMES[2]]}, classes=2)
    return FramePredictions("toys", sets, {"mine": (np.array(predicted),)}, "all 2 outputs")


def readings(found, summed=None):
    frame = numbers.readings_frame(found, summed or found, ["mine", "absent"])
    assert frame["Network"].tolist() == ["mine"]
    return frame.iloc[0, 1:].tolist()


def test_a_wrong_anchor_counts_in_the_code_alone():
    assert readings(answers([0, 1, 0], [[0]] * 3)) == [0.0, 100.0, 100.0, 0.0]


def test_the_equation_asks_for_the_anchors_label_on_every_frame():
    found = answers([1, 0, 0], [[1], [0], [0]])  # the first frame shows something else
    assert readings(found) == [100.0, 100.0, 0.0, 100.0]


def test_summed_probabilities_are_other_answers():
    found = answers([0, 0, 0], [[0]] * 3)
    other = replace(found, by_network={"mine": (np.array([0, 0, 1]),)})
    assert readings(found, other) == [100.0, 100.0, 100.0, 0.0]


def test_profile_full_has_the_papers_settings():
    rows = numbers.settings(FULL, "imagenet_vid_train")
    verdicts = compare(rows, "vid-tab4", roles=FULL)
    judged = {
        one.verdict for one in verdicts if one.metric in ("learning_rate", "batch_size", "epochs")
    }
    assert judged == {"as printed"}


def test_other_epochs_are_told():
    rows = numbers.settings(FULL, "imagenet_vid_train", epochs=1)
    assert {row.value for row in rows.select(metric="epochs").rows} == {1.0}
    assert set(numbers.settings_frame(FULL, epochs=1)["This run|Epochs"]) == {"1"}


def test_networks_that_a_profile_lacks_keep_the_papers_side():
    frame = numbers.settings_frame({})
    assert frame["The paper|Rate"].tolist() == ["1e-5", "1e-5", "1e-4", "1e-4"]
    assert set(frame["This run|Rate"]) == {"–"}


def test_plain_networks_have_the_smaller_rate():
    frame = numbers.settings_frame(FULL).set_index("The paper|Rate")
    assert set(frame.loc["1e-5", "This run|Rate"]) == {"1e-05"}
    frame = numbers.settings_frame(FULL).set_index("Network")
    assert frame.loc["ResNet-50 (video)"].tolist() == [
        "0.0001", "reduce on plateau", "32", "10", "SGD",
        "1e-4", "Reduce LR On Plateau", "32", "10", "not said",
    ]  # fmt: skip


def test_all_that_the_prose_names():
    named = {"resnet50": "plain", "resnet50_finetune": "tuned"}
    found = toys.answers({"plain": (2, 5), "tuned": (6, 8), "third": (5, 6)})
    rows = classification.results(found, named)
    of_classes = by_class(found, "tuned", ("lion", "monkey"))
    keys = numbers.key_numbers(rows + of_classes, found, named)
    told = {key: one.text for key, one in keys.items()}
    assert told["network"] == "plain"
    assert (told["networks"], told["sets"], told["k"]) == ("3", "10", "10")
    assert (told["anchor"], told["worst"]) == ("50.0 %", "20.0 %")
    assert told["average"] == f"{100 * found.neighbours('plain'):.1f} %"
    assert told["gap"].startswith("30.0 [")
    assert told["smallest_drop"].startswith("10.0 [")
    assert told["largest_drop"].startswith("30.0 [")
    assert told["median_drop"].startswith("20.0 [")
    assert told["best"] == "tuned"
    assert told["smallest_of_stills"].startswith("10.0 [")
    assert "not measured" not in {told[key] for key in ("r_squared", "slope", "classes_with_drop")}
    # Without the standard network the first one is looked at.
    assert numbers.key_numbers(rows, found, {})["network"].text == "plain"


def test_who_is_trained_against_attacks_stands_beside_its_own_start():
    """The plain network is of another kind, and sees other pixels."""
    names = {"resnet50": "plain", "feature_denoise": "resnext101_mini_robust"}
    right = {"plain": (3, 6), "resnext101_mini_robust": (4, 6), "resnext101_32x4d_mini": (2, 8)}
    rows = classification.results(toys.answers(right), names)
    told = numbers.started(rows, names, 10).text
    assert told == (
        "ResNeXt-101-like (FGSM): 60.0 %, 40.0 % and 20.0 [2.5, 55.6] points; "
        "ResNeXt-101 (32x4d)-like: 80.0 %, 20.0 % and 60.0 [26.2, 87.8] points"
    )
    assert numbers.started(rows, {"resnet50": "plain"}, 10).text == "not measured"
