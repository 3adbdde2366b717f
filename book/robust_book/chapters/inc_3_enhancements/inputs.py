"""Pictures as networks behind a wrapper see them, and the wrappers' settings in words."""

import numpy as np
import torch

from robust_lib.config.enhancements import Wrapper
from robust_lib.config.manifests import load_model
from robust_lib.corruptions import corrupt
from robust_lib.models.enhance import changed
from robust_lib.run.run import Run
from robust_lib.types import Picture

COLUMNS = 3
SEVERITY = 3  # of the noise that is shown
_DENOISER, _EQUALISER, _CROPS = "resnet50_nlm", "resnet50_equalised", "resnet50_tencrop"


def seen(run: Run) -> tuple[list[Picture], list[str]]:
    """Return pictures and captions: one clean and one noisy, as they are, denoised, equalised."""
    picture = run.pictures(1)[0]
    clean = torch.from_numpy(picture).permute(2, 0, 1)[None].float() / 255
    noisy = corrupt(clean, "gaussian_noise", SEVERITY, keys=["shown"])
    pictures, captions = [], []
    for name, images in (("clean", clean), ("Gaussian noise", noisy)):
        for what, shown in (
            ("", images),
            ("denoised", changed(images, _wrapper(run, _DENOISER, "nlm_denoise"))),
            ("equalised", changed(images, _wrapper(run, _EQUALISER, "clahe"))),
        ):
            levels = (shown[0].permute(1, 2, 0).numpy() * 255).round().clip(0, 255)
            pictures.append(np.ascontiguousarray(levels.astype(np.uint8)))
            captions.append(", ".join(filter(None, [name, what])))
    return pictures, captions


def denoiser_words(run: Run) -> str:
    """Return how pictures are denoised, in a sentence."""
    chosen = _arguments(run, _DENOISER, {"strength": 0.8, "patch": 5, "distance": 6})
    return (
        f"Non-local means: strength {chosen['strength']:g} times the noise that the finest "
        f"wavelet coefficients show, patches of {chosen['patch']} pixels, at most "
        f"{chosen['distance']} pixels apart; the paper names none of these."
    )


def equaliser_words(run: Run) -> str:
    """Return how pictures are equalised, in a sentence."""
    chosen = _arguments(run, _EQUALISER, {"limit": 2.0, "tiles": 8})
    return (
        f"Equalised: the lightness (L of Lab), on {chosen['tiles']} x {chosen['tiles']} tiles, "
        f"with a contrast limit of {chosen['limit']:g}; the paper names none of these."
    )


def crop_words(run: Run) -> str:
    """Return the size of the ten crops, in a sentence; no text if no network has them."""
    chosen = _arguments(run, _CROPS, {})
    if "crop" not in chosen:
        return ""
    within = f" of the central {chosen['within']}" if "within" in chosen else ""
    return f"A crop has {chosen['crop']} pixels{within}."


def _wrapper(run: Run, paper: str, name: str) -> Wrapper:
    ours = run.paper_names.get(paper)
    found = None if ours is None else load_model(ours).wrapper
    return Wrapper.model_validate({"name": name}) if found is None else found


def _arguments(run: Run, paper: str, usual: dict[str, float | int]) -> dict[str, float | int]:
    ours = run.paper_names.get(paper)
    wrapper = None if ours is None else load_model(ours).wrapper
    return usual | ({} if wrapper is None else wrapper.arguments)
