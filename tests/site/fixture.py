"""A tiny book: three chapters really executed, with results beside them, in a folder of its own.

The project's real prose, ledger and extension are used; only the chapters are made up, so the
site's machinery can be tested in a minute, without data, training or network.
"""

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from robust_lib import paths
from robust_lib.results.verdicts import Verdict

REPOSITORY = Path(__file__).resolve().parents[2]
PROFILE = "fixture"
WORDS = "made-up numbers, 3 classes, 1 seed"

VERDICTS = [
    Verdict(
        item="inc-tab1",
        model="resnet50",
        corruption=None,
        severity=None,
        k=None,
        dataset="imagenet_c",
        metric="mce",
        status="printed",
        reported="76.7",
        unit="percent",
        decimals=1,
        ours=0.812,
        low=0.79,
        high=0.83,
        n=1500,
        verdict="not comparable",
        arithmetic="81.2 here, 76.7 there: other data",
        locator="Table 1",
    ),
    Verdict(
        item="inc-tab1",
        model=None,
        corruption=None,
        severity=None,
        k=None,
        dataset=None,
        metric="mce[vgg11] > mce[resnet50]",
        status="direction",
        reported="+",
        unit="none",
        decimals=None,
        n=1500,
        sentence="mCE falls from VGG-11 to ResNet-50.",
        paper="93.5 % against 76.7 %",
        here="93.5 % [92.1, 94.6] against 81.2 % [79.0, 83.0]",
        verdict="holds",
        arithmetic="93.5 > 81.2: holds",
        locator="Table 1",
    ),
]

SETUP = """\
import io

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from robust_book.html.item import block
from robust_book.html.svg import INK
from robust_book.html.table import table
from robust_lib.results.reported import item
from robust_lib.results.verdicts import Verdict
"""

FIGURE = """\
plt.rcParams.update({{"svg.fonttype": "none", "text.color": INK, "axes.edgecolor": INK,
    "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK, "savefig.transparent": True}})
figure, axes = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
for name, curve in {{"AlexNet": [20, 41, 60, 77, 90], "ResNet-50": [10, 22, 41, 60, 78]}}.items():
    axes.plot(range(1, 6), curve, marker="o")
    axes.annotate(name, (5, curve[-1]), xytext=(6, 0), textcoords="offset points", va="center")
axes.set(xlabel="severity", ylabel="error (%)", xlim=(0.8, 6))
axes.spines[["top", "right"]].set_visible(False)
written = io.StringIO()
figure.savefig(written, format="svg")
plt.close(figure)
"""

BLOCK = """\
frame = pd.DataFrame({{
    "Network": ["AlexNet", "VGG-11", "ResNet-50"],
    "clean error": [43.5, 31.0, 23.9],
    "mCE": [100.0, 93.5, 81.2],
    "relative mCE": [100.0, 123.3, 105.0],
}})
block(
    item("{item}"),
    words="{words}",
    alt="Error of two networks over five severities; both rise.",
    convention="AlexNet's errors as normaliser; n = 1,500; Clopper-Pearson intervals at 95 %.",
    verdicts={verdicts},
    command="papermill notebooks/{notebook}.ipynb out.ipynb -p seeds 3",
    drawn=(written.getvalue(), None),
    table_html=table(frame, caption="Corruption errors here, in percent"),
    reported_html=table(frame, caption="Corruption errors there, in percent"),
    downloads=[(kind, f"_static/results/{item}.{{kind}}") for kind in ("png", "svg", "csv")],
)
"""

PARAMETERS = """\
profile: str = "smoke"  # which profile of data and models
seeds: int = 1  # how many times every model is trained
models: list | None = ["resnet18"]  # names of models, or "file.py:function" of your own
"""

CHAPTERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "00_tour": ("One image, one corruption, one number", ()),
    "inc_1_corruptions": ("Fifteen ways to spoil a picture", ("inc-fig1", "inc-fig6")),
    "inc_2_mce": ("How robust is a network?", ("inc-tab1", "inc-fig2", "inc-tab2")),
}


def verdicts_of(item: str) -> list[Verdict]:
    """Return the verdicts of an item; of one the paper claims nothing."""
    return [replace(one, item=item) for one in VERDICTS] if item != "inc-fig1" else []


