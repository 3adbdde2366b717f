"""Directional claims: the grammar, what it refuses, and how a claim is judged."""

import pytest

from robust_lib.errors import InputError
from robust_lib.results.claims import judge, parse
from robust_lib.results.lookup import Lookup, Where
from robust_lib.results.row import row_of
from robust_lib.results.table import Results


def results(*rows: dict) -> Results:
    base = {"item": "inc-fig2", "dataset": "toy", "metric": "mce", "n": 10, "n_full": 10}
    return Results.of(row_of(base | row) for row in rows)


def mces(**values: float) -> Results:
    return results(*({"model": model, "value": value} for model, value in values.items()))


def judged(text: str, table: Results, **options):
    dataset = options.pop("dataset", None)
    return judge(parse(text, dataset), Lookup(results=table, item="inc-fig2", **options))


# The grammar


def test_a_term_has_a_model_and_conditions():
    claim = parse("ce[resnet50, corruption=fog, severity=3, k=10, convention=x] > 1", "imagenet_c")
    assert claim.terms == (
        Where(
            metric="ce",
            model="resnet50",
            corruption="fog",
            severity=3,
            k=10,
            dataset="imagenet_c",
            convention="x",
        ),
    )


def test_where_one_data_set_is_named_all_must_be_the_ones():
    first, second = parse("map[a] < map[a, dataset=coco_val]", "nao").terms
    assert (first.dataset, first.exact) == ("nao", True)
    assert (second.dataset, second.exact) == ("coco_val", True)
    assert [term.exact for term in parse("map[a] < map[b]", "nao").terms] == [False, False]


def test_a_number_is_never_compared_with_itself_on_another_data_set():
    table = results({"model": "a", "metric": "accuracy", "value": 0.9, "dataset": "val"})
    found = judged("accuracy[*] < accuracy[*, dataset=val]", table, dataset="imagenet_a")
    assert (found.holds, found.arithmetic) == (
        None,
        "no result on imagenet_a for accuracy of a: missing",
    )


def test_a_term_may_have_no_model():
    assert parse("r_squared[] > 0.8").terms == (Where(metric="r_squared"),)


def test_constants_may_be_negative_or_in_percent():
    sides = parse("-1% < drop[a] - drop[b] < 0.5").sides
    assert [side.constant for side in sides] == [-0.01, 0.0, 0.5]
    assert [len(side.terms) for side in sides] == [0, 2, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mce[a]", "Expected a comparison with one of >, >=, <, <="),
        ("mce[a] = mce[b]", "Expected a comparison"),
        ("goodness[a] > 1", r"Expected a known metric .*got 'goodness\[a\]'"),
        ("mce > 1", "Expected a known metric"),
        ("mce[a] > ", "Expected a known metric.*but got ''"),
        ("mce[a] + mce[b] > 1", "Expected a known metric"),
        ("mce[a] - mce[b] - mce[c] > 1", "a difference of two numbers at most"),
        ("mce[a, b] > 1", "Expected a model, or one of corruption"),
        ("mce[a, layer=3] > 1", "but got 'layer=3'"),
        ("mce[a, k=1, k=2] > 1", "but got 'k=2'"),
        ("mce[a, corruption=] > 1", "but got 'corruption='"),
        ("mce[a, k=ten] > 1", "Expected a whole number for k, but got 'ten'"),
        ("mce[a*] > mce[b*]", "at most one pattern"),
        ("mce[@nae] > mce[b*]", "at most one pattern"),
        ("most mce[a] > 1", "a pattern of models with most"),
        ("__import__('os').system('true') > 1", "Expected a known metric"),
    ],
)
def test_what_is_not_in_the_grammar_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        parse(text)


# Judging


def test_a_claim_holds_with_its_arithmetic():
    found = judged("mce[denoised] > mce[plain]", mces(denoised=0.821, plain=0.767))
    assert (found.holds, found.arithmetic) == (True, "82.1 % > 76.7 %: holds")


def test_a_claim_that_does_not_hold():
    found = judged("mce[denoised] > mce[plain]", mces(denoised=0.7, plain=0.767))
    assert (found.holds, found.arithmetic) == (False, "70.0 % > 76.7 %: does not hold")


@pytest.mark.parametrize(
    ("sign", "holds"), [(">", False), (">=", True), ("<", False), ("<=", True)]
)
def test_equal_values(sign, holds):
    assert judged(f"mce[a] {sign} mce[b]", mces(a=1.0, b=1.0)).holds is holds


def test_close_values_are_spelled_so_that_they_differ():
    found = judged("mce[a] > mce[b]", mces(a=0.80012, b=0.8))
    assert found.arithmetic == "80.01 % > 80.00 %: holds"


