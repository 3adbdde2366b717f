"""A whole project in the small: the real notebooks and manifests, shapes for icons, minutes' work
in seconds. Nothing is fetched, and nothing outside its folder is touched.
"""

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from filelock import FileLock

from robust_book import chapters
from robust_book.commands import cli
from robust_book.engine.needs import needs, options, training_set
from robust_lib.config.profiles import load_profile
from robust_lib.run.roles import is_there
from tests import miniature, trees

REPOSITORY = Path(__file__).resolve().parents[1]
HERE = Path(__file__).with_name("here.py")
PROFILE = "tiny"
MODELS = {"alexnet": "alexnet_mini", "resnet18": "resnet18_mini"}


def project(folder: Path) -> Path:
    """Make a project of four classes of shapes, with a profile `tiny` beside the real ones."""
    shutil.copytree(REPOSITORY / "data_manifests", folder / "data_manifests")
    shutil.copytree(REPOSITORY / "notebooks", folder / "notebooks")
    manifests = folder / "data_manifests"
    archives = miniature.packages(folder / "data" / "icons")
    files = [
        {
            "name": archive.name,
            "npm": f"{archive.name.removesuffix('-1.0.0.tgz')}@1.0.0",
            "bytes": archive.stat().st_size,
            "sha512": miniature.integrity(archive),
        }
        for archive in archives
    ]
    change(manifests / "datasets" / "icons.yaml", files=files, options={"sets": []})
    change(manifests / "worlds" / "scenes.yaml", **{k: miniature.WORLD[k] for k in SIDES})
    change(manifests / "worlds" / "icons50.yaml", **ATLAS)
    change(manifests / "worlds" / "broad_icons.yaml", sets=ATLAS["sets"], classes=BROAD)
    path = manifests / "datasets" / "icons50_open.yaml"
    options = yaml.safe_load(path.read_text("utf-8"))["options"]
    held = {"styles": ["google", "microsoft", "mozilla"], "held_out_subtypes": ["dot", "ring"]}
    change(path, options=options | held)
    for name, images in FEWER.items():
        path = manifests / "datasets" / f"scenes_{name}.yaml"
        options = yaml.safe_load(path.read_text("utf-8"))["options"]
        change(path, images=images, options=options | {"images": images})
    for name, count in CLIPS.items():
        path = manifests / "datasets" / f"clips_{name}.yaml"
        options = yaml.safe_load(path.read_text("utf-8"))["options"]
        change(path, options=options | {"clips": count})
    sides = {side: miniature.WORLD[side] for side in ("inside", "outside")}
    change(manifests / "worlds" / "layouts.yaml", **sides, pairs=[["ring", "ball"]])
    for name, images in PHOTOGRAPHS.items():
        path = manifests / "datasets" / f"layouts_{name}.yaml"
        options = yaml.safe_load(path.read_text("utf-8"))["options"]
        foreign = {} if name == "pool" else {"foreign_kinds": ["dot"]}
        change(path, images=images, options=options | {"images": images, "size": 32} | foreign)
    change(manifests / "datasets" / "layouts_random.yaml", images=PHOTOGRAPHS["pool"] // 4)
    # A detector that is barely trained is sure of nothing, and few of its boxes fit anything.
    path = manifests / "datasets" / "layouts_nao.yaml"
    options = yaml.safe_load(path.read_text("utf-8"))["options"]
    change(path, options=options | {"surest": 9000})
    # Of so few classes an untrained network gives each more than fifteen per cent.
    path = manifests / "datasets" / "scenes_a_filtered.yaml"
    options = yaml.safe_load(path.read_text("utf-8"))["options"]
    change(path, options=options | {"thresholds": {"confidence": 0.9}})
    profile = manifests / "profiles" / f"{PROFILE}.yaml"
    shutil.copyfile(manifests / "profiles" / "smoke.yaml", profile)
    networks = yaml.safe_load(profile.read_text("utf-8"))["networks"]
    change(profile.with_name("photos_few.yaml"), limit=3)
    change(
        profile,
        name=PROFILE,
        words="shapes, {classes} classes, {images} scenes, {seeds}",
        networks=networks | {"imagenet_c": MODELS, "imagenet_22k": MODELS, "nao": DETECTORS},
        extra=False,
        limit=16,
        training_limit=None,
        epochs=1,
        train_limit=None,
        bootstrap=100,
        batch_size=16,
    )
    return folder


# Of those that are barely trained, this one says something: its probabilities add up to one.
DETECTORS = {
    "efficientdet_d7": "fasterrcnn_layouts_mini",
    "retinanet_r50": "retinanet_layouts_mini",
}
FEWER = {
    "train": 64,
    "train_few": 64,
    "small_train": 64,
    "val": 24,
    "val_few": 24,
    "small_val": 24,
    "familiar": 24,
    "unfamiliar": 24,
    "candidates_a": 12,
    "candidates_o": 8,
    "textures": 4,
    "places": 4,
    "bernoulli_noise": 4,
    "blobs": 4,
}
CLIPS = {"val": 6, "val_large": 6, "train": 4, "train_large": 4}
PHOTOGRAPHS = {"train": 12, "val": 8, "pool": 200}
SIDES = ("inside", "outside", "clutter", "subsets", "wide")
ATLAS = {
    "sets": {
        "plain": {"style": "google", "rendition": 1},
        "nohyphens": {"style": "mozilla", "rendition": 1},
        "fluent-emoji": {"style": "microsoft", "rendition": 1},
        "fluent-emoji-flat": {"style": "microsoft", "rendition": 2},
    },
    "classes": {
        "ball": {"plain": ["ball", "dot"]},
        "hat": {"plain": ["square-box", "ring"]},
        "heart": {"plain": ["red-heart", "blue-heart"]},
        "flag": {"plain": ["flag"]},
    },
}
BROAD = {
    "ball": {"plain": ["ball", "dot", "ring", "plus", "flag"]},
    "heart": {"plain": ["red-heart", "blue-heart", "square-box", "triangle", "bar"]},
}


def real_layouts(folder: Path) -> Path:
    """Make a project whose ImageNet has four classes, one picture each; the folders come later.

    All else is that of the profile `full`: only counts are cut, and weights are random.
    """
    shutil.copytree(REPOSITORY / "data_manifests", folder / "data_manifests")
    shutil.copytree(REPOSITORY / "notebooks", folder / "notebooks")
    manifests = folder / "data_manifests"
    table = manifests / "classes" / "imagenet_1k.csv"
    kept = table.read_text("utf-8").splitlines(keepends=True)[: 1 + len(trees.WNIDS)]
    table.write_text("".join(kept), "utf-8")
    shutil.rmtree(manifests / "truth")  # of other pictures than the four
    change(manifests / "datasets" / "imagenet_val.yaml", images=len(trees.WNIDS))
    archive = manifests / "datasets" / "imagenet_c.yaml"
    contents = yaml.safe_load(archive.read_text("utf-8"))["contents"]
    change(archive, contents=[content | {"images": len(trees.WNIDS)} for content in contents])
    public = manifests / "models" / "torchvision.yaml"
    text = public.read_text("utf-8")
    public.write_text(text.replace("weights: IMAGENET1K_V1", "weights: random"), "utf-8")
    return folder


def settings(folder: Path) -> dict[str, str]:
    """Return the environment in which a project of its own is the library's."""
    return {
        "ROBUST_ROOT": str(folder),
        "ROBUST_BUILD": str(folder / "build"),
        "ROBUST_DATA": str(folder / "data"),
        "OMP_NUM_THREADS": "1",
    }


def environment(folder: Path) -> dict[str, str]:
    """Return the whole environment of a process that works in a project."""
    return os.environ | settings(folder)


def enter(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the library see a project as its own for one test."""
    for name, value in settings(folder).items():
        monkeypatch.setenv(name, value)
    return folder


def shared(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that is made once for all processes of a test session; do not change it."""
    base = _base(factory)
    folder, made = base / name, base / f"{name}.made"
    with FileLock(base / f"{name}.lock"):
        if not made.exists():
            shutil.rmtree(folder, ignore_errors=True)
            make(folder)
            made.touch()
    return folder


def _base(factory: pytest.TempPathFactory) -> Path:
    """Return the folder that all processes of a test session share."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def drawn(factory: pytest.TempPathFactory) -> Path:
    """Return a project in which tests draw and train once for all; change none of its files."""
    return shared(factory, "drawn", project)


CHAPTERS = tuple(path.stem for path in sorted((REPOSITORY / "notebooks").glob("*.ipynb")))
# Of so few pictures there are no more neighbours.
GIVEN = {
    "00_tour": ("-p", "corruption", "fog", "-p", "limit", "8"),
    "nao_3_blind_spots": ("-p", "neighbours", "5", "-p", "permutations", "99"),
}


def executed(factory: pytest.TempPathFactory) -> Path:
    """Return a project whose chapters have been executed, into its book; do not change it."""

    def make(folder: Path) -> None:
        project(folder)
        words = ("--profile", PROFILE, "--into-book")
        commands = [
            ("robust", "run", chapter, *words, *GIVEN.get(chapter, ())) for chapter in CHAPTERS
        ]
        done = in_one_process(folder, commands)
        assert done.returncode == 0, done.stderr

    return shared(factory, "executed", make)


def begun(factory: pytest.TempPathFactory, folder: Path) -> Path:
    """Make a project without a result; what is drawn, trained and predicted may be there.

    It is if this session has executed the chapters, so that few tests wait for it a second time.
    """
    made = _base(factory) / "executed"
    if not made.with_suffix(".made").exists():
        return project(folder)
    shutil.copytree(made, folder, ignore=shutil.ignore_patterns(PROFILE, "runs"))
    return folder


def toured(factory: pytest.TempPathFactory) -> Path:
    """Return a project whose book has the tour and nothing else, no site; do not change it."""

    def make(folder: Path) -> None:
        words = ("book", "00_tour", "--profile", PROFILE, "--jobs", "2", "--until", "notebook")
        done = robust(project(folder), *words)
        assert done.returncode == 0, done.stdout + done.stderr

    return shared(factory, "toured", make)


def read_by(chapter: str, profile: str) -> tuple[set[str], set[str]]:
    """Return the data sets that a chapter's record names, and those that come with them.

    These are what its networks learn from, and the candidates of what they filter.
    """
    chosen = load_profile(profile)
    parts = chapters.chapter(chapter).parts(chosen)
    named = {
        chosen.data[role]
        for part in parts
        for role, optional in part.roles(chosen).items()
        if not optional or is_there(chosen, role)
    }
    wanted = [needs(part, chosen) for part in parts]
    learned = {training_set(network, chosen) for need in wanted for network in need.trained}
    pools = {chosen.data[options(name)["candidates"]] for need in wanted for name in need.filters}
    return named, learned | pools


def copy(folder: Path, target: Path) -> Path:
    """Copy a project, what it has computed included, for a test that changes it."""
    shutil.copytree(folder, target)
    return target


def change(path: Path, **values: Any) -> None:
    """Change values of a YAML file."""
    content = yaml.safe_load(path.read_text("utf-8"))
    path.write_text(yaml.safe_dump(content | values, sort_keys=False), "utf-8")


def robust(
    folder: Path, *words: str, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run the command `robust` in a project, as a user does."""
    return subprocess.run(
        [sys.executable, "-c", "from robust_book.commands.cli import main; main()", *words],
        env=environment(folder) | dict(env or {}),
        cwd=cwd or folder,
        capture_output=True,
        text=True,
        timeout=600,
    )


def in_one_process(
    folder: Path,
    commands: Iterable[Sequence[str]],
    cwd: Path | None = None,
    build: Path | None = None,
    after: Sequence[Sequence[str]] = (),
) -> "subprocess.CompletedProcess[str]":
    """Run commands, program first, one after another in one process, notebooks without a kernel.

    The process has imported everything before; all else of it is its own.

    Args:
        build: its build folder; None: the project's.
        after: commands that its server has run, once, with a build folder that is deleted.
    """
    with tempfile.TemporaryDirectory() as said:
        out, err = Path(said, "out"), Path(said, "err")
        task = {"commands": [list(words) for words in commands], "cwd": str(cwd or folder)}
        own = {} if build is None else {"ROBUST_BUILD": str(build)}
        task |= {"env": environment(folder) | own, "out": str(out), "err": str(err)}
        server = _server(folder if after else None, tuple(map(tuple, after)))
        server.stdin.write(json.dumps(task) + "\n")
        server.stdin.flush()
        status = int(server.stdout.readline())
        told = (out.read_text("utf-8"), err.read_text("utf-8"))
    return subprocess.CompletedProcess(task["commands"], status, *told)


@cache
def _server(folder: Path | None, after: tuple[tuple[str, ...], ...]) -> "subprocess.Popen[str]":
    """Start what processes are divided from, once for all tests of this process."""
    words = [sys.executable, "-P", HERE, "serve"]
    if folder is not None:
        build = tempfile.mkdtemp()
        atexit.register(shutil.rmtree, build, ignore_errors=True)
        words.append(
            json.dumps({"commands": after, "env": settings(folder) | {"ROBUST_BUILD": build}})
        )
    server = subprocess.Popen(
        words,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(server.communicate)  # it ends when nothing more can be asked
    return server


def run(folder: Path, *words: str, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """Run a chapter in a project by `robust run`, without a kernel."""
    return in_one_process(folder, [("robust", "run", *words)], cwd)


def without_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let papermill execute notebooks in this process until the test ends."""
    # A process that a test starts imports this module, and papermill takes longer than its work.
    from papermill.engines import papermill_engines

    from tests import here

    monkeypatch.setitem(papermill_engines._engines, None, here.Here)


def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str
) -> tuple[int, str, str]:
    """Run `robust` in this process; return its exit status, its output, and what it complains."""
    monkeypatch.setattr(sys, "argv", ["robust", *words])
    capsys.readouterr()
    try:
        cli.main()
        status = 0
    except SystemExit as done:
        status = int(done.code or 0)
    printed = capsys.readouterr()
    # What follows a carriage return are bars, which close when they are collected.
    _, found, complaint = printed.err.rpartition("robust: ")
    complaint = f"{complaint.partition(chr(13))[0].rstrip()}\n"
    return status, printed.out, complaint if found else printed.err


def files(folder: Path) -> dict[str, bytes]:
    """Return all that lies in a folder, to see whether it changes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def warned(notebook: Any) -> list[str]:
    """Return what the cells of an executed notebook printed or were warned of; not their bars."""
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", ())]
    texts = [out for out in outputs if out.output_type == "stream"]
    return [out.text for out in texts if out.name == "stdout" or "Warning" in out.text]