def chapter(name: str, *, extra: str = "") -> nbformat.NotebookNode:
    """Return a chapter's notebook without outputs; `extra` is one more code cell."""
    title, items = CHAPTERS[name]
    markdown, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    number = f"The best error is {{result}}`{name}.best`." if items else "Start here."
    cells = [
        markdown(f"# {title}\n\n**Does it get worse?** {number} {{cite}}`inc`"),
        code(PARAMETERS, metadata={"tags": ["parameters"]}),
        code(SETUP),
        markdown(
            "## The measure\n\n$$\\mathrm{CE}_c^f = \\sum_{s=1}^5 E_{s,c}^f \\Big/"
            " \\sum_{s=1}^5 E_{s,c}^{\\text{AlexNet}}$$\n\nwith $E$ an error."
        ),
    ]
    for item in items:
        values = {
            "item": item,
            "words": WORDS,
            "notebook": name,
            "verdicts": repr(verdicts_of(item)),
        }
        cells += [
            code(FIGURE.format()),
            markdown("And compared:"),
            code(BLOCK.format(**values)),
        ]
    cells += [code(extra)] if extra else []
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def results(name: str) -> dict[str, object]:
    """Return what a run of the chapter saves for the site."""
    title, items = CHAPTERS[name]
    judged = [
        {
            "item": item,
            "title": title,
            "verdict": "holds" if item != "inc-fig1" else "shown",
            "verdicts": [one.record() for one in verdicts_of(item)],
        }
        for item in items
    ]
    best = {"text": "18.8 %", "value": 0.188, "convention": "clean error of ResNet-50", "n": 1500}
    return {
        "notebook": name,
        "profile": PROFILE,
        "words": WORDS,
        "items": judged,
        "numbers": {f"{name}.best": best},
        "provenance": {
            "commit": "0123456789abcdef0123456789abcdef01234567",
            "dirty": True,
            "profile": PROFILE,
            "parameters": {"seeds": 1, "models": ["resnet18"]},
            "seeds": [0],
            "datasets": {"scenes": "ab" * 32},
            "weights": {"resnet18": "cd" * 32},
            "versions": {"python": "3.11.7", "numpy": "2.4.6"},
            "device": "cpu",
            "seconds": 72.4,
            "date": "2026-01-02",
            "command": f"papermill notebooks/{name}.ipynb out.ipynb -p seeds 1",
        },
    }


def make(root: Path, *, manifests: Path = REPOSITORY / "data_manifests") -> Path:
    """Return `root`, now a project folder with the real book and three executed chapters."""
    (root / "notebooks").mkdir(parents=True)
    (root / "book").symlink_to(REPOSITORY / "book")
    (root / "data_manifests").symlink_to(manifests)
    home = root / "build" / PROFILE
    for folder in ("notebooks", "results", "figures"):
        (home / folder).mkdir(parents=True)
    for name in CHAPTERS:
        write(root, name, chapter(name))
    return root


def write(root: Path, name: str, notebook: nbformat.NotebookNode, *, execute: bool = True) -> None:
    """Commit a chapter to the project folder, execute it, and leave results and figures."""
    home = root / "build" / PROFILE
    nbformat.write(notebook, root / "notebooks" / f"{name}.ipynb")
    if execute:
        NotebookClient(notebook, timeout=120, allow_errors=True, kernel_name="python3").execute()
    nbformat.write(notebook, home / "notebooks" / f"{name}.ipynb")
    saved = results(name)
    (home / "results" / f"{name}.json").write_text(json.dumps(saved), "utf-8")
    for item in CHAPTERS[name][1]:
        _figure(home / "figures" / item)
        (home / "results" / f"{item}.csv").write_text("network,mce\nresnet50,0.812\n", "utf-8")


def environment(root: Path) -> dict[str, str]:
    """Return the environment in which the library sees this project folder."""
    return {**os.environ, "ROBUST_ROOT": str(root), "ROBUST_BUILD": str(root / "build")}


def _figure(stem: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4, 2.5))
    figure.add_subplot().plot([20, 41, 60, 77, 90])
    for kind in ("png", "svg"):
        figure.savefig(stem.with_suffix(f".{kind}"))


if __name__ == "__main__":
    # Makes the tiny book in the folder given, renders it, and names the folder of the site.
    project = make(Path(sys.argv[1]))
    os.environ.update(environment(project))
    from robust_book.commands import site

    sys.stdout.write(f"{site.build(paths.profile(PROFILE))}\n")