def test_a_chain_holds_if_every_pair_does():
    chain = "mce[a] > mce[b] > mce[c]"
    assert judged(chain, mces(a=3.0, b=2.0, c=1.0)).holds is True
    assert judged(chain, mces(a=3.0, b=1.0, c=2.0)).holds is False
    assert judged(chain, mces(a=1.0, b=2.0, c=0.5)).holds is False


def test_a_missing_number_is_told_and_nothing_is_judged():
    found = judged("mce[a] > mce[b]", mces(a=1.0))
    assert (found.holds, found.arithmetic) == (None, "no result for mce of b: missing")


def test_a_difference_is_compared():
    table = results(
        {"model": "a", "value": 0.9},
        {"model": "b", "value": 0.7},
        {"model": "a", "metric": "error", "value": 0.3},
        {"model": "b", "metric": "error", "value": 0.2},
    )
    found = judged("mce[a] - mce[b] > error[a] - error[b]", table)
    assert (found.holds, found.arithmetic) == (True, "20.0 % > 10.0 %: holds")


def test_counts_and_scores_are_no_percentages():
    table = results(
        {"metric": "images", "value": 81_413, "dataset": "pool"},
        {"metric": "images", "value": 80, "dataset": "chosen"},
        {"metric": "r_squared", "value": 0.93},
    )
    found = judged("images[dataset=pool] > images[dataset=chosen]", table)
    assert found.arithmetic == "81,413 > 80: holds"
    assert judged("r_squared[] > 0.8", table).arithmetic == "0.9 > 0.8: holds"


def test_overlapping_intervals_are_told_and_do_not_change_the_judgement():
    table = results(
        {"model": "a", "value": 0.8, "low": 0.7, "high": 0.9},
        {"model": "b", "value": 0.75, "low": 0.7, "high": 0.8},
        {"model": "c", "value": 0.5, "low": 0.4, "high": 0.6},
    )
    assert judged("mce[a] > mce[b]", table).arithmetic.endswith(": holds, intervals overlap")
    assert judged("mce[a] < mce[b]", table).arithmetic.endswith("hold, intervals overlap")
    assert judged("mce[b] > mce[c]", table).arithmetic.endswith(": holds")


# Patterns of models


def test_a_pattern_means_each_model_that_fits():
    claim = "mce[stability_*] > mce[plain]"
    found = judged(claim, mces(plain=0.7, stability_1=0.8, stability_2=0.9, other=0.1))
    assert found.holds is True
    assert found.arithmetic.startswith("holds for 2 of 2 models (stability_1 80.0 % > 70.0 %")


def test_one_model_against_is_enough_and_is_named():
    found = judged("mce[s_*] > mce[plain]", mces(plain=0.7, s_1=0.8, s_2=0.6))
    assert found.holds is False
    assert found.arithmetic == ("holds for 1 of 2 models (s_2 60.0 % > 70.0 %: does not hold)")


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
    assert judged(claim, table, dataset="nao").holds is True


def test_a_model_that_lacks_a_number_is_left_out():
    table = mces(a=0.9, b=0.5) + results({"model": "a", "metric": "error", "value": 0.2})
    assert judged("mce[*] > error[*]", table).holds is True


def test_no_model_at_all_is_missing():
    found = judged("mce[s_*] > 50%", mces(a=0.9))
    assert (found.holds, found.arithmetic) == (
        None,
        "no result for a model that fits s_*: missing",
    )


def test_a_pattern_is_about_the_papers_names():
    table = mces(small=0.9, small_augmented=0.8)
    roles = {"resnet50": "small", "resnet50_augmix": "small_augmented"}
    found = judged("mce[resnet50_*] < mce[resnet50]", table, roles=roles)
    assert found.holds is True
    assert "resnet50_augmix" in found.arithmetic


# Lists of networks, and most of them

TABLE_1 = ["alexnet", "squeezenet1_1", "vgg11", "vgg19", "vgg19_bn", "resnet18", "resnet50"]


def test_a_list_is_about_the_papers_networks_and_tells_of_the_others():
    table = mces(vgg11=0.9, vgg19=0.8, convnext=0.2, vit=0.7, resnet50=0.5)
    found = judged("mce[@inc-tab1] > 60%", table)
    assert (found.holds, found.arithmetic) == (
        False,
        "holds for 2 of 3 networks of the paper (resnet50 50.0 % > 60.0 %: does not hold); "
        "and for 1 of 2 other networks",
    )


