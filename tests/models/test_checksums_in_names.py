"""What a file's name tells of its content."""

from pathlib import Path

import pytest

from robust_lib.models.checksums_in_names import named_checksum


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("resnet18-f37072fd.pth", "f37072fd"),
        ("a-b-0123456789abcdef.pth", "0123456789abcdef"),
        ("resnet18.pth", None),
        ("resnet-50.pth", None),
        ("augmix-checkpoint.pth.tar", None),
    ],
)
def test_the_end_of_a_name(name, expected):
    assert named_checksum(Path("somewhere", name)) == expected
