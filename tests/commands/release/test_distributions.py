"""Building needs uv; that the wheel is whole is tested in tests/test_wheel.py."""

import sys

import pytest

from robust_book.commands.release import distributions
from robust_lib.errors import RunError


def uv(folder, monkeypatch, script):
    """Let a script stand for uv, beside a python of its own."""
    path = folder / "bin" / "uv"
    path.parent.mkdir()
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(path.with_name("python")))


def test_without_uv_it_is_said_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RunError, match="Expected uv to build the wheel with"):
        distributions.build(tmp_path, tmp_path / "out", 0)


def test_a_build_that_fails_says_why(tmp_path, monkeypatch):
    uv(tmp_path, monkeypatch, "echo no backend >&2; exit 2")
    with pytest.raises(RunError, match="building them failed: no backend"):
        distributions.build(tmp_path, tmp_path / "out", 0)


def test_both_packages_are_dated_by_the_release(tmp_path, monkeypatch):
    out = tmp_path / "out"
    made = (
        f"mkdir {out}; cd {out}; echo $SOURCE_DATE_EPOCH | tee a.whl > a.tar.gz; touch .gitignore"
    )
    uv(tmp_path, monkeypatch, made)
    found = distributions.build(tmp_path, out, 86400)
    assert [path.name for path in found] == ["a.tar.gz", "a.whl"]
    assert found[1].read_text("utf-8") == "86400\n"
    assert sorted(path.name for path in out.iterdir()) == ["a.tar.gz", "a.whl"]