def test_later_networks_alone_refute_nothing():
    found = judged("mce[@inc-tab1] > 60%", mces(convnext=0.2))
    assert (found.holds, found.arithmetic) == (
        None,
        "no result for a model that fits @inc-tab1: missing; and for 0 of 1 other network",
    )


def test_networks_that_are_left_out_are_neither_counted_nor_told_of():
    table = mces(resnet50=0.1, densenet121=0.9, resnext50_32x4d_200=0.1)
    found = judged("mce[@nae] > 60%", table)
    assert (found.holds, found.arithmetic) == (True, "densenet121 90.0 % > 60.0 %: holds")


def test_the_network_that_others_are_compared_with_is_not_one_of_a_list():
    table = mces(**dict.fromkeys(TABLE_1, 1.0))
    found = judged("mce[@inc-tab1] >= mce[alexnet]", table)
    assert found.arithmetic.startswith("holds for 6 of 6 networks of the paper")


def test_a_list_that_there_is_not_is_refused():
    with pytest.raises(InputError, match="inc-tab9"):
        judged("mce[@inc-tab9] > 1", mces(a=1.0))


@pytest.mark.parametrize(("least", "holds"), [(0.9, True), (0.5, False)])
def test_most_is_more_than_half(least, holds):
    found = judged("most mce[*] > 60%", mces(a=0.9, b=least, c=0.1, d=0.7 if holds else 0.2))
    assert found.holds is holds


def test_half_is_not_most():
    assert judged("most mce[*] > 60%", mces(a=0.9, b=0.1)).holds is False


# Finding a number


def test_the_items_own_rows_go_first():
    table = mces(a=0.9, b=0.8) + results({"item": "inc-tab1", "model": "a", "value": 0.1})
    assert judged("mce[a] > mce[b]", table).holds is True


def test_rows_of_other_items_are_used_if_there_is_no_own():
    table = results({"item": "inc-tab1", "model": "a", "value": 0.9})
    assert judged("mce[a] > 50%", table).holds is True


def test_different_rows_of_other_items_are_not_guessed_between():
    table = results(
        {"item": "inc-tab1", "model": "a", "value": 0.9},
        {"item": "inc-tab2", "model": "a", "value": 0.8},
    )
    found = judged("mce[a] > 50%", table)
    assert found.holds is None
    assert (
        "different results for mce of a under the items inc-tab1 and inc-tab2" in found.arithmetic
    )


def test_a_model_in_a_role_is_found():
    found = judged("mce[resnet50] > 50%", mces(small=0.9), roles={"resnet50": "small"})
    assert found.holds is True


def test_the_only_data_set_stands_in_where_none_is_named():
    assert judged("mce[a] > 50%", mces(a=0.9), dataset="imagenet_c").holds is True


def test_a_named_data_set_needs_a_stand_in():
    claim = "mce[a, dataset=imagenet_c] > 50%"
    found = judged(claim, mces(a=0.9))
    assert (found.holds, found.arithmetic) == (
        None,
        "no result on imagenet_c for mce of a: missing",
    )
    assert judged(claim, mces(a=0.9), datasets={"imagenet_c": "toy"}).holds is True


def test_nothing_stands_in_for_a_data_set_that_is_there():
    table = mces(a=0.9) + results({"model": "b", "dataset": "imagenet_c", "value": 0.8})
    assert judged("mce[a] > 50%", table, dataset="imagenet_c").holds is None
    assert judged("mce[*] > 50%", table, dataset="imagenet_c").arithmetic.startswith("b 80.0 %")


def test_the_groups_of_a_data_set_go_with_it():
    table = results({"metric": "images", "value": 5, "dataset": "toy/kept"})
    claim = "images[dataset=dragonfly/kept] > 1"
    assert judged(claim, table, datasets={"dragonfly": "toy"}).holds is True


def test_several_data_sets_or_conventions_are_not_guessed_between():
    two = mces(a=0.9) + results({"model": "a", "dataset": "toy2", "value": 0.8})
    found = judged("mce[a] > 50%", two, dataset="imagenet_c")
    assert found.holds is None
    assert "datasets= says which of them stands for imagenet_c" in found.arithmetic
    found = judged("mce[*] > 50%", two + mces(b=0.9), dataset="imagenet_c")
    assert found.holds is None
    two = results(
        {"model": "a", "value": 0.9, "convention": "jpeg85"},
        {"model": "a", "value": 0.4, "convention": "memory"},
    )
    assert "in the conventions jpeg85 and memory" in judged("mce[a] > 50%", two).arithmetic
    assert judged("mce[a, convention=memory] > 50%", two).holds is False
    assert judged("mce[a, convention=jpeg85] > 50%", two).holds is True
