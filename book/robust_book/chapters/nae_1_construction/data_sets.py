"""The two data sets: sizes and classes, and the numbers that the prose names."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd

from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import load_dataset
from robust_lib.datasets import ImageSet
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.results.reported import printed
from robust_lib.results.row import Row
from robust_lib.results.table import Results

TASKS = ("Classification", "Out-of-distribution detection")
"""What ImageNet-A and ImageNet-O are for."""
SOURCES: Mapping[str, str] = MappingProxyType(
    {
        "imagenet_a": "iNaturalist, Flickr, DuckDuckGo",
        "imagenet_o": "ImageNet-22K excluding ImageNet-1K",
    }
)
"""Where their pictures come from, as the paper's Table 1 prints it."""


def results(imagenet_a: ImageSet, imagenet_o: ImageSet, imagenet: ImageSet) -> Results:
    """Return how many images and classes the data sets have, as rows.

    Args:
        imagenet_a: ImageNet-A or what stands for it.
        imagenet_o: ImageNet-O or what stands for it.
        imagenet: pictures of all classes.
    """
    return Results.of(
        Row(item=item, dataset=images.name, metric=metric, value=float(value))
        for item, images, metric, value in (
            ("nae-tab1", imagenet_a, "images", len(imagenet_a)),
            ("nae-tab1", imagenet_o, "images", len(imagenet_o)),
            ("nae-tab1", imagenet_a, "classes", len(imagenet_a.class_names)),
            ("nae-tab1", imagenet_o, "classes", len(imagenet_o.class_names)),
            ("nae-tab1", imagenet, "classes", len(imagenet.class_names)),
            ("nae-appa", imagenet_a, "classes", len(imagenet_a.class_names)),
            ("nae-appb", imagenet_o, "classes", len(imagenet_o.class_names)),
        )
    )


def size_frame(
    results: Results, imagenet_a: ImageSet, imagenet_o: ImageSet, roles: Mapping[str, str]
) -> pd.DataFrame:
    """Return both data sets with task, images, classes and the sources of their pictures.

    Args:
        results: of `results`.
        imagenet_a: ImageNet-A or what stands for it.
        imagenet_o: ImageNet-O or what stands for it.
        roles: the profile's role of a data set -> its name.

    >>> sets = [run.image_set(role) for role in ("imagenet_a", "imagenet_o", "imagenet_val")]
    >>> frame = size_frame(results(*sets), *sets[:2], run.profile.data)
    >>> frame[["Images", "Data sources"]].to_numpy().tolist()[1]
    [30.0, "Scenes of things outside the label set, the candidates for the miniature's ImageNet-O"]
    """
    counted = {(row.dataset, row.metric): row.value for row in results.select(item="nae-tab1").rows}
    names = [images.name for images in (imagenet_a, imagenet_o)]
    return pd.DataFrame(
        {
            "Data set": [load_dataset(name).title for name in names],
            "Task": list(TASKS),
            "Images": [counted[name, "images"] for name in names],
            "Classes": [counted[name, "classes"] for name in names],
            "Data sources": [_sources(name, roles) for name in names],
        }
    )


def _sources(name: str, roles: Mapping[str, str]) -> str:
    """Return where the pictures of a data set come from: of a filtered one, its candidates."""
    candidates = load_dataset(name).options.get("candidates")
    return SOURCES.get(name, "") if candidates is None else load_dataset(roles[candidates]).title


def printed_size_frame() -> pd.DataFrame:
    """Return Table 1 as the paper prints it."""
    images = {row.dataset: row.number for row in printed("nae-tab1", metric="images")}
    return pd.DataFrame(
        {
            "Data set": [load_dataset(name).title for name in SOURCES],
            "Task": list(TASKS),
            "Images": [images[name] for name in SOURCES],
            "Data sources": list(SOURCES.values()),
        }
    )


def class_frame(images: ImageSet) -> pd.DataFrame:
    """Return the classes of a data set and how many of its pictures each has."""
    counted = np.bincount(images.labels, minlength=len(images.class_names))
    return pd.DataFrame({"Class": list(images.class_names), "Images": counted})


def predicted_class_frame(
    masked: MaskedPredictions, images: ImageSet, network: str
) -> pd.DataFrame:
    """Return the classes that a network's first seed takes pictures for, and how many for each."""
    predicted = masked.predictions[network][0].predicted
    counted = np.bincount(predicted, minlength=len(images.class_names))
    return pd.DataFrame({"Class": list(images.class_names), "Taken for": counted})


def paper_class_frame(name: str) -> pd.DataFrame:
    """Return one of the paper's two lists of 200 classes: name and WordNet id.

    >>> paper_class_frame("imagenet_o").iloc[0].to_dict()
    {'Class': 'goldfish', 'WordNet id': 'n01443537'}
    """
    entries = load_classes(name).entries
    return pd.DataFrame(
        {"Class": [one.name for one in entries], "WordNet id": [one.wnid for one in entries]}
    )
