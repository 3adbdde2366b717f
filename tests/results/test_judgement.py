"""How a claim is judged: on paired intervals, all models of a pattern, and only on its premise."""

import re
from dataclasses import replace

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.results.claims import parse
from robust_lib.results.estimate import Draws, Estimate
from robust_lib.results.judgement import judge
from robust_lib.results.lookup import Lookup
from robust_lib.results.row import Row, row_of
from robust_lib.results.table import Results


def results(*rows: dict) -> Results:
    base = {"item": "inc-fig2", "dataset": "toy", "metric": "mce", "n": 10, "n_full": 10}
    return Results.of(row_of(base | row) for row in rows)


def mces(**values: float) -> Results:
    return results(*({"model": model, "value": value} for model, value in values.items()))


def judged(text: str, table: Results, **options):
    dataset = options.pop("dataset", None)
    return judge(parse(text, dataset), Lookup(results=table, item="inc-fig2", **options))


def test_a_number_is_never_compared_with_itself_on_another_data_set():
    table = results({"model": "a", "metric": "accuracy", "value": 0.9, "dataset": "val"})
    found = judged("accuracy[*] < accuracy[*, dataset=val]", table, dataset="imagenet_a")
    assert (found.word, found.arithmetic) == (
        "missing",
        "no result on imagenet_a for accuracy of a: missing",
    )


# Judging


def test_a_claim_holds_with_its_arithmetic():
    found = judged("mce[denoised] > mce[plain]", mces(denoised=0.821, plain=0.767))
    assert (found.word, found.arithmetic) == ("holds", "82.1 % > 76.7 %, no interval: holds")


def test_how_many_of_fifteen_are_written_whole_and_their_mean_over_seeds_is_not():
    def of(**ends: float) -> str:
        row = {"model": "a", "metric": "lower_ces", "n": 15, "n_full": 15}
        return judged("lower_ces[a] > 12", results(row | ends)).here

    assert of(value=4, low=3, high=7) == "4 [3, 7]"
    assert of(value=13 / 3, low=3, high=7) == "4.3 [3, 7]"


def test_an_interval_has_as_many_digits_as_its_number():
    """Neighbours so near that one digit more tells them apart."""
    ends = {"low": 0.8, "high": 0.9}
    table = results({"model": "a", "value": 0.8412} | ends, {"model": "b", "value": 0.8411} | ends)
    assert judged("mce[a] > mce[b]", table).here.startswith("84.12 % [80.00, 90.00]")


def test_below_zero_stands_the_minus_sign_of_pages():
    table = mces(a=0.5, b=0.75, c=0.5)
    found = judged("mce[a] - mce[b] > mce[b] - mce[c]", table)
    assert found.here == "−25.0 points against 25.0 points"


def test_a_claim_that_does_not_hold():
    found = judged("mce[denoised] > mce[plain]", mces(denoised=0.7, plain=0.767))
    assert (found.word, found.arithmetic) == (
        "does not hold",
        "70.0 % > 76.7 %, no interval: does not hold",
    )


@pytest.mark.parametrize(
    ("sign", "word"),
    [(">", "does not hold"), (">=", "holds"), ("<", "does not hold"), ("<=", "holds")],
)
def test_equal_values(sign, word):
    assert judged(f"mce[a] {sign} mce[b]", mces(a=1.0, b=1.0)).word == word


def test_close_values_are_spelled_so_that_they_differ():
    found = judged("mce[a] > mce[b]", mces(a=0.80012, b=0.8))
    assert found.arithmetic == "80.01 % > 80.00 %, no interval: holds"


def test_a_chain_holds_if_every_pair_does():
    chain = "mce[a] > mce[b] > mce[c]"
    assert judged(chain, mces(a=3.0, b=2.0, c=1.0)).word == "holds"
    assert judged(chain, mces(a=3.0, b=1.0, c=2.0)).word == "does not hold"
    assert judged(chain, mces(a=1.0, b=2.0, c=0.5)).word == "does not hold"


