"""Rules for the prose: one address, a pinned renderer, every page in the contents."""

import ast
import json
import re
import tomllib
from typing import Any

import yaml

from robust_lib import paths
from robust_lib.config.papers import paper_keys, papers
from robust_lib.run.experiments import defaults

BOOK = paths.book()
PAGES = {path: path.read_text("utf-8") for path in sorted(BOOK.rglob("*.md"))}
PROSE = {path: text for path, text in PAGES.items() if path.parent == BOOK} | {
    path: "\n\n".join(
        "".join(cell["source"])
        for cell in json.loads(path.read_text("utf-8"))["cells"]
        if cell["cell_type"] == "markdown"
    )
    for path in sorted(paths.notebooks().glob("*.ipynb"))
}
# What readers stumbled over, and what to write.
STUMBLES = {
    r"[Tt]hat [^.:*\"]{3,140}: \*\{result\}": "a sentence with the claim's -verb",
    r"\b[Ff]oreign\b": "out-of-distribution",
    r"\b[Ss]poil|\byardstick": "corrupt; baseline",
    r"\b(anew|on the spot|by lot|at hand|passed on)\b": "again; during the run; at random; cached",
    r"\b(Whoever|[Nn]obody|[Ss]omebody|[Aa]nybody)\b": "the agent, or the passive",
    r"\b(sure(?! that)|surer|surest|surely)\b": "confident",
    r"\b(images|rows?|box|dots?) an? (class|network|seed|row|cell|model|picture|image)\b": "per",
    r" of None": "a title",
}
CONFIG = yaml.safe_load((BOOK / "_config.yml").read_text("utf-8"))
CONTENTS = yaml.safe_load((BOOK / "_toc.yml").read_text("utf-8"))


def entries(chapters: list[dict[str, Any]]) -> list[str]:
    """Return the pages of some chapters, those below them included."""
    return [page for one in chapters for page in [one["file"], *entries(one.get("sections", []))]]


def listed() -> list[str]:
    return [CONTENTS["root"], *(p for part in CONTENTS["parts"] for p in entries(part["chapters"]))]


def test_the_pages_are_in_two_parts():
    parts = {part["caption"]: part["chapters"] for part in CONTENTS["parts"]}
    assert [*parts] == ["Results and methods", "Guides"]
    shown = {chapter["file"] for chapters in parts.values() for chapter in chapters}
    assert {"ledger", "miniature", "networks", "how_to_read"} <= shown
    assert not any(name.startswith(("decisions", "api/")) for name in shown)


def test_every_page_is_in_the_contents_and_every_entry_is_a_page():
    assert {str(path.relative_to(BOOK).with_suffix("")) for path in PAGES} == set(listed())


def test_the_repositorys_address_stands_in_one_place():
    address = CONFIG["repository"]["url"]
    files = [*PAGES, *BOOK.rglob("*.py"), *BOOK.rglob("*.js"), *BOOK.rglob("*.html")]
    assert [path.name for path in files if address in path.read_text("utf-8")] == []


def test_who_cites_the_project_is_led_to_the_same_repository():
    cited = yaml.safe_load((paths.root() / "CITATION.cff").read_text("utf-8"))
    assert cited["repository-code"] == CONFIG["repository"]["url"]


def test_the_renderer_is_pinned():
    project = tomllib.loads((paths.root() / "pyproject.toml").read_text("utf-8"))
    assert "jupyter-book==1.0.4.post1" in project["project"]["optional-dependencies"]["book"]


def test_every_paper_has_a_reference_and_a_part_of_the_ledger():
    keys = set(re.findall(r"^@\w+\{(\w+),", (BOOK / "references.bib").read_text("utf-8"), re.M))
    assert set(paper_keys()) <= keys
    ledger_page = PAGES[BOOK / "ledger.md"]
    parts = re.findall(r"^## (.+)\n\n```\{ledger\} (\w+)$", ledger_page, re.M)
    assert parts == [(card.short, card.key) for card in papers()]


def test_decisions_fit_on_a_page():
    for path in (BOOK / "decisions").glob("0*.md"):
        text = path.read_text("utf-8")
        assert len(text.splitlines()) <= 25
        assert re.findall(r"\*\*(\w+)\.\*\*", text) == ["Context", "Decision", "Consequences"]


def test_commands_on_the_pages_name_parameters_that_the_notebooks_have():
    commands = re.findall(
        r"(?:robust run|papermill) \S*?(\w+)(?:\.ipynb)? (.*)", "\n".join(PAGES.values())
    )
    asked = {
        (notebook, name) for notebook, rest in commands for name in re.findall(r"-p (\w+)", rest)
    }
    assert "inc_2_mce" in {notebook for notebook, _ in asked}
    for notebook, name in asked:
        assert name in defaults(paths.notebooks() / f"{notebook}.ipynb")


def test_files_of_the_house_that_a_page_names_are_there():
    """A decision of long ago may name what was; architecture.md has files that it has one write."""
    tops = "robust_lib|book|tests|notebooks|workflow"
    for path, text in PAGES.items():
        if path.stem.startswith("0006") or path.stem == "architecture":
            continue
        for name in re.findall(rf"`((?:{tops})/[\w./-]+\.(?:py|yml|ipynb|md))`", text):
            assert (BOOK.parent / name).exists(), f"{path.name} names {name}"


def test_the_prose_has_none_of_what_readers_stumbled_over():
    for path, text in PROSE.items():
        words = re.sub(r"\{(\w+)[:\w]*\}`[^`]*`", r"{\1}", text)
        words = re.sub(r"```.*?```|`[^`\n]*`", "", words, flags=re.S)
        for pattern, better in STUMBLES.items():
            found = re.search(pattern, words)
            assert not found, f"{path.name}: {found[0]!r}; write: {better}"


def said_by(path):
    """Yield what a module writes in sentences, docstrings aside; `{}` stands for a value."""
    tree = ast.parse(path.read_text("utf-8"))
    passed = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
    for joined in ast.walk(tree):
        if isinstance(joined, ast.JoinedStr):
            passed |= {id(one) for one in ast.walk(joined)} - {id(joined)}
    for one in ast.walk(tree):
        if id(one) in passed:
            continue
        if isinstance(one, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in one.values)
            yield "".join(map(str, parts))
        elif isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value


def test_what_chapters_write_has_none_of_it_either():
    stumble = re.compile("|".join(STUMBLES))
    for path in sorted((BOOK / "robust_book" / "chapters").rglob("*.py")):
        for text in said_by(path) if stumble.search(path.read_text("utf-8")) else ():
            found = len(text.split()) > 3 and stumble.search(text)
            assert not found, f"{path.name}: {found[0]!r} in {text!r}; see STUMBLES"


def test_the_words_that_people_search_for_are_there():
    searched = {
        "nae_3_imagenet_o": ("out-of-distribution", "OOD", "AUROC", "AUPR"),
        "nae_2_imagenet_a": ("adversarial training", "FGSM", "PGD"),
        "nae_4_calibration": ("reliability diagram", "overconfident", "AURRA"),
        "vid_2_classification": ("pm-k", "distribution shift"),
        "nao_2_map": ("intersection over union", "IoU", "mAP"),
        "inc_2_mce": ("mean corruption error", "mCE"),
    }
    for name, words in searched.items():
        text = PROSE[paths.notebooks() / f"{name}.ipynb"].lower()
        assert [word for word in words if word.lower() not in text] == []
