"""Accuracies as the page shows them, numbers of the prose, and settings beside the paper's."""

import pytest

from robust_book.chapters import inc_2_mce
from robust_book.chapters import nae_2_imagenet_a as chapter
from robust_book.chapters.nae_2_imagenet_a import numbers
from robust_lib.config.manifests import load_model
from robust_lib.config.profiles import load_profile
from robust_lib.protocols.nae import accuracy
from robust_lib.results.compare import compare
from robust_lib.results.reported import reported
from robust_lib.results.table import Results
from robust_lib.run.start import start
from robust_lib.training import zoo
from robust_lib.training.recipes import load_recipe
from tests.protocols.nae.toys import NAMES, masked

FULL = load_profile("full_trained").networks["nae"]
PLAIN = FULL["resnext50_32x4d_200"]
RIGHT = {"chooser": 0, "tuned": 0, "small": 3, "large": 6, "plain": 2, "attentive": 8,
         "scratch": 4, "attacked": 5}  # fmt: skip
IMAGENET_A = masked("imagenet_a", RIGHT)
IMAGENET_VAL = masked(
    "imagenet_val_a", dict.fromkeys(RIGHT, 20) | {"attacked": 18, "attentive": 21}
)
RESULTS = accuracy.results(IMAGENET_A, IMAGENET_VAL, NAMES)
DATASETS = {"Hard": "imagenet_a", "Ordinary": "imagenet_val_a"}


def test_every_network_of_all_classes_has_both_accuracies_with_their_intervals():
    frame = numbers.accuracy_frame(RESULTS, DATASETS).set_index("Network")
    assert list(frame.index) == ["chooser", "small", "large", "plain", "attentive"]
    assert frame.loc["large", "Hard"].value == pytest.approx(20)
    assert frame.loc["large", "Ordinary"].value == pytest.approx(200 / 3)
    rows = [RESULTS.row(item="nae-fig2", metric="accuracy", model="large", dataset=name)
            for name in DATASETS.values()]  # fmt: skip
    assert [frame.loc["large", title].low for title in DATASETS] == pytest.approx(
        [100 * row.low for row in rows]
    )


def test_public_weights_stand_beside_the_network_that_plays_their_part():
    sets = {"hard": "imagenet_a", "ordinary": "imagenet_val_a"}
    dots = numbers.all_dots(RESULTS, sets, NAMES)
    assert dots[numbers.PUBLIC]["small"] == (1.87, 1.87, 1.87)
    value, low, high = dots["hard"]["small"]
    assert value == pytest.approx(10)
    assert low < value < high
    assert numbers.all_dots(RESULTS, sets, {})[numbers.PUBLIC] == {}


def test_networks_stand_by_their_accuracy_and_the_one_that_chose_says_so():
    sets = {"hard": "imagenet_a", "ordinary": "imagenet_val_a"}
    dots = numbers.all_dots(RESULTS, sets, NAMES)
    values = [value for value, _, _ in dots["hard"].values()]
    assert values == sorted(values)
    marked = [name for name in dots["hard"] if name.endswith("(selected the images)")]
    assert marked == ["chooser (selected the images)"]


def test_what_a_training_changes_stands_beside_what_the_paper_prints():
    sets = {"hard": "imagenet_a", "ordinary": "imagenet_val_a"}
    gained = numbers.robust(RESULTS, sets, NAMES, "gain")
    assert list(gained["hard"]) == ["PGD, 10 steps"]  # of ordinary training nothing changes
    assert gained["hard"]["PGD, 10 steps"][0] == pytest.approx(100 * (5 - 4) / 30)
    printed = numbers.printed_gains()
    assert printed["hard"]["Stylized ImageNet"] == pytest.approx(2.09 - 1.31)
    assert all(value < 0 for value in printed["ordinary"].values())
    (line, other) = numbers.robust_frame(RESULTS, sets, NAMES).to_dict("records")
    assert (line["Training"], other["Training"]) == ("ordinary", "PGD, 10 steps")
    assert (line["This run|Hard"].value, line["The paper|Hard"]) == pytest.approx((400 / 30, 1.31))


def test_the_masks_effect_is_their_difference():
    (row,) = numbers.mask_frame({"net": (0.5, 0.2)}).to_dict("records")
    assert row == {"Network": "net", "Masked": 50, "Nothing masked": 20, "Difference": 30}


