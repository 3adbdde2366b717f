"""TIDE's own code (tidecv), of our records."""

import contextlib
import io

OURS = {
    "Cls": "classification",
    "Loc": "localisation",
    "Both": "both",
    "Dupe": "duplicate",
    "Bkg": "background",
    "Miss": "missed",
}


def run(truth, detections, images, foreground=0.5, background=0.1):
    """(mAP, counts, costs), fractions; the last two by our names of kinds."""
    from tidecv import TIDE, Data

    objects, found = Data("objects"), Data("found")
    for number in range(images):
        objects.add_image(number, str(number))
        found.add_image(number, str(number))
    boxes = zip(
        truth.images, truth.classes, _sides(truth.boxes), truth.crowds, truth.counted, strict=True
    )
    for image, label, box, crowd, counted in boxes:
        if crowd:
            objects.add_ignore_region(int(image), int(label), box)
        elif counted:
            objects.add_ground_truth(int(image), int(label), box)
    fields = (detections.images, detections.classes, detections.scores, _sides(detections.boxes))
    for image, label, score, box in zip(*fields, strict=True):
        found.add_detection(int(image), int(label), float(score), box)
    with contextlib.redirect_stdout(io.StringIO()):
        made = TIDE(pos_threshold=foreground, background_threshold=background, mode=TIDE.BOX)
        evaluated = made.evaluate(objects, found, name="ours")
    counts = {OURS[kind.short_name]: count for kind, count in evaluated.count_errors().items()}
    mended = evaluated.fix_main_errors()
    costs = {OURS[kind.short_name]: rise / 100 for kind, rise in mended.items()}
    return evaluated.ap / 100, counts, costs


def _sides(boxes):
    return [[x, y, right - x, low - y] for x, y, right, low in boxes.astype(float).tolist()]
