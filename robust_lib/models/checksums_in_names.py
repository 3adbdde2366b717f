"""Torch's habit: a file of weights has the beginning of its SHA-256 at the end of its name."""

import re
from pathlib import Path


def named_checksum(file: Path) -> str | None:
    """Return the beginning of the SHA-256 that a file's name ends in, or None.

    >>> named_checksum(Path("resnet18-f37072fd.pth")), named_checksum(Path("mine.pth"))
    ('f37072fd', None)
    """
    found = re.search(r"-([0-9a-f]{8,})$", file.stem)
    return found[1] if found else None
