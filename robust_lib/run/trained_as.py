"""Digests of how networks are trained, which show whether stored numbers fit today's networks."""

import hashlib
import json

from robust_lib.code_digest import source_digest
from robust_lib.config.manifests import load_model
from robust_lib.run.network import Network
from robust_lib.training import zoo
from robust_lib.training.recipes import recipe_of


def trained_as(network: str) -> str:
    """Return a digest of architecture, images and recipe, of a network and the one it starts from.

    The digest includes the code that trains the network and draws its images. It excludes the seed,
    the number of epochs that a profile sets, and the processor.

    Args:
        network: text form of a network, such as "resnet18_small+fog".

    Raises:
        InputError: the model is unknown or not trained here.

    >>> trained_as("resnet18_mini") == trained_as("resnet18_mini~2")
    True
    >>> trained_as("resnet18_mini") == trained_as("resnet50_mini")
    False
    """
    asked = Network.read(network)
    model = load_model(asked.model)
    steps: list[list[object]] = []
    while True:
        corrupted = asked.corruption is not None and not steps
        planned = recipe_of(model, corrupted=corrupted)
        recipe = planned.model_dump(mode="json", exclude_defaults=True)
        code = zoo.code_of(model, planned, starts=model.starts_from is not None)
        steps.append([dict(model.arguments), str(model.trained_on), recipe, code])
        if model.starts_from is None:
            break
        model = load_model(model.starts_from)
    text = json.dumps([steps, source_digest("miniworld")], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
