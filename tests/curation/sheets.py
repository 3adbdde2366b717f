"""A folder of pictures for review, a filtration of them, and what people decided."""

import json
import re

import numpy as np

from robust_lib.curation.decisions import Filtration

FILES = ("a/one.jpg", "a/two <b>.png", "b/three.JPEG", "four.jpg")


def filtration(ids=FILES, steps=("shortlisted", "correct", "confident", "shortlisted")):
    shares = np.full((4, 1), 0.1)
    return Filtration(
        rule="imagenet-a",
        filters=("net",),
        class_names=("ray", "finch"),
        ids=ids,
        labels=np.array([0, 0, 1, 1]),
        predicted=np.array([[1], [-1], [0], [0]]),
        confidence=1 - shares,
        in_truth=shares,
        steps=steps,
        settings={},
    )


def data(page):
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    return json.loads(text)


def decided(path, of, by, /, *words, **changes):
    decisions = dict(zip(of.files, words, strict=False))
    saved = {"format": 1, "sheet": of.digest, "reviewer": by, "decisions": decisions}
    path.write_text(json.dumps(saved | changes), "utf-8")
    return path
