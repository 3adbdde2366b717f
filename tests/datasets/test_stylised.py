"""Restyled pictures: the same style at all severities, and a digest of all that decides them."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from robust_lib.datasets import batch
from robust_lib.datasets.derived import Subset
from robust_lib.datasets.stylised import ALPHAS, Stylised, Transfer
from robust_lib.errors import InputError
from robust_lib.preprocessing import Preprocessing
from tests.toys import Swatches

GEOMETRY = Preprocessing(None, 32)
PICTURES, STYLES = Swatches(count=12, side=32, name="toys"), Swatches(count=7, side=32, name="art")


def blend(content, style, alpha):
    return alpha * style + (1 - alpha) * content


MIX = Transfer("mixed", "mix", blend)


def made(severity=3, **changes):
    return Stylised(PICTURES, STYLES, MIX, severity, **{"storage": "memory"} | changes)


def test_a_picture_is_painted_in_the_style_that_its_id_draws():
    for severity, alpha in zip((1, 2, 3, 4, 5), ALPHAS, strict=True):
        images = made(severity)
        styles = [images.style_of(place) for place in range(12)]
        found = images.batch(range(12), GEOMETRY)
        wanted = blend(batch(PICTURES, range(12), GEOMETRY), batch(STYLES, styles, GEOMETRY), alpha)
        assert torch.allclose(found, wanted)
    assert len(set(styles)) > 2


def test_neither_batch_nor_severity_nor_order_moves_the_style():
    styles = [made().style_of(place) for place in range(12)]
    assert styles == [made(5).style_of(place) for place in range(12)]
    part = Stylised(Subset(PICTURES, (7, 2)), STYLES, MIX, 1)
    assert [part.style_of(place) for place in (0, 1)] == [styles[7], styles[2]]
    assert styles != [made(seed=1).style_of(place) for place in range(12)]


def test_stored_pictures_are_jpeg_and_can_be_looked_at():
    stored = made(storage="jpeg85")
    levels = stored.batch([4], GEOMETRY) * 255
    assert torch.allclose(levels, levels.round(), atol=1e-3)
    assert np.array_equal(
        stored.read(4, GEOMETRY), levels[0].permute(1, 2, 0).round().byte().numpy()
    )
    assert stored.name == "toys/style_transfer/3"


def test_the_digest_is_of_all_that_decides_the_pictures():
    other = Swatches(count=9, side=32, name="other")
    digests = {
        made().digest,
        made(4).digest,
        made(seed=1).digest,
        made(storage="jpeg85").digest,
        replace(made(), styles=other).digest,
        replace(made(), base=other).digest,
        replace(made(), transfer=Transfer("mixed", "another", blend)).digest,
    }
    assert len(digests) == 7
    assert made().digest == made().digest


def test_an_unknown_severity_and_no_styles_are_refused():
    with pytest.raises(InputError, match="severity"):
        made(6)
    with pytest.raises(InputError, match="there are none"):
        Stylised(PICTURES, Swatches(count=0, side=32, name="none"), MIX, 1)
