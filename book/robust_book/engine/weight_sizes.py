"""How large files of weights are whose publishers do not say: four bytes a parameter."""

from functools import cache

from robust_lib.config.manifests import ModelManifest

FLOAT = 4  # bytes: published weights are float32


def estimated_bytes(manifest: ModelManifest) -> int | None:
    """Return about how many bytes the weights of a row have; None where nobody can count them.

    >>> from robust_lib.config.manifests import load_model
    >>> estimated_bytes(load_model("resnet18"))  # torchvision counts 11,689,512 parameters
    46758048
    """
    number = _parameters(manifest.builder, str(manifest.arguments.get("name")))
    return None if number is None else FLOAT * number


@cache
def _parameters(builder: str, name: str) -> int | None:
    if builder == "timm":
        import timm
        import torch

        with torch.device("meta"):  # shapes alone: nothing is drawn, no memory is taken
            return sum(one.numel() for one in timm.create_model(name).parameters())
    if builder.startswith("torchvision"):
        from torchvision import models

        published = next(iter(models.get_model_weights(name)))
        return int(published.meta["num_params"])
    return None
