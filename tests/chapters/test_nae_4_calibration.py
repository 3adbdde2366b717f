"""The chapter on calibration: its blocks, of known predictions, and the numbers in its prose."""

import math
from dataclasses import replace

import numpy as np
import pytest

from robust_book.chapters import nae_4_calibration
from robust_book.chapters import nae_4_calibration as chapter
from robust_lib.metrics.intervals import clopper_pearson
from robust_lib.protocols.nae import calibration
from robust_lib.results.estimate import Draws, Estimate
from robust_lib.run.network import network_title
from tests.chapters.toys import texts
from tests.protocols.nae.toys import NAMES, masked

PAIR = ("resnext101_32x4d_mini", "resnext101_32x4d_se_mini")
IMAGENET_A = masked("scenes_a_filtered", dict(zip(PAIR, (60, 90), strict=True)), images=300)


@pytest.fixture
def results(page):
    return calibration.results(IMAGENET_A, page.run.paper_names, samples=100)


def test_response_rates_are_those_of_the_first_pair(page, results):
    block = str(chapter.response_rates(page, results, IMAGENET_A))
    assert "n = 300" in block
    assert texts(block, "td")[:3] == [
        "100.0 [88.4, 100.0]", "40.0 [32.1, 48.3]", "20.0 [15.6, 25.0]",
    ]  # fmt: skip
    assert "100 %" in texts(block, "th")
    curve = chapter.response_curves(results)[PAIR[0]]
    assert list(curve) == list(range(1, 101))
    assert curve[100][1:] == pytest.approx([100 * end for end in clopper_pearson(60, 300)])
    frame = chapter.response_frame(results)
    assert list(frame.columns) == ["Network", "10 %", "50 %", "100 %"]
    assert [cell.value for cell in frame["100 %"]] == pytest.approx([20, 30])
    surest, half, every = frame.iloc[0, 1:]
    assert every.high - every.low < half.high - half.low  # fewer answers tell less
    low, high = clopper_pearson(60, 300)
    assert (every.low, every.high) == pytest.approx((100 * low, 100 * high))
    assert surest.low <= surest.value <= surest.high


def test_calibration_errors_stand_in_both_variants(page, results):
    block = str(chapter.attention(page, results, IMAGENET_A))
    assert "Calibration error: bins of 100 images, the last bin omitted" in block
    frame = chapter.calibration_frame(results, "nae-fig14")
    for column, metric in {
        "Authors'": "rms_calibration_error",
        "All bins": "rms_calibration_error_all_bins",
        "AURRA": "aurra",
    }.items():
        row = results.row(item="nae-fig14", model=PAIR[0], metric=metric)
        assert frame[column][0].value == 100 * row.value
    rows = results.select(item="nae-fig14", model=PAIR[0]).rows
    ends = {(round(100 * row.low, 9), round(100 * row.high, 9)) for row in rows}
    assert {(round(cell.low, 9), round(cell.high, 9)) for cell in frame.iloc[0, 1:]} <= ends


def test_too_few_pictures_have_no_calibration_error_but_an_aurra(page):
    few = calibration.results(
        masked("scenes_a_filtered", dict.fromkeys(PAIR, 40), images=150),
        page.run.paper_names,
        samples=100,
    )
    (row, _) = chapter.calibration_frame(few, "nae-fig14").to_dict("records")
    assert math.isnan(row["Authors'"])
    assert row["AURRA"].value > 0
    numbers = chapter.key_numbers(few, PAIR[0], IMAGENET_A, IMAGENET_A)
    assert numbers["error"].text == "an undefined share"
    assert numbers["aurra"].value > 0


def test_one_diagram_has_both_kinds_of_pictures(page):
    block = str(chapter.reliability(page, IMAGENET_A, IMAGENET_A, PAIR))
    assert 'id="fig-reliability"' in block
    assert {"hard", "ordinary", "share (%)"} <= set(texts(block, "text"))
    assert block.count("ResNeXt-101 (32x4d)") >= 2


def test_a_run_without_the_pair_shows_what_it_has():
    alone = masked("imagenet_a", {"small": 40}, images=300)
    assert chapter.looked_at(alone, NAMES) == ("small",)
    both = masked("imagenet_a", {"small": 40, "plain": 1, "attentive": 2}, images=300)
    assert chapter.looked_at(both, NAMES) == ("plain", "attentive", "small")  # no pair holds it


def test_the_prose_speaks_of_the_first_network(results):
    ordinary = masked("scenes_val_a", dict.fromkeys(PAIR, 240), images=300)
    numbers = chapter.key_numbers(results, PAIR[0], IMAGENET_A, ordinary)
    assert numbers.pop("network").text == "ResNeXt-101 (32x4d)-like"
    assert set(numbers) >= {"error", "error_all", "aurra", "at_ten", "hard_surest"}
    for key in ("error", "error_all", "aurra", "at_ten"):
        assert network_title(PAIR[0]) in numbers[key].convention
    thirds = {"hard_surest": 0.6, "hard_least_sure": 0, "ordinary_surest": 1}
    for key, value in (thirds | {"ordinary_least_sure": 0.4}).items():
        assert numbers[key].text.startswith(f"{100 * value:.1f} % [")
        assert numbers[key].n == 100
    assert "means over seeds" not in numbers["ordinary_confidence"].convention  # of one seed
    # Both networks' right answers are surer than all wrong ones: the thirds tell 60 and 60 points.
    assert numbers["outcome"].text.startswith(
        "whether confidence is less informative on hard images"
    )
    assert numbers["outcome"].text.endswith("a difference of 0.0 [0.0, 0.0] points")
    assert numbers["at_ten"].text == "100.0 %"


