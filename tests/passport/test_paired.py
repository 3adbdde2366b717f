"""Paired differences of each metric, against slow code on the same answers."""

import numpy as np
import pandas as pd
import pytest

from robust_lib import seeds
from robust_lib.metrics.anomaly import aupr
from robust_lib.metrics.calibration import aurra, rms_calibration_error
from robust_lib.passport.paired import draws
from robust_lib.passport.record import Number, Section
from robust_lib.vocabulary import COMMON

N = 240
IDS = [f"{place:03}" for place in range(N)]


def table(model, dataset, right=0.6, *, sets=False):
    """What a toy model says of a toy set; both models' answers hang together."""
    shared = seeds.generator("shared", dataset).random(N)
    own = seeds.generator("own", model, dataset).random(N)
    hard = 0.7 * shared + 0.3 * own
    frame = pd.DataFrame(
        {"right": hard < right, "sure": 1 - 0.8 * hard, "reach": -1, "together": None},
        index=pd.Index(IDS, name="id"),
    )
    if sets:
        frame.loc[IDS[::3], "reach"] = np.maximum(18 * (0.9 - hard[::3]), 0).astype(int)
    # A file may have its rows in any order.
    return frame if model == "one" else frame.iloc[::-1]


def number(metric, dataset="toy", value=0.5, **more):
    return Number(item="inc-tab1", metric=metric, dataset=dataset, value=value, **more)


def section(*numbers, sets=()):
    return Section(benchmark="toy", title="Toy", paper="inc", numbers=numbers, sets=sets)


def both(*datasets, **how):
    return tuple({name: table(model, name, **how) for name in datasets} for model in ("one", "two"))


def holds(found, exact):
    """Whether draws scatter about the exact difference, and do scatter."""
    assert len(found) == 1000
    assert found.std() > 0
    assert abs(found.mean() - exact) < 0.3 * found.std()


def test_accuracies_and_errors_have_opposite_signs():
    said = both("toy")
    exact = said[1]["toy"]["right"].mean() - said[0]["toy"]["right"].mean()
    accuracy = draws(number("accuracy"), section(), said)
    holds(accuracy, exact)
    np.testing.assert_array_equal(accuracy, -draws(number("error"), section(), said))


def test_images_of_one_drawing_are_resampled_together():
    """Eight copies of each image know no more than one: the difference varies as much."""
    said = both("toy")
    few = [{"toy": one["toy"].loc[IDS[:30]]} for one in said]
    copies = []
    for one in few:
        frame = one["toy"].loc[IDS[:30]].loc[np.repeat(IDS[:30], 8)]
        frame["together"] = frame.index
        frame.index = pd.Index(IDS, name="id")
        copies.append({"toy": frame})
    for metric in ("error", "aurra"):
        alone, grouped = (
            draws(number(metric), section(), tuple(side)).std() for side in (few, copies)
        )
        assert 0.7 < grouped / alone < 1.5, metric


def errors_of(name, said, relative):
    """The first model's numbers of a corruption, whose normaliser errs as often as it is told."""
    base = 0.5 + COMMON.index(name) / 100
    clean = 1 - said["toy"]["right"].mean()
    steps = [
        number("error", "toy_c", 1 - said[f"toy_c/{name}/{step}"]["right"].mean(), corruption=name,
               severity=step)
        for step in (1, 5)
    ]  # fmt: skip
    lost = sum(one.value - clean * relative for one in steps)
    metric = "relative_ce" if relative else "ce"
    return base, [*steps, number(metric, "toy_c", lost / base, corruption=name)]


@pytest.mark.parametrize("relative", [False, True])
def test_mces_and_relative_mces_are_means_of_fifteen_quotients(relative):
    said = both("toy", right=0.9)
    for model, side in zip(("one", "two"), said, strict=True):
        for name in COMMON:
            for step in (1, 5):
                key = f"toy_c/{name}/{step}"
                side[key] = table(model, key, right=0.7 - step / 10)
    numbers, exact = [number("error", value=1 - said[0]["toy"]["right"].mean())], []
    for name in COMMON:
        base, made = errors_of(name, said[0], relative)
        numbers += made
        lost = [
            sum(1 - side[f"toy_c/{name}/{step}"]["right"].mean() for step in (1, 5))
            - relative * 2 * (1 - side["toy"]["right"].mean())
            for side in said
        ]
        exact.append((lost[1] - lost[0]) / base)
    metric = "relative_mce" if relative else "mce"
    holds(draws(number(metric, "toy_c"), section(*numbers), said), np.mean(exact))
    alone = number("relative_ce" if relative else "ce", "toy_c", corruption="fog")
    holds(draws(alone, section(*numbers), said), exact[COMMON.index("fog")])
    # Of fourteen there is no mean.
    del said[1]["toy_c/fog/5"]
    assert draws(number(metric, "toy_c"), section(*numbers), said) is None


@pytest.mark.parametrize("k", [0, 10])
def test_frames_are_paired_over_sets_of_frames(k):
    said = both("frames", sets=True)
    hits = [side["frames"].query("reach >= 0")["reach"] > k for side in said]
    holds(draws(number("pm_accuracy", "frames", k=k), section(), said),
          hits[1].mean() - hits[0].mean())  # fmt: skip


def test_foreign_pictures_and_ordinary_ones_are_resampled_apart():
    said = both("foreign", "ordinary")
    exact = [aupr(*(-side[name]["sure"].to_numpy() for name in ("ordinary", "foreign")))
             for side in said]  # fmt: skip
    asked = section(sets=("foreign", "ordinary"))
    holds(draws(number("aupr", "foreign"), asked, said), exact[1] - exact[0])
    assert draws(number("aupr", "foreign"), section(), said) is None  # ordinary ones are unknown


def test_calibration_and_aurra_are_those_of_the_same_pictures():
    said = both("toy")
    for metric, slow in (("aurra", aurra), ("rms_calibration_error", rms_calibration_error)):
        one, two = (slow(side["toy"]["sure"].to_numpy(), side["toy"]["right"].to_numpy())
                    for side in said)  # fmt: skip
        holds(draws(number(metric), section(), said), two - one)


def test_a_model_does_not_differ_from_itself():
    said = both("toy", "other", sets=True)
    same = said[0], said[0]
    asked = section(sets=("toy", "other"))
    for metric in ("accuracy", "pm_accuracy", "aupr", "aurra", "rms_calibration_error"):
        assert (draws(number(metric), asked, same) == 0).all(), metric


def test_answers_to_other_images_or_none_are_not_paired():
    one, two = both("toy")
    fewer = {"toy": two["toy"].iloc[:-1]}
    unsaid = {"toy": two["toy"].assign(sure=np.nan)}
    assert draws(number("accuracy"), section(), (one, fewer)) is None
    assert draws(number("accuracy"), section(), (one, {})) is None
    assert draws(number("aurra"), section(), (one, unsaid)) is None
    assert draws(number("map"), section(), (one, two)) is None
