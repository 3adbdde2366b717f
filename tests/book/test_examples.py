"""The code on the pages "Bring your own ..." runs as it stands, block after block."""

import doctest
import inspect
import re
from typing import Any

import pytest

from robust_book.chapters import chapter
from robust_book.engine.supplies import supplies
from robust_book.sphinx_ext import examples, functions
from robust_lib import paths
from robust_lib.fetch.verification import verify
from robust_lib.run.papers import nao
from robust_lib.run.start import start
from tests.real_data import real

PAGE = (paths.book() / "bring_your_own_model.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_opens_three_doors():
    assert re.findall(r"^## (Option \d)", PAGE, re.MULTILINE) == [
        "Option 1",
        "Option 2",
        "Option 3",
    ]
    assert len(BLOCKS) == 11


def test_every_block_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shared: dict[str, object] = {}
    for number, block in enumerate(BLOCKS, start=1):
        try:
            exec(compile(block, f"block {number}", "exec"), shared)
        except Exception as error:
            pytest.fail(f"block {number} of the page fails: {type(error).__name__}: {error}")


def test_manifest_and_profile_of_ones_own_are_read_as_the_page_has_them(tmp_path, monkeypatch):
    """To the letter, with 47 real images of COCO."""
    coco = real("coco_47")
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    manifest, profile = re.findall(r"```yaml\n(name: .*?)```", PAGE, re.DOTALL)
    for kind, name, text in (("datasets", "open_coco", manifest), ("profiles", "open", profile)):
        file = tmp_path / "manifests" / kind / f"{name}.yaml"
        file.parent.mkdir(parents=True)
        hard = f"coco:{coco / 'instances_47.json'},{coco / 'val2017'}"
        file.write_text(text.replace("coco:/home/me/hard.json,/home/me/hard", hard))
    (tmp_path / "open_coco").mkdir()
    (tmp_path / "open_coco" / "instances.json").symlink_to(coco / "instances_47.json")
    (tmp_path / "open_coco" / "pictures").symlink_to(coco / "val2017")
    verify("open_coco").require()
    run = start(nao.MAP, "open", models=[])
    ordinary, hard = (run.image_set(role) for role in (nao.ORDINARY, nao.ADVERSARIAL))
    assert (ordinary.name, hard.name) == ("open_coco", "coco:instances_47")
    assert ordinary.ids == hard.ids
    assert sum(map(len, hard.annotations)) == 469
    lacking = {one.name for one in supplies(chapter("nao_2_map"), run.profile).lacking}
    assert "coco_val" not in lacking
    assert "nao" not in lacking


def documented() -> list[Any]:
    """Return what the pages of the API describe, methods of classes among them."""
    found: list[Any] = []
    for page in sorted((paths.book() / "api").glob("*.md")):
        for name in functions._NAMED.findall(page.read_text("utf-8")):
            one = functions.named(name)
            found.append(one)
            if inspect.isclass(one):
                members = vars(one).values()
                found += [
                    getattr(member, "__func__", getattr(member, "fget", member))
                    for member in members
                    if getattr(member, "__doc__", None)
                ]
    return found


def test_examples_of_the_api_bring_the_names_that_they_use():
    """Pasted into an empty session; that they run is tested in their modules."""
    lacking, seen = [], 0
    for one in documented():
        module = one if inspect.ismodule(one) else inspect.getmodule(one)
        doc = inspect.getdoc(one) or ""
        if module is None or ">>>" not in doc:
            continue
        lines = examples.with_imports(doc.splitlines(), module)
        parts = doctest.DocTestParser().get_examples("\n".join(lines))
        source = "".join(part.source for part in parts)
        shared: dict[str, object] = {}
        brought = [part.source for part in parts if part.source.startswith(("import ", "from "))]
        exec("".join(brought), shared)
        seen += len(parts)
        lacking += [name for name in examples.lacking(source) if name not in shared]
    assert seen > 200
    assert lacking == []


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
