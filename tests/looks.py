"""How often a test's code looks at the disk."""

import os
from collections import Counter
from pathlib import Path

import pytest


def aged(folder: Path) -> Path:
    """Let all folders of a tree have changed an hour ago, as those of a data set have."""
    for inside, _, _ in os.walk(folder):
        when = Path(inside).stat().st_mtime - 3600
        os.utime(inside, (when, when))
    return folder


def counting(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count from now on how often the disk is asked about files, and for those in a folder."""
    looks = Counter({"stat": 0, "scandir": 0})

    def counted(name):
        function = getattr(os, name)

        def call(*given, **named):
            looks[name] += 1
            return function(*given, **named)

        monkeypatch.setattr(os, name, call)

    for name in looks:
        counted(name)
    return looks
