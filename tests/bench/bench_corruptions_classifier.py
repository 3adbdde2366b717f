"""Can a network tell our corruptions from those of the package imagecorruptions?

    python tests/bench/bench_corruptions_classifier.py [--write] [--pictures 256] [--glass 64]

A trained network of the miniature (trained first where the store does not have it) classifies the
same scenes twice: enlarged from 64 to 224 px (bicubic), corrupted by ours or by the peer, each with
random numbers of its own, cut to 8 bits, and shrunk to 64 px again (area). Only corruptions that
both define alike are compared: not elastic_transform and frost.

The two error rates are those of the same pictures, so what counts is the pictures that are right
one way and wrong the other: without a difference they fall to either side like coins (McNemar's
test, exact). A cell is called different when its p-value is below 0.05 divided by the number of
cells, which was fixed before the first run.
"""

import argparse
import shlex
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from PIL import Image
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from robust_lib.corruptions import corrupt
from robust_lib.corruptions.levels import truncate
from robust_lib.datasets import stack, to_images
from robust_lib.predict.classify import choose
from robust_lib.run import networks
from robust_lib.run.start import start
from robust_lib.vocabulary import COMMON, EXTRA, SEVERITIES, corruption_label
from tests.reference import agreement, committed, peer
from tests.reference.handed import REDEFINED, answering, stored
from tests.reference.two_samples import seeded_noise

NAMES = tuple(name for name in COMMON + EXTRA if name not in REDEFINED)
LEVEL = 0.05  # of calling any cell different by chance
SIDE = 224
CHUNK = 32


@dataclass(frozen=True, eq=False)
class Scenes:
    """What is classified: 64 px pictures enlarged, uint8 (n, 224, 224, 3), and their labels."""

    ids: tuple[str, ...]
    pictures: np.ndarray
    labels: np.ndarray
    side: int


def scenes(image_set, preprocessing, count):
    places = choose(image_set.ids, count)
    small = stack(image_set, places, preprocessing)
    large = [Image.fromarray(one).resize((SIDE, SIDE), Image.Resampling.BICUBIC) for one in small]
    ids = tuple(image_set.ids[place] for place in places)
    return Scenes(ids, np.stack(large), np.asarray(image_set.labels)[places], small.shape[1])


def right(model, pictures, data):
    """Return which pictures, uint8 (n, 224, 224, 3), the model gets right after shrinking."""
    size = (data.side, data.side)
    small = np.stack([cv2.resize(one, size, interpolation=cv2.INTER_AREA) for one in pictures])
    with torch.inference_mode():
        logits = model(to_images(small))
    return logits.argmax(1).cpu().numpy() == data.labels[: len(pictures)]


def by_ours(data, name, severity, count):
    parts = []
    for at in range(0, count, CHUNK):
        images = agreement.tensors(data.pictures[at : min(at + CHUNK, count)])
        keys = data.ids[at : at + len(images)]
        parts.append(truncate(corrupt(images, name, severity, keys=keys)))
    return torch.cat(parts).permute(0, 2, 3, 1).contiguous().numpy()


def by_peer(theirs, data, name, severity, count):
    np.random.seed(severity)  # it draws from NumPy's global numbers
    pictures = (Image.fromarray(picture) for picture in data.pictures[:count])
    with answering(theirs, random_noise=seeded_noise(severity)):
        return np.stack([stored(getattr(theirs, name)(one, severity)) for one in pictures])


def row(theirs, model, data, name, count):
    """Return a row of the table: error rates over the severities, and the most telling cell."""
    ours, peers, differences, ps = [], [], [], []
    for severity in SEVERITIES:
        a = right(model, by_ours(data, name, severity, count), data)
        b = right(model, by_peer(theirs, data, name, severity, count), data)
        only_ours, only_peers = int((a & ~b).sum()), int((b & ~a).sum())
        apart = only_ours + only_peers
        ps.append(stats.binomtest(only_ours, apart).pvalue if apart else 1.0)
        ours.append(1 - a.mean())
        peers.append(1 - b.mean())
        differences.append(ours[-1] - peers[-1])
    telling = int(np.argmin(ps))
    return {
        "Corruption": corruption_label(name),
        "pictures": str(count),
        "ours": f"{100 * np.mean(ours):.1f}",
        "peer": f"{100 * np.mean(peers):.1f}",
        "apart": f"{100 * differences[telling]:+.1f}",
        "severity": str(SEVERITIES[telling]),
        "p": f"{ps[telling]:.4f}",
        "finding": "differ" if ps[telling] < LEVEL / (len(NAMES) * len(SEVERITIES)) else "same",
    }


def table(asked):
    """Return the rows, and the sentence that says what they are."""
    run = start(asked.profile, "bench", models=[asked.model])
    (own,) = networks.classifiers(run.profile, (asked.model,), run.images, run.store).values()
    model = own[0]
    data = scenes(run.images, model.preprocessing, asked.pictures)
    clean = 100 * (1 - right(model, data.pictures, data).mean())
    theirs = peer.load()
    rows = [
        row(
            theirs,
            model,
            data,
            name,
            min(asked.glass if name == "glass_blur" else asked.pictures, len(data.ids)),
        )
        for name in asked.corruptions
    ]
    convention = (
        f"mean over severities; {model.name} (seed 0, fingerprint {model.fingerprint[:12]}), "
        f"{len(data.ids)} scenes at 224 px shrunk to {data.side}, clean error {clean:.1f}; apart: "
        "points, ours minus the peer's, at the severity with the smallest p; p: exact McNemar test "
        f"on the same pictures; a difference is p < {LEVEL / (len(NAMES) * len(SEVERITIES)):.5f}, "
        f"{LEVEL} for all {len(NAMES) * len(SEVERITIES)} cells"
    )
    return rows, convention


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="put the table where the book is")
    parser.add_argument("--profile", default="mini")
    parser.add_argument("--model", default="resnet18", help="of the profile")
    parser.add_argument("--pictures", type=int, default=256)
    parser.add_argument("--glass", type=int, default=64, help="pictures for the peer's slowest")
    parser.add_argument("--corruptions", nargs="+", default=NAMES, choices=NAMES, metavar="NAME")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    begun = time.process_time()
    rows, convention = table(asked)
    seconds = time.process_time() - begun
    title = "Errors of a network (%) on our corruptions and on those of imagecorruptions"
    print(f"{title}\n({convention})\n\n{committed.markdown(rows)}\n\n{seconds:.0f} CPU seconds")
    if asked.write:
        about = {"title": title, "convention": convention, "profile": asked.profile}
        about["command"] = shlex.join(["python", *sys.argv])
        print(committed.write("corruption_classifier", rows, seconds=seconds, **about))
    return [line for line in rows if line["finding"] == "differ"]


@pytest.mark.bench
def test_a_network_cannot_tell(monkeypatch):
    quick = ("gaussian_noise", "shot_noise", "impulse_noise", "motion_blur", "fog", "contrast")
    monkeypatch.setattr(sys, "argv", ["bench", "--corruptions", *quick, "--pictures", "128"])
    assert main() == []


if __name__ == "__main__":
    main()
