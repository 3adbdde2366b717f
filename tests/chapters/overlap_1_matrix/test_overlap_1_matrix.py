"""The chapter of the matrices: what was set, and the numbers of the prose."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from robust_book.chapters import overlap_1_matrix as chapter
from robust_book.chapters.overlap import counts
from robust_book.chapters.overlap_1_matrix import CORRUPTED_SHARE, clusters, training_settings
from robust_lib.results.compare import compare
from robust_lib.results.table import Results
from robust_lib.training.half_corrupted import _chosen
from robust_lib.training.recipes import Recipe
from robust_lib.vocabulary import COMMON, SEVERITIES
from tests.chapters import pages
from tests.chapters.toys import judged, overlaps, rows, texts
from tests.protocols.overlap import toys
from tests.toys import unchecked

PAPERS = Recipe(
    epochs=40, batch=256, rate=0.1, momentum=0.9, weight_decay=1e-4, schedule="step",
    drops=(0.5, 0.75), flip=True,
)  # fmt: skip


@pytest.fixture
def page(build):
    return pages.page(chapter, "toys")


def verdicts(found):
    return {
        (v.metric, v.corruption, v.severity): v
        for v in compare(found, "overlap-fig2")
        if v.status != "direction"
    }


def test_the_papers_recipe_matches_the_papers_settings():
    table = training_settings(PAPERS, dataset="imagenet_100", classes=100, side=224)
    one = toys.table(names=COMMON, dataset="imagenet_100")
    found = verdicts(table + counts({"resnet18": one, "densenet121": one}))
    compared = {key: verdict.verdict for key, verdict in found.items()}
    for theirs in ("weeks", "gpus"):
        assert compared.pop((theirs, None, None)) == "not comparable"  # nobody's business else
    assert compared.pop(("models", None, None)) == "differs"  # 32: see erratum
    assert len(compared) == 13
    assert set(compared.values()) == {"as printed"}
    assert found["milestone", None, 1].ours == 20
    assert found["milestone", None, 2].ours == 30
    assert found["models", None, None].ours == 32


def test_another_recipe_is_told_as_it_is():
    other = PAPERS.model_copy(update={"schedule": "cosine", "flip": False, "epochs": 5})
    table = training_settings(other, dataset="toys", classes=64, side=48)
    assert table.row(metric="epochs").value == 5
    assert table.row(metric="flip_probability").value == 0
    assert len(table.select(metric="milestone")) == 0
    assert {v.verdict for v in verdicts(table).values()} <= {"not comparable", "missing"}


def test_pictures_that_keep_their_sizes_have_no_side():
    table = training_settings(PAPERS, dataset="toys", classes=64, side=None)
    assert len(table.select(metric="image_size")) == 0
    assert len(table.select(metric="classes")) == 1


def test_the_share_of_a_batch_is_that_of_the_augmentation():
    ids = tuple(f"image{i}" for i in range(64))
    chosen = [place for places in _chosen(ids, 0, SEVERITIES, 0).values() for place in places]
    assert len(set(chosen)) / len(ids) == CORRUPTED_SHARE


_PAGE = SimpleNamespace(figure=lambda name, figure, caption, alt: f"<figure id={name}>")


def test_a_tree_of_too_few_is_said_in_words():
    lost = replace(toys.table(names=("fog", "snow", "frost")), accuracy=np.full((1, 4, 3), 0.5))
    with unchecked():
        block = str(clusters(_PAGE, toys.overlaps({"resnet18": lost})))
    assert "No tree" in block
    assert "fewer than two corruptions" in block


def test_what_a_tree_leaves_out_is_named():
    one = toys.overlaps({"resnet18": toys.weak("fog", names=("fog", "snow", "frost"))})
    with unchecked():
        block = str(clusters(_PAGE, one))
    assert "fig-clusters" in block
    assert "cannot be judged: fog." in block


def test_a_tree_has_the_architecture_with_most_scores(page):
    three = judged("fog", "snow", "gaussian_noise")["resnet18"]
    two = judged("fog", "snow")["resnet18"]
    words = texts(clusters(page, {"densenet121": two, "resnet18": three}), "text")
    assert words[1:5] == ["ResNet-18", "Gaussian noise", "Snow", "Fog"]


def test_blocks_have_a_line_each_with_their_pairs(page):
    architectures = judged("gaussian_noise", "shot_noise", "fog")
    block = chapter.blocks(page, chapter.results(architectures), architectures)
    assert texts(block, "text")[1:3] == [
        "Noises: 1 of 3 pairs", "Blurs, pixelate: 0 of 10 pairs",
    ]  # fmt: skip
    assert "0.90" in str(block)
    assert "<svg" not in str(chapter.blocks(page, Results(), architectures))


def test_what_cannot_be_judged_is_a_sentence_and_no_empty_frame(page):
    block = chapter.agreement(page, Results(), judged("fog", "snow"))
    assert "<svg" not in str(block)
    assert "no pair of corruptions can be judged" in str(block)


def test_agreement_is_judged_against_its_ceiling(page):
    about = ("overlap-claim-arch", {None: 0.9}, "scenes_small_val")
    found = rows(about[0], "rank_correlation", *about[1:])
    found += rows(about[0], "rank_correlation_between_seeds", {None: 0.6}, about[2])
    block = chapter.agreement(page, found, judged("fog", "snow"))
    assert "0.90" in block.markup
    assert "holds" in block.markup
    assert "0 of 105 pairs of the fifteen are judged in both" in block.markup
    assert "The claim requires an agreement above 0.30, half of the ceiling" in block.markup


def test_settings_are_those_of_the_runs_recipe(page):
    found = chapter.settings(page.run, overlaps("fog", "snow"))
    assert found.row(metric="models").value == found.row(metric="classes").value == 3