def test_a_missing_number_is_told_and_nothing_is_judged():
    found = judged("mce[a] > mce[b]", mces(a=1.0))
    assert (found.word, found.arithmetic) == ("missing", "no result for mce of b: missing")


def test_a_difference_is_compared():
    table = results(
        {"model": "a", "value": 0.9},
        {"model": "b", "value": 0.7},
        {"model": "a", "metric": "error", "value": 0.3},
        {"model": "b", "metric": "error", "value": 0.2},
    )
    found = judged("mce[a] - mce[b] > error[a] - error[b]", table)
    assert (found.word, found.arithmetic) == (
        "holds",
        "20.0 points > 10.0 points, no interval: holds",
    )


def test_counts_and_scores_are_no_percentages():
    table = results(
        {"metric": "images", "value": 81_413, "dataset": "pool"},
        {"metric": "images", "value": 80, "dataset": "chosen"},
        {"metric": "r_squared", "value": 0.93},
    )
    found = judged("images[dataset=pool] > images[dataset=chosen]", table)
    assert found.arithmetic == "81,413 > 80: holds"
    assert judged("r_squared[] > 0.8", table).arithmetic == "0.93 > 0.80, no interval: holds"


# Noise


def test_without_pairs_the_ends_of_both_intervals_bound_the_difference():
    table = results(
        {"model": "a", "value": 0.8, "low": 0.7, "high": 0.9},
        {"model": "b", "value": 0.75, "low": 0.7, "high": 0.8},
        {"model": "c", "value": 0.5, "low": 0.4, "high": 0.6},
    )
    found = judged("mce[a] > mce[b]", table)
    assert (found.word, found.here) == (
        "not decided",
        "80.0 % [70.0, 90.0] against 75.0 % [70.0, 80.0]",
    )
    assert found.arithmetic == "80.0 % > 75.0 % by 5.0 [−10.0, 20.0] points: not decided"
    assert judged("mce[a] < mce[b]", table).word == "not decided"
    assert judged("mce[b] > mce[c]", table).word == "holds"
    assert judged("mce[b] < mce[c]", table).word == "does not hold"


def drawn(model: str, right: np.ndarray, images: str = "toys", **more) -> Row:
    estimate = Estimate.of_rate([right], images=images)
    return Row.of(estimate, item="inc-fig2", dataset="toy", metric="accuracy", model=model, **more)


def test_pairs_decide_what_two_intervals_do_not():
    right = np.arange(400) % 2 == 0
    better = right | (np.arange(400) % 16 == 1)  # the same images, and 25 more
    table = Results.of([drawn("a", better), drawn("b", right)])
    a, b = table.rows
    assert a.low < b.high  # the intervals overlap
    found = judged("accuracy[a] > accuracy[b]", table)
    assert found.word == "holds"
    assert judged("accuracy[a] < accuracy[b]", table).word == "does not hold"
    apart = Results.of([drawn("a", better, "toys"), drawn("b", right, "others")])
    assert judged("accuracy[a] > accuracy[b]", apart).word == "not decided"


def test_seeds_are_pairs_and_fewer_than_five_decide_nothing():
    def row(model, *by_seed):
        return Row.of(
            Estimate.over(by_seed, n=9), item="inc-fig2", dataset="toy", metric="mce", model=model
        )

    table = Results.of(
        [
            row("a", 1.0, 0.9, 0.8, 0.9, 1.0),
            row("b", 0.9, 0.8, 0.7, 0.8, 0.9),
            row("c", 0.7, 0.8, 0.9, 0.8, 0.7),
            row("d", 1.0, 0.9, 0.8),
            row("e", 0.9, 0.8, 0.7),
        ]
    )
    assert judged("mce[a] > mce[b]", table).word == "holds"
    assert judged("mce[a] < mce[b]", table).word == "does not hold"
    assert judged("mce[b] > mce[c]", table).word == "not decided"
    found = judged("mce[d] > mce[e]", table)  # three trainings do not say how trainings vary
    assert found.arithmetic == "90.0 % > 80.0 %, from only 3 seeds: not decided"


