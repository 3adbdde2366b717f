"""What was set and counted stands beside what the paper says it set and counted."""

import pytest
from robust_lib.protocols.overlap.settings import SHARE, counts, occlusions, training

from robust_lib.corruptions import occlusion
from robust_lib.results.compare import compare
from robust_lib.training.half_corrupted import _chosen
from robust_lib.training.recipes import Recipe
from robust_lib.vocabulary import COMMON, OCCLUSION, SEVERITIES

PAPERS = Recipe(
    epochs=40, batch=256, rate=0.1, momentum=0.9, weight_decay=1e-4, schedule="step",
    drops=(0.5, 0.75), flip=True,
)  # fmt: skip


def verdicts(found, item):
    return {
        (v.metric, v.corruption, v.severity): v
        for v in compare(found, item)
        if v.status != "direction"
    }


def test_the_papers_recipe_matches_the_papers_settings():
    table = training(PAPERS, dataset="imagenet_100", classes=100, side=224)
    found = verdicts(table + counts(2, COMMON, dataset="imagenet_100"), "overlap-fig2")
    compared = {key: verdict.verdict for key, verdict in found.items()}
    assert compared.pop(("weeks", None, None)) == "not comparable"  # nobody's business but theirs
    assert compared.pop(("models", None, None)) == "differs"  # 32: see erratum
    assert len(compared) == 12
    assert set(compared.values()) == {"match"}
    assert found["milestone", None, 1].ours == 20
    assert found["milestone", None, 2].ours == 30
    assert found["models", None, None].ours == 32


def test_another_recipe_is_told_as_it_is():
    other = PAPERS.model_copy(update={"schedule": "cosine", "flip": False, "epochs": 5})
    table = training(other, dataset="toys", classes=64, side=48)
    assert table.row(metric="epochs").value == 5
    assert table.row(metric="flip_probability").value == 0
    assert len(table.select(metric="milestone")) == 0
    found = verdicts(table, "overlap-fig2")
    assert {v.verdict for v in found.values()} <= {"not comparable", "missing"}


@pytest.mark.parametrize("corruptions", [COMMON, COMMON + OCCLUSION])
def test_networks_are_counted(corruptions):
    found = counts(1, corruptions, dataset="toys")
    assert found.row(metric="models").value == 16
    assert found.row(metric="corruption_types", corruption=None).value == 15
    assert counts(2, COMMON[:4], dataset="toys").row(metric="models").value == 10
    (verdict,) = [
        v for v in compare(found, "overlap-claim-balance") if v.metric == "corruption_types"
    ]
    assert (verdict.verdict, verdict.ours) == ("match", 8)


def test_the_share_of_a_batch_is_that_of_the_augmentation():
    ids = tuple(f"image{i}" for i in range(64))
    chosen = [place for places in _chosen(ids, 0, SEVERITIES, 0).values() for place in places]
    assert len(set(chosen)) / len(ids) == SHARE


def test_the_occlusions_have_the_papers_sizes():
    found = verdicts(occlusions(), "overlap-claim-cover")
    sizes = {key[:2]: v for key, v in found.items() if key[0] != "largest_overlap"}
    assert len(sizes) == 4
    assert {verdict.verdict for verdict in sizes.values()} == {"match"}
    assert sizes["largest_side", "obstruction"].ours == occlusion.OBSTRUCTION_SIDE[1]
