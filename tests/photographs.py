"""A project of profile `full` for the chapters on objects: real layouts, few and awkward pictures.

Among them are grey ones, ones of another shape, ones without objects, and boxes at the border.
Only counts are cut; weights are random ones, of the real architectures.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path

import torch
import yaml
from PIL import Image
from torchvision.models.detection import maskrcnn_resnet50_fpn

from tests import coco_trees, tiny, trees

CAT, CAR = ("cat", (2, 2, 30, 40)), ("car", (34, 8, 28, 20))
WHOLE, CORNER = ("person", (0, 0, 64, 48)), ("dog", (40, 30, 24, 18))
VAL = [[CAT], [CAR], [CAT, CAR], [], [WHOLE], [CORNER], [], [CAT]]
TRAINING = [[CAT], [CAR], [WHOLE], [CORNER], [], [CAT]] * 2
NAO = {"train": [[CAT], []], "validation": [[CAR]], "test": [[], [], [CAT]]}
SHARK, DOG = ("Shark", (0.25, 0.5, 0.75, 1.0)), ("Dog", (0.0, 0.0, 1.0, 1.0))
PLACES = ("beach", "forest", "mountain", "road", "sky", "underwater")
MASKS = "maskrcnn_resnet50_fpn"
SMALL = {
    "min_size": 64,
    "max_size": 96,
    "box_detections_per_img": 2,
    "rpn_post_nms_top_n_test": 20,
}
OTHERS = 8  # pictures of the pool beside those of the release

OWN = '''
import numpy as np
import torch
from torchvision.models.detection import ssdlite320_mobilenet_v3_large

from robust_lib.datasets import coco_boxes, to_images
from robust_lib.models.detectors.torch_detector import TorchDetector
from robust_lib.preprocessing import Preprocessing


def build():
    """A small detector of COCO's classes that has learned nothing."""
    torch.manual_seed(0)
    module = ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=81)
    # Else nothing would be surer than one of eighty-one.
    for block in module.head.classification_head.module_list:
        torch.nn.init.normal_(block[1].bias, std=2)
    return TorchDetector(module=module, name="my_detector", classes="coco", outputs=80)


class Truth:
    """Knows each picture by its pixels, and says what is there; what is foreign is a cat to it."""

    name, classes, outputs, fingerprint = "truth", "coco", 80, "first try"
    least_score, most = 0.01, 100

    def __init__(self):
        self.known = {}
        for name in ("coco_val", "nao"):
            images = coco_boxes.load(name)
            cat = images.class_names.index("cat")
            for place, one in enumerate(images.annotations):
                (image,) = to_images(images.read(place, Preprocessing(None, None))[None])
                foreign = np.zeros((0, 4)) if one.foreign is None else one.foreign.boxes
                boxes = np.concatenate([one.boxes, foreign]).astype(np.float32)
                classes = np.concatenate([one.classes, np.full(len(foreign), cat)])
                scores = np.array([0.9] * len(one) + [0.99] * len(foreign), np.float32)
                self.known[image.numpy().tobytes()] = (boxes, classes.astype(np.int64), scores)

    def __call__(self, images):
        nothing = np.zeros((0, 4), np.float32), np.zeros(0, np.int64), np.zeros(0, np.float32)
        return [self.known.get(image.numpy().tobytes(), nothing) for image in images]
'''


def project(folder: Path) -> Path:
    """Make the manifests, notebooks and data of all that the chapters on objects ask for."""
    shutil.copytree(tiny.REPOSITORY / "data_manifests", folder / "data_manifests")
    shutil.copytree(tiny.REPOSITORY / "notebooks", folder / "notebooks")
    data, manifests = folder / "data", folder / "data_manifests" / "datasets"
    coco_trees.coco(data / "coco_val", VAL)
    _grey(data / "coco_val" / "val2017" / "000000397133.jpg")
    coco_trees.coco(data / "coco_train", TRAINING, split="train2017")
    coco_trees.nao(data / "nao", NAO, listed=False)
    stems = coco_trees.nao_stems(data / "nao")
    for number, stem in enumerate(stems):  # unlike COCO's, and the release does not say how large
        file = trees.save(data / "nao" / "images" / f"{stem}.jpg", 20 + number, 64, 48 + 8 * number)
    _grey(file)
    pool = [*stems, *(f"{place:016x}" for place in range(OTHERS))]
    coco_trees.openimages(data / "openimages_train", pool)
    for stem in stems:  # the release's pictures are OpenImages' own
        shutil.copy(data / "nao" / "images" / f"{stem}.jpg", data / "openimages_train" / "images")
    boxes = {stem: [SHARK, DOG] if stem in stems[:2] else [DOG] for stem in pool}
    coco_trees.openimages_boxes(data / "openimages_boxes", boxes)
    (data / "openimages_boxes" / "train-annotations-bbox.csv").rename(
        data / "openimages_boxes" / "oidv6-train-annotations-bbox.csv"
    )
    for number, place in enumerate(PLACES):
        trees.save(data / "backgrounds" / place / "one.jpg", 50 + number, 90, 70)
    tiny.change(manifests / "coco_val.yaml", contents=[{"path": "val2017", "images": len(VAL)}])
    tiny.change(
        manifests / "coco_train.yaml", contents=[{"path": "train2017", "images": len(TRAINING)}]
    )
    tiny.change(manifests / "nao.yaml", contents=[{"path": "images", "images": 6}])
    (folder / "my_detector.py").write_text(OWN)
    _random_weights(folder)
    return folder


def _random_weights(folder: Path) -> None:
    """Let BiT draw its weights, and put a file of random ones where Mask R-CNN's row looks.

    Both are the real networks, on small pictures; the latter is sure of two cats in each.
    """
    size = {"preprocessing": {"resize": 64, "crop": 64}}
    rows(folder, "timm.yaml", {"resnetv2_50x1_bit": {"weights": "random"} | size})
    path = folder / "data_manifests" / "models" / "objects.yaml"
    arguments = yaml.safe_load(path.read_text("utf-8"))[MASKS]["arguments"]
    weights = {"weights": "file:masks.pth", "arguments": arguments | SMALL}
    rows(folder, "objects.yaml", {MASKS: weights})
    with torch.random.fork_rng():
        torch.manual_seed(0)
        module = maskrcnn_resnet50_fpn(weights=None, weights_backbone=None, num_classes=91)
    with torch.no_grad():
        last = module.roi_heads.box_predictor
        last.cls_score.bias[17] += 7  # COCO's id of cats
        last.bbox_pred.weight *= 0.1
    (folder / "data" / "weights").mkdir()
    torch.save(module.state_dict(), folder / "data" / "weights" / "masks.pth")


def rows(folder: Path, file: str, changes: Mapping[str, Mapping[str, object]]) -> None:
    """Change rows of a file of models."""
    path = folder / "data_manifests" / "models" / file
    models = yaml.safe_load(path.read_text("utf-8"))
    told = {name: models[name] | dict(values) for name, values in changes.items()}
    tiny.change(path, **told)


def _grey(path: Path) -> None:
    Image.open(path).convert("L").save(path)
