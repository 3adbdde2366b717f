"""Surface variation on a few icons whose predictions are known."""

import numpy as np
import pytest

from robust_lib.config.manifests import load_model
from robust_lib.errors import InputError
from robust_lib.metrics.intervals import clopper_pearson
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols import surface_variation
from robust_lib.results.compare import compare
from robust_lib.training.recipes import load_recipe
from tests.protocols.icons import BIRD, HAT, HELD, ICONS, SUBTYPES, by_hold_out, predicted_on


def results(*wrong):
    return surface_variation.results(by_hold_out(*wrong), HELD, ICONS.name, "exact")


def test_icons_of_a_subtype_are_right_or_wrong_together():
    """Both of its icons are wrong, or neither: six subtypes tell less than twelve icons would."""
    test = [icon for icon in ICONS.icons if icon.style == "microsoft"]
    labels = np.array([icon.label for icon in test])
    wrong = np.array([icon.motif in ("duck", "cap", "crown") for icon in test])
    other = np.where(labels == BIRD, HAT, BIRD)
    ids = tuple(icon.path for icon in test)
    sure = np.full(len(test), 0.9, np.float32)
    answers = Predictions("net", "x", ids, labels, None, np.where(wrong, other, labels), sure)
    held = {"style": HELD["style"]}
    row = surface_variation.results({HELD["style"]: {"net": (answers,)}}, held, "x", "exact").row()
    exact = clopper_pearson(6, 12)
    assert row.low < exact[0] - 0.1
    assert row.high > exact[1] + 0.1
    assert len(row.draws.by_image()) == 6
    assert row.draws.by_image().mean() == pytest.approx(row.value)


def test_one_seed_has_at_least_the_exact_interval_over_icons():
    row = results(3).row(item="inc-icons-style", metric="accuracy")
    assert (row.n, row.n_full, row.dataset, row.model) == (12, 12, "icons50_open_style", "net")
    assert row.value == pytest.approx(9 / 12)
    low, high = clopper_pearson(9, 12)
    assert row.low <= low
    assert row.high >= high
    assert row.convention == "style:microsoft, exact match, last epoch"


def test_several_seeds_go_from_the_least_to_the_greatest():
    row = results(0, 3, 6).row(item="inc-icons-style")
    assert (row.low, row.value, row.high) == pytest.approx((0.5, 0.75, 1.0))


def test_icons_drawn_at_random_are_another_ordinary_test_set():
    random = surface_variation.RANDOM
    predictions = {random: {"net": (predicted_on(random, 1),)}}
    row = surface_variation.results(predictions, {random: random}, ICONS.name, "exact").rows[0]
    assert (row.item, row.dataset) == ("inc-icons-version", "icons50_open_random")
    assert row.convention == "random, drawn by icon, last epoch"


def test_the_authors_rule_is_named_once_in_the_convention():
    held_out = surface_variation.protocols("microsoft", "authors")
    predictions = {held_out["style"]: {"net": (predicted_on(held_out["style"], 3),)}}
    style = {"style": held_out["style"]}
    row = surface_variation.results(predictions, style, ICONS.name, "authors").rows[0]
    assert row.convention == "style:microsoft, authors match, last epoch"


def test_each_part_of_our_icons_stands_in_for_the_papers():
    stand_ins = surface_variation.stand_ins(ICONS.name)
    roles = {"resnet20": "net"}
    verdicts = compare(results(3), "inc-icons-style", roles=roles, datasets=stand_ins)
    (number,) = [v for v in verdicts if v.model == "resnet20" and v.metric == "accuracy"]
    assert (number.verdict, number.our_dataset) == ("not comparable", "icons50_open_style")
    assert number.ours == pytest.approx(0.75)
    (gap,) = [v for v in verdicts if "icons50_version" in v.metric]
    assert gap.verdict == "not decided"
    assert "by 0.0 [" in gap.arithmetic  # as often right about either part


def test_the_papers_own_icons_need_no_stand_in():
    assert all(paper == ours for paper, ours in surface_variation.stand_ins("icons50").items())


def test_the_authors_rule_has_names_of_its_own():
    assert surface_variation.protocols("google", "authors") == {
        "style": "style:google:authors",
        "version": "version:authors",
        "subtype": "subtypes:authors",
    }


def test_another_rule_is_refused():
    with pytest.raises(InputError, match="match to be one of authors, exact, but got author"):
        surface_variation.protocols("google", "author")


def test_every_vendor_in_turn():
    hold_out = surface_variation.style_hold_out("openmoji")
    predictions = {hold_out: {"net": (predicted_on(hold_out, 2),)}}
    (row,) = surface_variation.leave_one_out(predictions, ["openmoji"], ICONS.name, "net").rows
    assert (row.dataset, row.n) == ("icons50_open_style/openmoji", 6)
    assert row.value == pytest.approx(4 / 6)


def test_facts_stand_beside_the_papers():
    network, recipe = load_model("resnet20_mini"), load_recipe("icons_sgd")
    facts = surface_variation.facts(ICONS, network, recipe)
    assert facts.row(metric="images").value == 30
    assert facts.row(metric="images_per_class").value == 15
    assert facts.row(metric="held_out_subtypes").value == 50
    assert facts.row(metric="epochs").value == recipe.epochs


def test_side_effects_of_all_three_words():
    found = surface_variation.side_effects(ICONS.icons, "google", SUBTYPES)
    effects = {effect.word: effect for effect in found}
    assert effects["google"].besides == 0
    assert (effects["_2"].meant, effects["_2"].besides) == (12, 0)
    assert len(effects) == 52
