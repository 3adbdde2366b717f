"""The slider: all images without a script, inline or by address."""

import base64
import re

import pytest

from robust_lib.blocks import slider
from robust_lib.errors import InputError


def test_every_image_is_there_with_its_label_and_alternative():
    made = slider([("1", b"png"), ("2", "_static/two.png")], alt="A <dog>").markup
    assert re.findall(r'alt="([^"]+)"', made) == ["A &lt;dog&gt;, 1", "A &lt;dog&gt;, 2"]
    assert re.findall(r"<figcaption>(.*?)</figcaption>", made) == ["1", "2"]


def test_bytes_travel_inside_the_page():
    made = slider([("1", b"\x89PNG"), ("2", b"\x89PNG2")], alt="x").markup
    encoded = re.findall(r"data:image/png;base64,([^\"]+)", made)
    assert [base64.b64decode(one) for one in encoded] == [b"\x89PNG", b"\x89PNG2"]


def test_one_image_is_no_slider():
    with pytest.raises(InputError, match="at least two images to slide over, but got 1"):
        slider([("1", b"png")], alt="x")
