"""A slider over images made beforehand: one control, no server; without a script, a row of all."""

import base64
from collections.abc import Sequence

from robust_lib.blocks.markup import Html, lines, text
from robust_lib.errors import InputError


def slider(images: Sequence[tuple[str, bytes | str]], *, alt: str, what: str = "severity") -> Html:
    """Return a figure that shows one of several images at a time, chosen by a slider.

    Args:
        images: (label, image) in the slider's order; an image is PNG bytes or an address.
        alt: what the images show; each one's label is added to it.
        what: what the slider changes, as its own label.

    Raises:
        InputError: fewer than two images.
    """
    if len(images) < 2:
        raise InputError(f"Expected at least two images to slide over, but got {len(images)}.")
    frames = [
        f'<figure class="rb-frame"><img src="{text(_address(image))}" '
        f'alt="{text(alt)}, {text(label)}"><figcaption>{text(label)}</figcaption></figure>'
        for label, image in images
    ]
    return lines(
        f'<div class="rb-slider" role="group" aria-label="{text(alt)}" data-what="{text(what)}">',
        '<div class="rb-frames">',
        *frames,
        "</div></div>",
    )


def _address(image: bytes | str) -> str:
    if isinstance(image, str):
        return image
    return "data:image/png;base64," + base64.b64encode(image).decode("ascii")
