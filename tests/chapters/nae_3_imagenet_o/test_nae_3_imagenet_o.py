"""The chapter on detection: its blocks, of known predictions, and the numbers in its prose."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from robust_book.chapters import nae_3_imagenet_o as chapter
from robust_book.chapters.nae_3_imagenet_o import low_level
from robust_lib.protocols.nae import detection
from robust_lib.results.estimate import Draws, Estimate
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from tests.chapters.toys import texts
from tests.protocols.nae.toys import NAMES, masked

RIGHT = {"chooser": 20, "small": 18, "large": 22, "plain": 20, "attentive": 20}
IN_DISTRIBUTION = masked("scenes_val_o", RIGHT, images=50)
OUT_OF_DISTRIBUTION = masked("scenes_o_filtered", RIGHT, images=10)
EVEN = Estimate(value=0.0, low=-0.1, high=0.1, n=9, n_full=9)
RESULTS = detection.results(IN_DISTRIBUTION, OUT_OF_DISTRIBUTION, NAMES, samples=100)


def test_the_page_describes_imagenet_o(page):
    assert page.run.description.startswith("Out-of-distribution scenes of the miniature world")


def test_all_networks_stand_above_chance(page):
    block = str(chapter.all_networks(page, RESULTS, IN_DISTRIBUTION, OUT_OF_DISTRIBUTION))
    assert "10 out-of-distribution and 50 ordinary images" in block


def test_confidences_are_drawn_in_percent(page):
    block = chapter.confidences(page, IN_DISTRIBUTION, OUT_OF_DISTRIBUTION, "small")
    assert "confidence of the network (%)" in str(block)


def test_one_network_sees_each_earlier_set(page):
    sets = low_level.image_sets(page.run)
    assert list(sets) == list(low_level.ROLES)
    found = chapter.on_each_set(page.run, sets, "brightest")
    assert [one.dataset for one in found] == [
        page.run.profile.data[role] for role in low_level.ROLES[1:]
    ]
    measured = low_level.measure(sets, page.run.geometry, limit=20)
    detected = detection.by_set(found[0], found, "brightest")
    rows = low_level.results(measured, sets)
    block = str(chapter.earlier_sets(page, rows, sets, measured, detected, 20))
    assert "At most 20 images per set" in block
    assert "Bernoulli noise" in block
    assert str(chapter.samples(page, sets)).count("<image") == 30
    alike = {one.name: (0.5, 0.75) for one in sets.values()}  # AUPR and AUROC of the network
    block = chapter.earlier_sets(page, rows, sets, measured, alike, 20)
    assert texts(block, "td")[1:3] == ["75.0", "50.0"]
    # That pixels tell what is drawn with nothing in it is no finding; of places it might fail.
    ends = {role: 0.5 if role == "imagenet_o" else 0.9 for role in low_level.ROLES[1:]}
    told = Results.of(
        Row(
            item="nae-fig4", dataset=sets[role].name, metric="low_level_auroc", value=value, n=20,
            n_full=20, low=value, high=value, draws=Draws(role, partial(np.full, 50, value)),
        )
        for role, value in ends.items()
    )  # fmt: skip
    block = str(chapter.earlier_sets(page, told, sets, measured, detected, 20))
    words = [block.count(f'data-verdict="{word}"') for word in ("by construction", "holds")]
    assert words == [3, 2]  # the whole item holds, too


def test_a_set_that_is_not_there_is_left_out_and_named(page):
    """ImageNet-O against ordinary images is the paper's main number, and needs no other set."""
    run, profile = page.run, page.run.profile
    every = {profile.data[role]: (0.5, 0.5) for role in low_level.ROLES}
    names = set(chapter.seen_by(low_level.image_sets(run), Results(), every, {"auroc": EVEN}))
    data = profile.data | {"textures": "dtd", "places365": "places365_val"}
    without = {role: name for role, name in data.items() if role != "bernoulli_noise"}
    object.__setattr__(run, "profile", profile.model_copy(update={"data": without}))
    sets = low_level.image_sets(run)
    assert list(sets) == ["imagenet_val_o", "imagenet_o", "blobs"]
    found = chapter.on_each_set(run, sets, "brightest")
    measured = low_level.measure(sets, run.geometry, limit=20)
    detected = detection.by_set(found[0], found, "brightest")
    rows = low_level.results(measured, sets)
    block = str(chapter.earlier_sets(page, rows, sets, measured, detected, 20))
    named = "Bernoulli noise (bernoulli_noise), textures (dtd) and scenes (places365_val)"
    assert f"Left out, because the images are not available: {named}." in block
    apart = chapter.noise_against_foreign(run, sets, found[0], found, "brightest")
    numbers = chapter.seen_by(sets, rows, detected, apart)
    assert {number.text for number in numbers.values()} == {"not measured"}
    assert set(numbers) == names


