"""Drawn frames without pictures, and what people decided on pairs of them."""

import json

from robust_lib.curation import pair_rounds
from robust_lib.curation.video_frames import Drawn, FrameRecord

DOG, CAR = 8, 6


def record(**neighbours):
    """Return what was drawn: name of a video -> numbers of its frames around the anchor, 10."""
    videos = [
        Drawn(
            name=name,
            source=f"dog/{name}.mp4",
            bytes=9,
            rate=25.0,
            anchor=10,
            frames=dict.fromkeys(sorted([10, *numbers]), (DOG,)),
        )
        for name, numbers in sorted(neighbours.items())
    ]
    return FrameRecord(k=10, seed=0, classes="imagenet_vid", videos=tuple(videos))


def decided(path, sheet, reviewer, words, default="similar", **changes):
    """Write a file of decisions on a sheet: number of a neighbour, or name of a pair -> word."""
    decisions = {}
    for name in sheet.files:
        number = int(name.split(" ")[1].split(".")[0])
        word = words.get(name, words.get(number, default))
        if word:
            decisions[name] = word
    saved = {"format": 1, "sheet": sheet.digest, "reviewer": reviewer, "decisions": decisions}
    path.write_text(json.dumps(saved | changes), "utf-8")
    return path


def names(found):
    return [pair.name for pair in pair_rounds.pairs(found)]
