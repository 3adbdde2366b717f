"""The register of quirks: each row names a test, and each of these tests is there."""

import ast
import re

from robust_lib import paths

TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def test_each_quirk_names_a_test_that_there_is():
    page = (paths.book() / "quirks.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and "| quirk |" not in line]
    lost = []
    for row in rows:
        (named,) = TEST.findall(row)
        file = paths.root() / named[0]
        tree = ast.parse(file.read_text("utf-8")) if file.exists() else ast.Module([], [])
        if named[1] not in {one.name for one in tree.body if isinstance(one, ast.FunctionDef)}:
            lost.append("::".join(named))
    assert len(rows) > 30
    assert lost == []
