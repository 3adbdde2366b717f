"""A checkout in the small that can be released, and steps that need no browser and no network."""

import json
import os
import subprocess

from robust_book.commands.release import Steps

COMMIT_AS = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a"}
COMMIT_AS |= {"GIT_COMMITTER_EMAIL": "a@b", "GIT_CONFIG_GLOBAL": os.devnull}
COMMIT_AS |= {
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}

PYPROJECT = '[project]\nname = "toy-lib"\nversion = "1.2.0"\n'
CHANGELOG = (
    "# Changelog\n\n## [1.2.0] - 2026-03-04\n\n- New.\n\n## [1.1.0] - 2025-01-01\n\n- Old.\n"
)
CITATION = """\
cff-version: 1.2.0
title: A toy
abstract: What it is.
version: 1.2.0
date-released: 2026-03-04
license: Apache-2.0
keywords: [toys]
authors:
  - name: The toy makers
references:
  - type: article
    title: On toys
    authors:
      - {family-names: Doe, given-names: Jo}
    year: 2019
    identifiers:
      - {type: other, value: "arXiv:1900.00001v1"}
"""


def record(**given):
    """Return what a run of one chapter saved."""
    made = {
        "commit": "0123456789abcdef0123456789abcdef01234567",
        "dirty": False,
        "profile": "toys",
        "datasets": {"scenes": "ab" * 32},
        "versions": {"python": "3.11.7", "numpy": "2.4.6"},
        "date": "2026-03-01",
        "command": "papermill notebooks/one.ipynb out.ipynb",
    }
    shown = {"pictures": given.pop("pictures")} if "pictures" in given else {}
    return {"notebook": "one", "items": [{"item": "inc-tab1"}], "provenance": made | given} | shown


def checkout(folder, monkeypatch):
    """Make a repository with one commit and results of one chapter, and let the library see it."""
    monkeypatch.setenv("ROBUST_ROOT", str(folder))
    monkeypatch.setenv("ROBUST_BUILD", str(folder / "build"))
    (folder / "book").mkdir(parents=True)
    (folder / "pyproject.toml").write_text(PYPROJECT, "utf-8")
    (folder / "CHANGELOG.md").write_text(CHANGELOG, "utf-8")
    (folder / "CITATION.cff").write_text(CITATION, "utf-8")
    (folder / "LICENSE").write_text("Free.\n", "utf-8")
    (folder / "README.md").write_text("# A toy\n", "utf-8")
    (folder / "workflow").mkdir()
    (folder / "workflow" / "Snakefile").write_text("rule all:\n", "utf-8")
    (folder / ".gitignore").write_text("build/\n", "utf-8")
    (folder / "data_manifests" / "datasets").mkdir(parents=True)
    (folder / "data_manifests" / "datasets" / "ours.yaml").write_text(
        "{name: ours, title: Ours, kind: unlabelled, layout: flat, licence: none, access: open, "
        "reference: Doe}\n",
        "utf-8",
    )
    (folder / "book" / "_config.yml").write_text(
        "repository:\n  url: https://example.org/me/toy\n", "utf-8"
    )
    results = folder / "build" / "toys" / "results"
    results.mkdir(parents=True)
    (results / "one.json").write_text(json.dumps(record()), "utf-8")
    (results / "inc-tab1.csv").write_text("a\n1\n", "utf-8")
    (results / ".half.csv").write_text("a", "utf-8")
    git(folder, "init", "--quiet")
    commit(folder)
    return folder


def commit(folder):
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "one")


def git(folder, *words):
    subprocess.run(["git", *words], cwd=folder, env=os.environ | COMMIT_AS, check=True)


def rendered(home):
    site = home / "site"
    (site / "_static").mkdir(parents=True, exist_ok=True)
    (site / "index.html").write_text("<h1>A toy</h1>", "utf-8")
    (site / "_static" / "a.css").write_text("p {}", "utf-8")
    return site


def printed(home, version):
    book = home / "book.pdf"
    book.write_text(f"{version.number} {version.when.isoformat()}", "utf-8")
    return book


def built(root, folder, epoch):
    folder.mkdir()
    made = [folder / "toy_lib-1.2.0-py3-none-any.whl", folder / "toy_lib-1.2.0.tar.gz"]
    for path in made:
        path.write_text(str(epoch), "utf-8")
    return made


STEPS = Steps(render=rendered, print=printed, build=built, trained=lambda profile, runs: [])