def test_one_of_many_comparisons_is_against_by_more_than_chance():
    """One in twenty would lie outside its 95 % interval; for 40 networks that is no news."""
    rng = np.random.default_rng(0)
    middle = np.arange(400) % 2 == 0
    flip = rng.permutation(400)
    fooled = middle.copy()
    fooled[flip[:44]] ^= middle[flip[:44]]  # 22 or so lost
    fooled[[i for i in range(400) if not middle[i]][:8]] = True
    against = [drawn("net_0", fooled), drawn("standard", middle)]
    alone = judged("accuracy[net_*] > accuracy[standard]", Results.of(against))
    others = [drawn(f"net_{number}", np.ones(400, bool)) for number in range(1, 40)]
    among = judged("accuracy[net_*] > accuracy[standard]", Results.of(against + others))
    assert (alone.word, among.word) == ("does not hold", "not decided")
    assert among.arithmetic.startswith("holds for 39, not decided for 1 of 40 (net_0 ")
    # What is told is the interval that decided: alone it leaves out 0, as one of forty it does not.
    told = [re.search(r"\[(\S+), (\S+)\] points( \(99\.9 % interval\))?", one.arithmetic)
            for one in (alone, among)]  # fmt: skip
    assert told[0][2].startswith("−")
    assert told[0][3] is None
    assert not told[1][2].startswith("−")
    assert told[1][3]


def test_the_steps_of_a_chain_that_decide_are_told_with_their_intervals():
    chain = "mce[a] > mce[b] > mce[c] > mce[d]"
    found = judged(chain, mces(a=3.0, b=3.5, c=2.0, d=1.0))
    assert found.arithmetic.endswith(
        ": 2 of 3 steps hold, not 300.0 % > 350.0 %, no interval: does not hold"
    )


def test_counts_are_exact():
    table = results({"metric": "images", "value": 9, "dataset": "a"})
    assert judged("images[] > 8", table).arithmetic == "9 > 8: holds"


def test_draws_without_a_number_are_told():
    draws = Draws("toys", lambda: np.where(np.arange(100) < 5, np.nan, 1.0))
    row = replace(mces(a=1.0).rows[0], draws=draws)
    found = judged("mce[a] > 50%", Results.of([row]))
    assert found.word == "not decided"
    assert "undefined in too many resamples" in found.arithmetic


# Premises


def test_a_claim_is_judged_only_where_its_premise_holds():
    claim = "ce[a] > ce[b] if mce[a] < mce[b]"
    table = results(
        {"metric": "ce", "model": "a", "value": 1.2}, {"metric": "ce", "model": "b", "value": 1.1}
    )
    assert judged(claim, table + mces(a=0.8, b=0.9)).word == "holds"
    failed = judged(claim, table + mces(a=1.0, b=0.9))
    assert failed.word == "premise fails"
    assert failed.arithmetic == "premise 100.0 % < 90.0 %, no interval: does not hold"
    assert judged(claim, table).word == "missing"


def test_models_whose_premise_fails_are_counted_and_not_judged():
    ces = (
        {"metric": "ce", "model": m, "value": v}
        for m, v in (("s_1", 1.2), ("s_2", 0.9), ("b", 1.0))
    )
    table = results(*ces) + mces(s_1=0.8, s_2=1.1, b=0.9)
    found = judged("ce[s_*] > ce[b] if mce[s_*] < mce[b]", table)
    assert found.word == "holds"
    assert found.arithmetic.startswith("holds for 1 of 1; premise fails for 1 more (s_1 ")


