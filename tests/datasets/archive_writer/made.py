"""What lies in a tree of corrupted pictures, and what its writer refuses."""

import io

import pytest
from PIL import Image

from robust_lib.datasets.archive_writer.manifest import NAME
from robust_lib.errors import DataError
from robust_lib.preprocessing import Preprocessing
from tests import tiny

AS_IT_IS = Preprocessing(None, None)
QUICK = {"corruptions": ["contrast", "shot_noise"], "severities": [1, 4]}


def refused(work, *told, kind=DataError):
    """The work must fail with one paragraph that says what is told."""
    with pytest.raises(kind) as caught:
        work()
    message = str(caught.value)
    assert "\n" not in message
    for words in told:
        assert words in message
    return message


def pictures(folder):
    """The tree's pictures alone, by path."""
    return {name: content for name, content in tiny.files(folder).items() if name != NAME}


def sizes(folder):
    return {name: Image.open(io.BytesIO(file)).size for name, file in pictures(folder).items()}


def without_comment(content):
    """A JPEG file less its comment."""
    length = int.from_bytes(content[22:24], "big")
    assert content[20:22] == b"\xff\xfe"
    return content[:20] + content[22 + length :]
