"""Embeddings of three sets of toy pictures, with a blind spot that is known."""

from functools import cache

import numpy as np

from robust_lib import seeds
from robust_lib.predict.embed import Embeddings
from robust_lib.protocols.blind_spots import spots
from tests.toys import AS_IS

TRAINING, POOL, PLANTED = 100, 140, 40  # the last of the pool are like none in training
SPOTS = spots.Settings(neighbours=25, permutations=199, samples=100)


def embedded(name, ids, vectors, model="net", preprocessing=AS_IS):
    return Embeddings(model, name, tuple(ids), vectors.astype(np.float32), preprocessing)


def embeddings(apart=9.0, case=0):
    """Training pictures, a pool, and twelve chosen ones: ten of the pool, two not in its sample.

    Of the ten, eight are planted; one of the two lies among the planted ones.
    """
    rng = seeds.generator("toy embeddings", case)
    vectors = rng.normal(size=(TRAINING + POOL + 2, 6))
    vectors[TRAINING + POOL - PLANTED : -1, 0] += apart  # the planted ones, and one of the two
    training, pool, new = np.split(vectors, [TRAINING, TRAINING + POOL])
    names = [f"pool/{number:03d}.png" for number in range(POOL)]
    places = [0, 1, *range(POOL - 8, POOL)]
    ids = [f"chosen/{number:03d}.jpg" for number in places] + ["chosen/new0", "chosen/new1"]
    return (
        embedded("training", [f"training/{number}" for number in range(TRAINING)], training),
        embedded("pool", names, pool),
        embedded("chosen", ids, np.concatenate([pool[places], new])),
    )


@cache
def blind_spots():
    return spots.blind_spots(spots.space(*embeddings()), SPOTS)