def test_a_claim_about_all_waits_for_models_whose_premise_is_open():
    """Whether s_1 is one of the robust networks is not decided, and it would speak against."""
    rows = [
        {"model": "s_1", "value": 0.95, "low": 0.85, "high": 1.05},
        {"model": "s_2", "value": 0.8, "low": 0.75, "high": 0.85},
    ]
    rows += [
        {"model": model, "metric": "relative_mce", "value": value}
        for model, value in (("s_1", 1.2), ("s_2", 0.9))
    ]
    claim = "relative_mce[s_*] < 100% if mce[s_*] < 100%"
    found = judged(claim, results(*rows))
    assert found.word == "not decided"
    assert "premise fails for 1 more, and is open for 1 of these" in found.arithmetic
    rows[0] |= {"value": 1.1, "low": 1.05, "high": 1.15}
    assert judged(claim, results(*rows)).word == "holds"  # s_1 is none of them


def test_where_every_premise_fails_it_says_for_how_many():
    ces = ({"metric": "ce", "model": m, "value": 1.2} for m in ("s_1", "s_2", "b"))
    table = results(*ces) + mces(s_1=1.0, s_2=1.1, b=0.9)
    found = judged("ce[s_*] > ce[b] if mce[s_*] < mce[b]", table)
    assert found.word == "premise fails"
    assert found.arithmetic.startswith("premise fails for 2 of 2 (s_1 premise 100.0 % < 90.0 %")


# Patterns of models


def test_a_pattern_means_each_model_that_fits():
    claim = "mce[stability_*] > mce[plain]"
    found = judged(claim, mces(plain=0.7, stability_1=0.8, stability_2=0.9, other=0.1))
    assert found.word == "holds"
    assert found.arithmetic.startswith("holds for 2 of 2 (stability_1 80.0 % > 70.0 %")


def test_one_model_against_is_enough_and_is_named():
    found = judged("mce[s_*] > mce[plain]", mces(plain=0.7, s_1=0.8, s_2=0.6))
    assert found.word == "does not hold"
    assert found.arithmetic == (
        "holds for 1, does not hold for 1 of 2 (s_2 60.0 % > 70.0 %, no interval: does not hold)"
    )


def test_the_pattern_is_the_same_model_in_every_term():
    table = results(
        *(
            {"model": m, "dataset": d, "metric": "map", "value": v}
            for m, d, v in (
                ("a", "nao", 0.1),
                ("a", "coco_val", 0.2),
                ("b", "nao", 0.5),
                ("b", "coco_val", 0.6),
            )
        )
    )
    claim = "map[*] < map[*, dataset=coco_val]"
    assert judged(claim, table, dataset="nao").word == "holds"


def test_a_model_that_lacks_a_number_is_left_out_and_counted():
    table = mces(a=0.9, b=0.5) + results({"model": "a", "metric": "error", "value": 0.2})
    found = judged("mce[*] > error[*]", table)
    assert found.word == "holds"
    assert found.arithmetic.startswith("holds for 1 of 1; no number for 1 more (a ")


def test_no_model_at_all_is_missing():
    found = judged("mce[s_*] > 50%", mces(a=0.9))
    assert (found.word, found.arithmetic) == (
        "missing",
        "no result for a model that fits s_*: missing",
    )


def test_a_pattern_is_about_the_papers_names():
    table = mces(small=0.9, small_augmented=0.8)
    roles = {"resnet50": "small", "resnet50_augmix": "small_augmented"}
    found = judged("mce[resnet50_*] < mce[resnet50]", table, roles=roles)
    assert found.word == "holds"
    # It is no ResNet-50, so its own name is shown.
    assert "(small_augmented 80.0 % < 90.0 %" in found.arithmetic


# Lists of networks, and most of them

TABLE_1 = ["alexnet", "squeezenet1_1", "vgg11", "vgg19", "vgg19_bn", "resnet18", "resnet50"]


