"""Every claim finds the networks and conditions behind it, and what no claim needs is known."""

import pytest

from robust_book.chapters import all_chapters
from robust_book.engine import costs
from robust_book.engine.claim_costs import Part, all_work, claim_costs
from robust_lib.config.profiles import load_profile
from robust_lib.results.reported import reported
from robust_lib.run.network import Network
from robust_lib.vocabulary import COMMON, EXTRA
from tests.bench import claims

MINI = load_profile("mini")


@pytest.fixture(scope="module")
def found():
    return claim_costs(all_chapters(), MINI)


def of(found, item, sentence):
    return next(one for one in found if one.item == item and sentence in one.sentences)


def test_the_mce_of_two_networks_needs_these_and_the_fifteen(found):
    (row,) = (one for one in reported("inc-tab1") if one.is_claim)
    cost = of(found, "inc-tab1", row.sentence)
    assert cost.names("train", 1) == {"alexnet_mini", "resnet50_mini"}
    conditions = {"scenes_val", *(f"scenes_val + {name}" for name in COMMON)}
    assert cost.names("predict", 2) == conditions
    trained = [costs.training(Network(name), MINI) for name in ("alexnet_mini", "resnet50_mini")]
    assert cost.seconds("train") == pytest.approx(sum(trained))
    assert cost.seconds("predict", other=[cost]) == 0


def test_what_chooses_the_images_belongs_to_a_claim_on_them(found):
    row = next(one for one in reported("nae-fig10") if one.is_claim and "resnet34" in one.metric)
    cost = of(found, "nae-fig10", row.sentence)
    assert {"resnet34_mini", "resnet152_mini", "resnet50_mini_a"} <= cost.names("train", 1)
    assert cost.names("choose", 1) == {"scenes_a_filtered"}


def test_what_a_claim_needs_is_a_part_of_the_whole_and_little_is_for_none(found):
    whole = all_work(all_chapters(), MINI)
    assert {part for one in found for part in one.work} <= whole.keys()
    networks, conditions = claims.unclaimed(found, whole)
    # A control of the chapter on enhancements, which its table shows.
    assert set(networks) == {"resnet18_mini_tuned"}
    assert {f"scenes_val + {name}" for name in EXTRA} <= conditions.keys()
    assert sum(conditions.values()) < 0.03 * sum(whole.values())
    assert Part("train", "resnet50_mini", "") in whole
