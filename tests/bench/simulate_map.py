"""How often the interval of mAP holds the true mAP: a simulated detector on twenty uneven classes.

    python tests/bench/simulate_map.py

A picture has one to three objects; what is found, and how sure, is drawn. The true mAP is that of
20,000 pictures. Printed: pictures, draws, and how many intervals hold it, lie above or below.
"""

import numpy as np

from robust_lib import seeds
from robust_lib.metrics.boxes import Detections, Truth
from robust_lib.metrics.detection import map_of, matched
from robust_lib.metrics.intervals import percentiles, unshifted
from robust_lib.metrics.map_draws import map_draws

CLASSES, MANY = 20, 20_000
SIDE, ACROSS, BELOW = (np.array(box) for box in ((0, 0, 50, 50), (1, 0, 1, 0), (0, 60, 0, 60)))


def matches(images, rng, found=0.0):
    """Draw pictures and a detector's boxes in them, matched at IoU .5; `found`: more often so."""
    objects, boxes = [], []
    for image in range(images):
        for place in range(rng.integers(1, 4)):
            label = int(CLASSES * rng.random() ** 1.5)
            box = SIDE + 100.0 * place * ACROSS
            objects.append((image, label, box))
            if rng.random() < 0.35 + 0.4 * label / CLASSES + found:
                boxes.append((image, label, box, rng.beta(4, 2)))
            if rng.random() < 0.5:
                wrong = int(CLASSES * rng.random())
                boxes.append((image, wrong, box + BELOW, rng.beta(2, 3)))
    truth = Truth(*map(np.array, zip(*objects, strict=True)))
    return matched(truth, Detections(*map(np.array, zip(*boxes, strict=True))), 0.5)


def main():
    rng = seeds.generator("simulated detector")
    true = map_of(matches(MANY, rng), np.arange(MANY), "101-point")
    print(f"true mAP {100 * true:.1f} %")
    for images, draws in ((60, 300), (200, 200)):
        said = {"holds it": 0, "above": 0, "below": 0}
        chosen = np.arange(images)
        for _ in range(draws):
            seen = matches(images, rng)
            resamples = map_draws(seen, chosen, rng=rng, samples=200, interpolation="101-point")
            low, high = percentiles(unshifted(resamples, map_of(seen, chosen, "101-point")))
            said["above" if low > true else "below" if high < true else "holds it"] += 1
        print(images, draws, said)


if __name__ == "__main__":
    main()
