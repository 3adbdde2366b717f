"""Directional claims: the grammar, and what it refuses."""

import pytest

from robust_lib.errors import InputError
from robust_lib.results.claims import parse
from robust_lib.results.lookup import Where

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
        ("nearly all mce[a] > 1", "a pattern of models with nearly all"),
        ("__import__('os').system('true') > 1", "Expected a known metric"),
    ],
)
def test_what_is_not_in_the_grammar_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        parse(text)


def test_what_follows_if_is_the_premise():
    claim = parse("ce[a] > ce[b] if mce[a] < mce[b] and error[a] < 5%", "imagenet_c")
    assert [term.metric for term in claim.terms] == ["ce", "ce", "mce", "mce", "error"]
    assert [premise.operators for premise in claim.premises] == [("<",), ("<",)]


def test_the_pattern_is_the_same_model_in_the_premise():
    claim = parse("ce[s_*] > ce[b] if mce[s_*] < mce[b]").about("s_1")
    assert [term.model for term in claim.premises[0].terms] == ["s_1", "b"]