def test_a_list_is_about_the_papers_networks_and_tells_of_the_others():
    table = mces(vgg11=0.9, vgg19=0.8, convnext=0.2, vit=0.7, resnet50=0.5)
    found = judged("mce[@inc-tab1] > 60%", table)
    assert (found.word, found.arithmetic) == (
        "does not hold",
        "holds for 2, does not hold for 1 of 3 networks of the paper (resnet50 50.0 % > 60.0 %, "
        "no interval: does not hold); also holds for 1 of 2 other networks",
    )


def test_later_networks_alone_refute_nothing():
    found = judged("mce[@inc-tab1] > 60%", mces(convnext=0.2))
    assert (found.word, found.arithmetic) == (
        "missing",
        "no result for a model that fits @inc-tab1: missing; also holds for 0 of 1 other network",
    )


def test_networks_that_are_left_out_are_neither_counted_nor_told_of():
    table = mces(resnet50=0.1, densenet121=0.9, resnext50_32x4d_200=0.1)
    found = judged("mce[@nae] > 60%", table)
    assert (found.word, found.arithmetic) == (
        "holds",
        "holds for 1 of 1 networks of the paper (densenet121 90.0 % > 60.0 %, no interval: holds)",
    )


def test_the_network_that_others_are_compared_with_is_not_one_of_a_list():
    table = mces(**dict.fromkeys(TABLE_1, 1.0))
    found = judged("mce[@inc-tab1] >= mce[alexnet]", table)
    assert found.arithmetic.startswith("holds for 6 of 6 networks of the paper")


def test_networks_in_the_place_of_the_papers_are_called_relatives():
    table = mces(**dict.fromkeys([f"{name}_mini" for name in TABLE_1], 1.0))
    roles = {name: f"{name}_mini" for name in TABLE_1}
    found = judged("mce[@inc-tab1] >= mce[alexnet]", table, roles=roles)
    told = "holds for 6 of 6 stand-ins for the paper's networks (squeezenet1_1 100.0 %"
    assert found.arithmetic.startswith(told)


def test_a_list_that_there_is_not_is_refused():
    with pytest.raises(InputError, match="inc-tab9"):
        judged("mce[@inc-tab9] > 1", mces(a=1.0))


@pytest.mark.parametrize(("least", "word"), [(0.9, "holds"), (0.5, "does not hold")])
def test_most_is_more_than_half(least, word):
    table = mces(a=0.9, b=least, c=0.1, d=0.7 if word == "holds" else 0.2)
    assert judged("most mce[*] > 60%", table).word == word


def test_half_is_not_most():
    assert judged("most mce[*] > 60%", mces(a=0.9, b=0.1)).word == "does not hold"


def test_most_is_open_while_enough_are():
    table = mces(a=0.9, b=0.1) + results({"model": "c", "value": 0.6, "low": 0.5, "high": 0.7})
    assert judged("most mce[*] > 60%", table).word == "not decided"


@pytest.mark.parametrize(("holding", "word"), [(5, "holds"), (4, "holds"), (3, "does not hold")])
def test_nearly_all_are_four_in_five(holding, word):
    table = mces(**{name: 0.9 if place < holding else 0.1 for place, name in enumerate("abcde")})
    assert judged("nearly all mce[*] > 60%", table).word == word


def test_nearly_all_is_open_while_enough_are():
    table = mces(a=0.9, b=0.9, c=0.9, d=0.1)
    undecided = results({"model": "e", "value": 0.6, "low": 0.5, "high": 0.7})
    assert judged("nearly all mce[*] > 60%", table + undecided).word == "not decided"


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (-0.02, 0.04, "holds"),
        (0.02, 0.06, "not decided"),  # no difference was shown, and no likeness either
        (-0.08, 0.09, "not decided"),
        (0.06, 0.09, "does not hold"),
        (-0.09, -0.06, "does not hold"),
    ],
)
def test_numbers_are_alike_where_the_whole_interval_lies_between_the_bounds(low, high, word):
    """Bounds take the error of one comparison: both ends inside, or all of it beyond one."""
    drawn = np.linspace(low, high, 1001)
    middle = (low + high) / 2
    rows = (
        {"model": "a", "metric": "error", "value": 0.5 + middle, "draws": Draws("toys", lambda: (
            0.5 + drawn
        ))},
        {"model": "b", "metric": "error", "value": 0.5, "draws": Draws("toys", lambda: (
            np.full(1001, 0.5)
        ))},
    )  # fmt: skip
    table = Results.of(Row(item="inc-fig2", dataset="toy", n=10, n_full=10, **row) for row in rows)
    found = judged("-5% < error[a] - error[b] < 5%", table)
    assert found.word == word
    assert f"{100 * middle:.1f} points".replace("-", "−") in found.arithmetic
    assert ", of [" in found.arithmetic


