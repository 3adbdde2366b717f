"""The code on the page "Bring your own model" runs as it stands, block after block."""

import re

import pytest

from robust_lib import paths

PAGE = (paths.book() / "bring_your_own_model.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_opens_three_doors():
    assert re.findall(r"^## (Door \d)", PAGE, re.MULTILINE) == ["Door 1", "Door 2", "Door 3"]
    assert len(BLOCKS) == 5


def test_every_block_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shared: dict[str, object] = {}
    for number, block in enumerate(BLOCKS, start=1):
        try:
            exec(compile(block, f"block {number}", "exec"), shared)
        except Exception as error:
            pytest.fail(f"block {number} of the page fails: {type(error).__name__}: {error}")
