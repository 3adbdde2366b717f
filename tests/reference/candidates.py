"""Candidates as the paper's sentences define them: one detection and one object at a time."""

from tests.reference.detection import overlap


def kinds(truth, detections, iou=0.5, score=0.8, foreign=None):
    """What each detection is: None, "hard false positive" or "egregious misclassification"."""
    found = []
    for at in range(len(detections.images)):
        if not detections.scores[at] > score:
            found.append(None)
            continue
        on = set()
        for objects, name in ((truth, None), (foreign, "foreign")):
            for other in range(0 if objects is None else len(objects.images)):
                if objects.images[other] != detections.images[at]:
                    continue
                crowd = bool(objects.crowds[other])
                box, true = detections.boxes[at].tolist(), objects.boxes[other].tolist()
                if overlap(box, true, crowd) > iou:
                    on.add(name or int(objects.classes[other]))
        if not on:
            found.append("hard false positive")
        elif int(detections.classes[at]) not in on:
            found.append("egregious misclassification")
        else:
            found.append(None)
    return found