def test_scores_stand_beside_each_other():
    assert "Mahalanobis" in str(chapter.scores(IN_DISTRIBUTION, OUT_OF_DISTRIBUTION, "small"))


def test_related_networks_have_their_own_item(page):
    block = str(chapter.size_and_attention(page, RESULTS, OUT_OF_DISTRIBUTION))
    assert 'id="nae-fig11"' in block
    assert "AUPR is computed as in the figure of all networks" in block


def test_every_network_has_its_aupr_inside_its_interval_and_chance_has_no_row():
    frame = chapter.detection_frame(RESULTS).set_index("Network")
    assert list(frame.index) == ["chooser", "small", "large", "plain", "attentive"]
    assert all(cell.low <= cell.value <= cell.high for cell in frame["AUPR"])
    for column, metric in chapter.RATES.items():
        row = RESULTS.row(item="nae-fig3", metric=column, model="small")
        assert frame.loc["small", metric].value == 100 * row.value


def test_every_rate_is_committed_with_its_ends():
    frame = chapter.committed_frame(RESULTS).set_index("Network")
    assert list(frame) == ["AUPR", "AUPR low", "AUPR high", "AUROC", "FPR95"]
    row = RESULTS.row(item="nae-fig3", metric="auroc", model="small")
    assert frame.loc["small", "AUROC"] == 100 * row.value


def test_the_median_confidence_stands_in_words():
    kinds = {"hard": OUT_OF_DISTRIBUTION, "ordinary": IN_DISTRIBUTION}
    hard, ordinary = chapter.medians(kinds, "small").split("; ")
    assert (
        hard == f"hard, median {np.median(chapter.confidence(OUT_OF_DISTRIBUTION, 'small')):.0f} %"
    )
    assert ordinary.startswith("ordinary, median ")


def test_confidences_are_those_of_the_first_seed_in_percent():
    found = chapter.confidence(OUT_OF_DISTRIBUTION, "small")
    first = OUT_OF_DISTRIBUTION.predictions["small"][0]
    assert found.tolist() == pytest.approx([100 * float(one) for one in first.confidence])


def test_every_score_has_a_row():
    scored = detection.scored(IN_DISTRIBUTION, OUT_OF_DISTRIBUTION, "small")
    assert chapter.score_frame(scored)["Score"].tolist() == [
        chapter.SCORES[name] for name in scored
    ]


def test_a_score_has_its_rates_in_percent():
    (line,) = chapter.score_frame({"msp": (0.5, 0.75, 1.0)}).to_dict("records")
    assert line == {"Score": "largest probability", "AUPR": 50, "AUROC": 75, "FPR95": 100}


def test_the_prose_names_the_chooser_apart():
    named = chapter.key_numbers(RESULTS, NAMES)
    assert "chooser" in named["chooser"].convention
    assert named["chance"].text == "16.7 %"
    assert named["worst"].value <= named["best"].value
    assert chapter.key_numbers(RESULTS, {})["chooser"].text == "an unknown AUPR"
    assert chapter.key_numbers(RESULTS, {"resnet50": "nobody"})["chooser"].value is None


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (-0.3, -0.1, "by AUROC, pure noise fools it more than out-of-distribution images do"),
        (0.01, 0.2, "by AUROC, out-of-distribution images fool it more than pure noise does"),
        (-0.1, 0.2, "by AUROC, whether pure noise or out-of-distribution images fool it"),
    ],
)
def test_what_fools_a_network_more_is_what_the_interval_says(page, low, high, words):
    """One value above the other is no finding."""
    apart = {"auroc": replace(EVEN, value=(low + high) / 2, low=low, high=high)}
    noise, foreign = 0.9, 0.8
    sets = {role: page.run.image_set(role) for role in ("imagenet_o", "bernoulli_noise")}
    names = sets["imagenet_o"].name, sets["bernoulli_noise"].name
    scores = dict(zip(names, ((0.5, foreign), (0.5, noise)), strict=True))
    named = chapter.seen_by(sets, RESULTS, scores, apart)
    assert named["fooled"].text.startswith(words)
    assert named["noise_by_network"].value == noise
    assert named["noise_by_pixels"].text == "not measured"