def test_trainings_stand_in_the_papers_order():
    found = numbers.robust(RESULTS, {"hard": "imagenet_a"}, NAMES)["hard"]
    assert list(found) == ["ordinary", "PGD, 10 steps"]
    assert found["PGD, 10 steps"][0] == pytest.approx(500 / 30)
    printed = numbers.printed_robust({"hard": "imagenet_a", "ordinary": "imagenet_val_a"})
    for values in printed.values():
        assert list(values) == [name for name in numbers.TRAININGS.values() if name in values]
        assert len(values) == 5
    assert printed["hard"]["ordinary"] == 1.31


def test_accuracies_of_networks_of_all_classes_are_committed():
    frame = numbers.committed_frame(RESULTS)
    assert list(frame) == ["Network", "Images", "accuracy", "low", "high"]
    line = frame[(frame["Network"] == "large") & (frame["Images"] == "imagenet a")].iloc[0]
    assert line["accuracy"] == pytest.approx(20)
    assert line["low"] < line["accuracy"] < line["high"]


def test_the_prose_leaves_out_who_chose_the_pictures():
    named = numbers.key_numbers(RESULTS, IMAGENET_A, IMAGENET_VAL, NAMES)
    assert named["worst"].text == "6.7 %"
    assert named["best"].text == "26.7 %"
    assert named["ordinary_low"].text == "66.7 %"
    assert named["ordinary_high"].text == "70.0 %"
    assert named["chance"].text == "33.3 %"
    assert "plain" in named["worst"].convention


def settings(names, model):
    manifest = load_model(model)
    return numbers.settings(names, manifest, load_recipe(manifest.recipe))


def test_the_real_networks_are_trained_as_the_paper_says():
    found = compare(settings(FULL, PLAIN), "nae-fig8", roles=FULL)
    ours = [one for one in found if one.status == "setting"]
    assert len(ours) == 15
    for one in ours:
        assert one.ours == pytest.approx(float(one.ours))
        assert one.verdict in ("as printed", "not comparable"), one
    values = {(one.metric, one.severity): one.ours for one in ours if one.model == PLAIN}
    assert values["epochs", None] == 90
    assert values["warmup_epochs", None] == pytest.approx(5)
    assert [values["milestone", number] for number in (1, 2, 3)] == pytest.approx([30, 60, 80])
    assert values["epsilon", None] == pytest.approx(8 / 255)


def test_a_cosine_has_no_drops():
    mini = load_profile("mini").networks["nae"]
    metrics = {row.metric for row in settings(mini, mini["resnext50_32x4d_200"]).rows}
    assert "milestone" not in metrics
    assert "attack_steps" in metrics


def test_a_runs_settings_are_those_of_its_profile():
    (row,) = numbers.setting_rows(start(chapter.CHAPTER, "smoke")).select(metric="epochs").rows
    assert row.value == load_profile("smoke").epochs
    (row,) = (
        numbers.setting_rows(start(chapter.CHAPTER, "mini", epochs=2)).select(metric="epochs").rows
    )
    assert (row.model, row.value) == ("resnext50_200_mini", 2)


def test_a_run_without_networks_from_scratch_has_no_settings():
    run = start(inc_2_mce.CHAPTER, "smoke")
    assert numbers.setting_rows(run) == Results()


def test_what_stands_for_stylized_imagenet_is_named():
    mini, full = (load_profile(name).networks["nae"] for name in ("mini", "full_trained"))
    assert "with random convolutions instead" in numbers.textures(mini)
    assert numbers.textures(full) == numbers.textures({}) == ""


def test_the_papers_networks_on_stylized_imagenet_are_trained_on_it():
    """The stand-ins have names of their own, which no printed number has."""
    names = load_profile("full_trained").networks["nae"]
    for suffix, role in (("sin", "stylized_imagenet_a"), ("sin_in", "stylized_and_imagenet_a")):
        network, recipe = zoo.plan(names[f"{PLAIN}_{suffix}"])
        assert (network.trained_on, recipe) == (role, zoo.plan(names[PLAIN])[1])
        assert load_profile("full_trained").data[role] == role
    stand_ins = {f"{PLAIN}_texture", f"{PLAIN}_texture_in"}
    assert stand_ins <= set(names)
    assert not stand_ins & {row.model for row in reported("nae-fig8")}