def test_the_surest_third_is_right_first():
    numbers = nae_4_calibration.accuracies(masked("hard", {"mine": 15}, images=30), "mine", "hard")
    assert numbers["hard_surest"].value == 1
    assert numbers["hard_least_sure"].value == 0
    assert 0.5 < numbers["hard_confidence"].value < 1


def test_a_third_says_of_how_many_pictures_it_is_and_how_far_it_could_move():
    numbers = nae_4_calibration.accuracies(masked("hard", {"mine": 15}, images=30), "mine", "hard")
    assert numbers["hard_surest"].text == "100.0 % [69.2, 100.0]"
    assert numbers["hard_least_sure"].text == "0.0 % [0.0, 30.8]"
    assert [numbers[f"hard_{name}"].n for name in ("surest", "least_sure", "confidence")] == [
        10,
        10,
        30,
    ]
    seeded = nae_4_calibration.accuracies(
        masked("hard", {"mine": 0}, images=30, seeds=3), "mine", "hard"
    )
    assert seeded["hard_surest"].text == "10.0 % [0.0, 20.0]"
    assert "lowest to the highest seed" in seeded["hard_surest"].convention


def test_seeds_are_averaged():
    numbers = nae_4_calibration.accuracies(
        masked("hard", {"mine": 0}, images=30, seeds=3), "mine", "hard"
    )
    assert numbers["hard_surest"].value == pytest.approx(0.1)  # 0, 1 and 2 of ten


@pytest.mark.parametrize(
    ("ordinary", "words"),
    [
        (0.9, "confidence is less informative on hard images than"),
        (0.65, "whether confidence is less informative on hard images than"),
        (0.3, "confidence is more informative on hard images than"),
    ],
)
def test_the_outcome_is_that_of_the_interval_of_the_difference(ordinary, words):
    def known(name, value):
        low, high = value - 0.1, value + 0.1
        spread = np.linspace(low, high, 101)[:: 1 if name == "hard" else -1]
        draws = Draws(name, lambda: spread)
        return Estimate(value=value, low=low, high=high, n=9, n_full=9, draws=draws)

    found = chapter.outcome(known("hard", 0.6), known("ordinary", ordinary))
    assert found.text.startswith(words)
    assert chapter.outcome(None, known("ordinary", 0.5)).text.startswith("confidence cannot be")


def test_pictures_of_one_drawing_widen_the_interval_of_every_share(page):
    """Ten drawings of thirty pictures each are ten draws, and not three hundred."""
    together = tuple(str(place // 30) for place in range(300))
    right = {PAIR[0]: 60, PAIR[1]: 90}
    predictions = {
        name: tuple(replace(one, together=together) for one in several)
        for name, several in masked("hard", right, images=300).predictions.items()
    }
    grouped = replace(IMAGENET_A, predictions=predictions)
    rows = [
        calibration.results(one, page.run.paper_names, samples=50).row(
            metric="response_rate_accuracy", model=PAIR[0], k=100
        )
        for one in (IMAGENET_A, grouped)
    ]
    assert rows[0].value == rows[1].value
    assert rows[1].high - rows[1].low > 2 * (rows[0].high - rows[0].low)
    least = chapter.accuracies(grouped, PAIR[1], "hard")["hard_surest"]
    assert least.text != chapter.accuracies(IMAGENET_A, PAIR[1], "hard")["hard_surest"].text


def test_networks_that_no_pair_holds_stand_in_every_table(page):
    """A network of one's own, alone: no table is empty, and the pairs stay what they were."""
    own = masked("scenes_a_filtered", {"mine": 60, "yours": 90}, images=300)
    rows = calibration.results(own, page.run.paper_names, samples=20)
    for block in (
        chapter.response_rates(page, rows, own),
        chapter.attention(page, rows, own),
        chapter.size(page, rows, own),
    ):
        assert {"mine", "yours"} <= set(texts(block, "th"))
    assert chapter.looked_at(own, page.run.paper_names) == ("mine", "yours")
    beside = masked("a", dict(zip((*PAIR, "mine"), (60, 90, 30), strict=True)), images=300)
    assert chapter.looked_at(beside, page.run.paper_names) == (*PAIR, "mine")
    both = calibration.results(beside, page.run.paper_names, samples=20)
    assert {row.model for row in both.select(item="nae-fig14").rows} == {*PAIR, "mine"}
    assert {row.model for row in both.select(item="nae-fig15").rows} == {"mine"}