# Finding a number


def test_the_items_own_rows_go_first():
    table = mces(a=0.9, b=0.8) + results({"item": "inc-tab1", "model": "a", "value": 0.1})
    assert judged("mce[a] > mce[b]", table).word == "holds"


def test_rows_of_other_items_are_used_if_there_is_no_own():
    table = results({"item": "inc-tab1", "model": "a", "value": 0.9})
    assert judged("mce[a] > 50%", table).word == "holds"


def test_different_rows_of_other_items_are_not_guessed_between():
    table = results(
        {"item": "inc-tab1", "model": "a", "value": 0.9},
        {"item": "inc-tab2", "model": "a", "value": 0.8},
    )
    found = judged("mce[a] > 50%", table)
    assert found.word == "missing"
    assert (
        "different results for mce of a under the items inc-tab1 and inc-tab2" in found.arithmetic
    )


def test_a_model_in_a_role_is_found():
    found = judged("mce[resnet50] > 50%", mces(small=0.9), roles={"resnet50": "small"})
    assert found.word == "holds"


def test_the_only_data_set_stands_in_where_none_is_named():
    assert judged("mce[a] > 50%", mces(a=0.9), dataset="imagenet_c").word == "holds"


def test_a_named_data_set_needs_a_stand_in():
    claim = "mce[a, dataset=imagenet_c] > 50%"
    found = judged(claim, mces(a=0.9))
    assert (found.word, found.arithmetic) == (
        "missing",
        "no result on imagenet_c for mce of a: missing",
    )
    assert judged(claim, mces(a=0.9), datasets={"imagenet_c": "toy"}).word == "holds"


def test_nothing_stands_in_for_a_data_set_that_is_there():
    table = mces(a=0.9) + results({"model": "b", "dataset": "imagenet_c", "value": 0.8})
    assert judged("mce[a] > 50%", table, dataset="imagenet_c").word == "missing"
    assert judged("mce[*] > 50%", table, dataset="imagenet_c").arithmetic.startswith(
        "holds for 1 of 1; no number for 1 more (b 80.0 %"
    )


def test_the_groups_of_a_data_set_go_with_it():
    table = results({"metric": "images", "value": 5, "dataset": "toy/kept"})
    claim = "images[dataset=dragonfly/kept] > 1"
    assert judged(claim, table, datasets={"dragonfly": "toy"}).word == "holds"


def test_several_data_sets_or_conventions_are_not_guessed_between():
    two = mces(a=0.9) + results({"model": "a", "dataset": "toy2", "value": 0.8})
    found = judged("mce[a] > 50%", two, dataset="imagenet_c")
    assert found.word == "missing"
    assert "set datasets= to the one that stands for imagenet_c" in found.arithmetic
    found = judged("mce[*] > 50%", two + mces(b=0.9), dataset="imagenet_c")
    assert found.word == "missing"
    two = results(
        {"model": "a", "value": 0.9, "convention": "jpeg85"},
        {"model": "a", "value": 0.4, "convention": "memory"},
    )
    assert "in the conventions jpeg85 and memory" in judged("mce[a] > 50%", two).arithmetic
    assert judged("mce[a, convention=memory] > 50%", two).word == "does not hold"
    assert judged("mce[a, convention=jpeg85] > 50%", two).word == "holds"
