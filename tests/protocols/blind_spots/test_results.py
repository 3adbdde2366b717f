"""Figure 5 as rows: the claim can hold, fail, and stay open; intervals are of pictures."""

import numpy as np
import pytest

from robust_lib.protocols.blind_spots.results import results
from robust_lib.protocols.blind_spots.space import space
from robust_lib.protocols.blind_spots.spots import blind_spots
from robust_lib.results.compare import compare
from tests.protocols.blind_spots import toys
from tests.protocols.blind_spots.toys import PLANTED, POOL, SPOTS

HERE = {"nao": "chosen", "openimages": "pool"}


def verdict(found, datasets=HERE):
    """What the paper's direction comes to."""
    judged = compare(results(found, 1), "nao-fig5", roles={}, datasets=datasets)
    return next(one for one in judged if one.status == "direction")


def test_rows_are_means_and_shares():
    found = toys.blind_spots()
    rows = results(found, shown=1)
    density = rows.row(metric="training_density", dataset="chosen")
    assert density.value == pytest.approx(found.ratio_of_chosen.log_ratio.mean())
    assert density.low < density.value < density.high
    assert (density.n, density.n_full) == (12, 12)
    assert rows.row(metric="training_density", dataset="pool").value == pytest.approx(
        found.log_ratio_of_pool.mean()
    )
    assert rows.row(metric="share", dataset="pool").value == PLANTED / POOL
    assert rows.row(metric="share", dataset="chosen").value == 9 / 12
    assert rows.row(metric="clusters").value == 1
    assert rows.row(metric="embedding_size").value == 6


def test_intervals_are_of_resampled_pictures():
    found = toys.blind_spots()
    row = results(found, 1).row(metric="training_density", dataset="pool")
    values = found.log_ratio_of_pool
    error = values.std() / np.sqrt(len(values))
    assert row.draws.values().std() == pytest.approx(error, rel=0.3)
    assert len(row.draws.values()) == SPOTS.samples


@pytest.mark.parametrize(
    ("chosen", "word"),
    [(range(POOL - 30, POOL), "holds"), (range(40), "does not hold"), ([0, 1, 139], "not decided")],
)
def test_the_claim_comes_out_by_where_the_adversarial_pictures_lie(chosen, word):
    training, pool, _ = toys.embeddings()
    ids, vectors = [pool.ids[place] for place in chosen], pool.vectors[list(chosen)]
    found = blind_spots(space(training, pool, toys.embedded("chosen", ids, vectors)), SPOTS)
    assert verdict(found).verdict == word
