"""The steps of filtration: each rule beside a plain loop over its sentences."""

import numpy as np

from robust_lib.curation.filtration_steps import adversarial_steps, anomalous_steps


def test_a_candidate_of_imagenet_a_falls_at_the_first_rule_that_it_breaks():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 300)
    first = np.where(rng.random(300) < 0.3, -1, rng.integers(0, 3, 300))
    predicted = np.stack([first, first], axis=1)
    shares = rng.random((300, 2)) * 0.2
    steps, kept = adversarial_steps(labels, predicted, shares, 0.15, 5), {}
    for place, step in enumerate(steps):
        pair = labels[place], first[place]
        if first[place] == -1:
            expected = "correct"
        elif shares[place].max() > 0.15:
            expected = "confident"
        elif kept.get(pair, 0) == 5:
            expected = "confusion"
        else:
            expected, kept[pair] = "shortlisted", kept.get(pair, 0) + 1
        assert step == expected
    assert set(steps) == {"correct", "confident", "confusion", "shortlisted"}


def test_without_a_most_no_pair_is_full():
    many = np.zeros(40, np.int64)
    told = np.ones((40, 1), np.int64), np.zeros((40, 1))
    assert set(adversarial_steps(many, *told, 0.15, None)) == {"shortlisted"}
    assert adversarial_steps(many, *told, 0.15, 15).count("confusion") == 25


def test_a_candidate_of_imagenet_o_must_be_taken_surely_and_seldom():
    sure = np.array([0.8, 0.79, 1.0, 0.9, 0.95])
    named = np.array([2, 2, 2, 2, 0])
    found = anomalous_steps(named, sure, 0.8, 2)
    assert found == ("shortlisted", "unconfident", "shortlisted", "repeated", "shortlisted")
    assert anomalous_steps(named, sure, 0.8, None).count("repeated") == 0
