"""Lines of shell on pages, in the README and in notebooks are taken by their programs."""

import json
import re
import shlex
from pathlib import Path

import typer

from robust_book.commands import execute
from robust_book.commands.cli import app
from robust_book.commands.command_line import joined
from robust_book.commands.steps import _parameter
from robust_lib import paths
from robust_lib.errors import RobustLibError

ROOT = paths.book().parent
FENCED = re.compile(r"^ *```bash\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
NAMED = re.compile(r"`((?:\.venv/bin/)?(?:robust|make|papermill) [^`\n]+)`")
REFUSED = (typer.BadParameter.mro()[2], RobustLibError)  # of any word, and of its value
OTHERS = {"pip", "conda", "source", "export", "jupyter"}
"""Programs of other people, whose words are theirs."""


def texts():
    """Return page -> its text."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(paths.book().glob("*.md"))]
    found = {page.name: page.read_text("utf-8") for page in pages}
    for file in sorted(paths.notebooks().glob("*.ipynb")):
        cells = json.loads(file.read_text("utf-8"))["cells"]
        told = ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        found[file.name] = "\n\n".join(told)
    return found


def lines(text):
    """Return the lines of the blocks of shell in a text."""
    found = "".join(FENCED.findall(text)).replace("\\\n", " ").splitlines()
    return [line.strip() for line in found if line.strip()]


def refusal(line, makefile):
    """Return why a line would be refused by its program; None where it is taken."""
    program, *words = shlex.split(line, comments=True) or ["#"]
    program = Path(program).name
    if any("…" in word or "..." in word for word in words) or program == "#":
        return None  # a part is left to the reader
    if program == "make":
        given = [word.partition("=")[0] for word in words if "=" in word]
        there = set(re.findall(r"\b[A-Z]+\b", makefile))
        targets = [word for word in words if "=" not in word]
        unknown = [one for one in targets if not re.search(rf"^{one}:", makefile, re.MULTILINE)]
        return f"{unknown + [one for one in given if one not in there]}".strip("[]") or None
    if program == "python":
        made = words[0].startswith("build/")
        return None if made or (ROOT / words[0]).is_file() else f"no {words[0]}"
    if program == "papermill":
        notebook, _, *rest = words
        marks = zip(rest[1::3], rest[2::3], strict=True)
        return taken(Path(notebook).stem, dict(marks))
    if program != "robust":
        return None if program in OTHERS else f"{program} is no program that is known here"
    command = typer.main.get_command(app)
    while hasattr(command, "commands") and words and words[0] in command.commands:
        command = command.commands[words.pop(0)]
    if hasattr(command, "commands"):  # of the course, the command without a word
        command = command.commands.get("make", command)
    try:
        asked = command.make_context("robust", joined(words)).params
    except REFUSED as error:
        return str(error) or type(error).__name__
    if command.name != "run" or asked["notebook"].isupper():
        return None
    return taken(asked["notebook"], dict(_parameter(text) for text in asked["p"] or []))


def taken(notebook, parameters):
    """Return why a notebook would refuse its parameters; None where it takes them."""
    profile = parameters.pop("profile", None)
    try:
        execute.read(execute.find(notebook), parameters)
    except RobustLibError as error:
        return str(error)
    return None if profile is None or profile in profiles() else f"no profile {profile}"


def known(line):
    """Return a line with a profile and a chapter in the places of those that pages make."""
    return line.replace("--profile open", "--profile full").replace("toy_1_confidence", "00_tour")


def profiles():
    return {file.stem for file in (paths.manifests() / "profiles").glob("*.yaml")}


def test_every_line_of_shell_is_taken_by_its_program():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    refused, seen = {}, 0
    for page, text in texts().items():
        mentioned = NAMED.findall(text)
        for line in (*lines(text), *mentioned):
            seen += 1
            why = refusal(known(line), makefile)
            if why and not (line in mentioned and why.startswith("Missing parameter")):
                refused[page, line] = why
    assert refused == {}
    assert seen > 200
