"""Detection as defined: one box, one threshold and one recall at a time, in plain Python."""

import math


def overlap(found, true, crowd=False):
    width = min(found[2], true[2]) - max(found[0], true[0])
    height = min(found[3], true[3]) - max(found[1], true[1])
    if width <= 0 or height <= 0:
        return 0.0
    own = (found[2] - found[0]) * (found[3] - found[1])
    other = (true[2] - true[0]) * (true[3] - true[1])
    return width * height / (own if crowd else own + other - width * height)


def match(objects, detections, threshold, most=100):
    """One image and class. Objects are (box, crowd, ignored), detections (box, score).

    Returns, from the surest detection on, (score, "found" | "ignored" | "wrong").
    """
    ranked = []
    for box, score in detections:
        place = sum(other >= score for _, other in ranked)
        ranked.insert(place, (box, score))
    taken, result = set(), []
    for box, score in ranked[:most]:
        fate = "wrong"
        for wanted in ("found", "ignored"):
            best, chosen = min(threshold, 1 - 1e-10), None
            for number, (true, crowd, ignored) in enumerate(objects):
                if (crowd or ignored) != (wanted == "ignored"):
                    continue
                if number in taken and not crowd:
                    continue
                if overlap(box, true, crowd) >= best:
                    best, chosen = overlap(box, true, crowd), number
            if chosen is not None:
                taken.add(chosen)
                fate = wanted
                break
        result.append((score, fate))
    return result


def average_precision(fates, objects, interpolation):
    """Pooled fates of detections as (score, fate); of equal scores, the first one comes first."""
    if not objects:
        return math.nan
    ranked = []
    for score, fate in fates:
        if fate != "ignored":
            place = sum(other >= score for other, _ in ranked)
            ranked.insert(place, (score, fate))
    points, right = [], 0
    for number, (_, fate) in enumerate(ranked, start=1):
        right += fate == "found"
        points.append((right / objects, right / number))
    levels = {
        "all-point": [number / objects for number in range(1, objects + 1)],
        "11-point": [number * 0.1 for number in range(11)],
        "101-point": [number * 0.01 for number in range(101)],
    }[interpolation]
    best = [max((p for r, p in points if r >= level), default=0) for level in levels]
    return sum(best) / len(best)


def area(box):
    return (box[2] - box[0]) * (box[3] - box[1])


def fates(truth, detections, image, label, threshold, most=100, limits=(0, math.inf)):
    """`limits`: the least and the greatest area of objects that count, and of wrong boxes."""
    low, high = limits
    outlines = [area(box) for box in truth.boxes] if truth.areas is None else truth.areas
    objects = [
        (
            truth.boxes[n].tolist(),
            bool(truth.crowds[n]),
            not (truth.counted[n] and low <= outlines[n] <= high),
        )
        for n in range(len(truth.images))
        if (truth.images[n], truth.classes[n]) == (image, label)
    ]
    boxes = [
        (detections.boxes[n].tolist(), float(detections.scores[n]))
        for n in range(len(detections.images))
        if (detections.images[n], detections.classes[n]) == (image, label)
    ]
    fates_of = match(objects, boxes, threshold, most)
    boxes = sorted(boxes, key=lambda one: -one[1])[:most]  # of equal scores, the first stays first
    told = [
        (score, "ignored" if fate == "wrong" and not low <= area(box) <= high else fate)
        for (box, _), (score, fate) in zip(boxes, fates_of, strict=True)
    ]
    return told, sum(not ignored for *_, ignored in objects)


def pooled(
    truth, detections, images, labels, threshold, interpolation, most=100, limits=(0, math.inf)
):
    """Average precision over all boxes of these classes in these images."""
    together, objects = [], 0
    for image in images:
        for label in labels:
            some, number = fates(truth, detections, image, label, threshold, most, limits)
            together += some
            objects += number
    return average_precision(together, objects, interpolation)


def mean_average_precision(truth, detections, images, labels, threshold, interpolation):
    by_class = [
        pooled(truth, detections, images, [label], threshold, interpolation) for label in labels
    ]
    known = [value for value in by_class if not math.isnan(value)]
    return sum(known) / len(known)


def worst_frame(precision, frames, offsets, k, anchor=True):
    """The anchor first, then one step back, one step ahead, two steps back...; the lowest wins."""
    at = {offset: frame for frame, offset in zip(frames, offsets, strict=True) if frame >= 0}
    order = [0] + [sign * step for step in range(1, k + 1) for sign in (-1, 1)]
    worst, chosen = math.inf, None
    for offset in order:
        if offset not in at or (offset == 0 and not anchor):
            continue
        value = precision[at[offset]]
        if not math.isnan(value) and value < worst:
            worst, chosen = value, at[offset]
    return at[0] if chosen is None else chosen


def right_on_a_set(correct, frames, offsets, k, anchor=True):
    at = {offset: frame for frame, offset in zip(frames, offsets, strict=True) if frame >= 0}
    asked = [frame for o, frame in at.items() if abs(o) <= k and (anchor or o != 0)] or [at[0]]
    return all(bool(correct[frame]) for frame in asked)
