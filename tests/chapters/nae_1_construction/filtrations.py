"""A filtration of seven candidates, at every step of ImageNet-A's rule."""

from dataclasses import replace

import numpy as np

from robust_lib.curation.decisions import Filtration

STEPS = ("correct", "correct", "correct", "confident", "confusion", "review", "shortlisted")
FILTRATION = Filtration(
    rule="imagenet-a",
    filters=("one",),
    class_names=("key", "owl"),
    ids=tuple("abcdefg"),
    labels=np.array([0, 0, 0, 0, 0, 1, 1]),
    predicted=np.array([[-1]] * 3 + [[1]] * 2 + [[0]] * 2),
    confidence=np.full((7, 1), 0.5),
    in_truth=np.full((7, 1), 0.1),
    steps=STEPS,
    settings={"candidates": "pool", "digest": ""},
    is_reviewed=True,
)
EVERY = replace(
    FILTRATION, steps=("correct",) * 3 + ("shortlisted", "review") + ("shortlisted",) * 2
)
"""The same with all that fool the filter on the list, of which the review drops one."""
