"""The code on the pages "Bring your own ..." runs as it stands, block after block."""

import re

import pytest

from robust_lib import paths

PAGE = (paths.book() / "bring_your_own_model.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_opens_three_doors():
    assert re.findall(r"^## (Door \d)", PAGE, re.MULTILINE) == ["Door 1", "Door 2", "Door 3"]
    assert len(BLOCKS) == 10


def test_every_block_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shared: dict[str, object] = {}
    for number, block in enumerate(BLOCKS, start=1):
        try:
            exec(compile(block, f"block {number}", "exec"), shared)
        except Exception as error:
            pytest.fail(f"block {number} of the page fails: {type(error).__name__}: {error}")


def test_ones_own_corruption_runs_as_the_page_has_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (paths.book() / "bring_your_own_corruption.md").read_text("utf-8")
    function, use = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "rain.py").write_text(function)
    shared: dict[str, object] = {}
    exec(compile(use, "use", "exec"), shared)
    rainy, images = shared["rainy"], shared["images"]
    assert rainy.shape == images.shape
    assert 0.01 < (rainy != images).float().mean() < 0.2
    light = shared["corrupt"](images, "rain.py:rain", 1, keys=["first", "second"])
    assert (light != images).float().mean() < (rainy != images).float().mean()
