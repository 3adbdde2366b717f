"""Which rows of data_manifests/models are detectors: their builders tell, and torch need not."""

from robust_lib.config.manifests import load_model, model_names

DETECTORS = frozenset(
    {
        *("faster_rcnn_mini", "mask_rcnn_mini", "retinanet_mini", "rfcn_mini", "efficientdet_mini"),
        *("faster_rcnn", "rfcn", "efficientdet", "torchvision_detection"),
    }
)
"""Builders of detectors; all others make classifiers."""


def is_detector(name: str) -> bool:
    """Return whether a model has the row of a detector, which finds boxes.

    >>> is_detector("rfcn_resnet101_mini"), is_detector("resnet50"), is_detector("my.py:net")
    (True, False, False)
    """
    return name in model_names() and load_model(name).builder in DETECTORS
