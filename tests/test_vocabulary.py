"""The corruptions' names, as the paper lists them, and functions of a user's file."""

import re
import sys

import pytest

from robust_lib import vocabulary
from robust_lib.errors import InputError
from robust_lib.vocabulary import is_corruption, is_user_function, user_function


def test_fifteen_common_four_extra_two_occlusions_some_of_no_paper_and_no_name_twice():
    assert len(vocabulary.COMMON) == 15
    assert len(vocabulary.EXTRA) == 4
    assert vocabulary.OCCLUSION == ("border", "obstruction")
    assert len(set(vocabulary.NAMES)) == 15 + 4 + 2 + len(vocabulary.OWN)


def test_categories_divide_all_names():
    listed = [name for names in vocabulary.CATEGORIES.values() for name in names]
    assert sorted(listed) == sorted(vocabulary.NAMES)
    assert all(vocabulary.CATEGORIES.values())  # no family is empty
    first_four = list(vocabulary.CATEGORIES.values())[:4]
    assert tuple(name for names in first_four for name in names) == vocabulary.COMMON


def test_a_title_is_long_in_text_shorter_in_tables_and_shortest_below_its_family():
    titles = [vocabulary.corruption_title(name) for name in vocabulary.NAMES]
    assert len(set(titles)) == len(titles)
    assert all(title[0].isupper() and "_" not in title for title in titles)
    forms = ("words", "title", "label", "heading")
    told = {
        name: tuple(getattr(vocabulary, f"corruption_{form}")(name) for form in forms)
        for name in ("jpeg_compression", "elastic_transform", "brightness", "zoom_blur")
    }
    assert told == {
        "jpeg_compression": ("JPEG compression", "JPEG compression", "JPEG", "JPEG"),
        "elastic_transform": ("elastic transform", "Elastic transform", "Elastic", "Elastic"),
        "brightness": ("brightness", "Brightness", "Brightness", "Bright"),
        "zoom_blur": ("zoom blur", "Zoom blur", "Zoom blur", "Zoom"),
    }
    assert vocabulary.corruption_label("my/rain.py:HeavyRain") == "Heavyrain"
    assert vocabulary.corruption_words("my_Folder/rain.py:heavy_rain") == "heavy rain"


def test_a_corruption_is_the_benchmarks_or_a_users():
    assert is_corruption("fog")
    assert is_corruption("rain.py:rain")
    assert not is_corruption("rain")
    assert not is_user_function("fog")


FILE = """
from dataclasses import dataclass

@dataclass
class Settings:
    strength: float = 1.0

def rain(picture):
    return picture * Settings().strength

shower = 3
"""


def test_a_function_of_a_users_file_may_use_what_stands_beside_it(tmp_path):
    (tmp_path / "rain.py").write_text(FILE)
    assert user_function(f"{tmp_path}/rain.py:rain", "(picture)")(2) == 2


def test_each_call_reads_the_file_anew(tmp_path):
    (tmp_path / "rain.py").write_text(FILE)
    before = user_function(f"{tmp_path}/rain.py:rain", "(picture)")
    (tmp_path / "rain.py").write_text(FILE.replace("1.0", "10.0"))
    assert user_function(f"{tmp_path}/rain.py:rain", "(picture)")(2) == 20
    assert before(2) == 2


@pytest.mark.parametrize("name", ["drizzle", "shower"])
def test_a_function_that_a_file_has_not_is_named_with_what_it_takes(tmp_path, name):
    path = tmp_path / "rain.py"
    path.write_text(FILE)
    words = rf"Expected a function {name}\(picture\) in {re.escape(str(path))}, but there is none"
    with pytest.raises(InputError, match=words):
        user_function(f"{path}:{name}", "(picture)")


def test_a_users_file_that_is_not_there_is_named_whole(tmp_path):
    with pytest.raises(InputError, match=r"Python file.*/.*snow\.py.*snow\.py:snow"):
        user_function(f"{tmp_path}/snow.py:snow", "()")


@pytest.fixture
def paths(monkeypatch):
    """Python's paths and modules as they were, afterwards."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_file_imports_its_neighbours_when_it_runs_and_when_it_is_called(tmp_path, paths):
    (tmp_path / "net.py").write_text(
        "import neighbour\ndef build():\n    import later\n    return neighbour.SIZE + later.SIZE\n"
    )
    for name in ("neighbour", "later"):
        (tmp_path / f"{name}.py").write_text("SIZE = 1\n")
    name = f"{tmp_path / 'net.py'}:build"
    assert vocabulary.user_object(name) == 2
    for one in ("neighbour", "later"):
        (tmp_path / f"{one}.py").write_text("SIZE = 10\n")
    assert vocabulary.user_object(name) == 20  # not what was read before


def test_neighbours_of_one_name_are_told_apart_or_refused(tmp_path, paths):
    twin = "import twin\ndef build():\n    return twin.SIZE\n"
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "net.py").write_text(twin)
        (tmp_path / folder / "twin.py").write_text(f"SIZE = '{folder}'\n")
    first, second = (f"{tmp_path / folder / 'net.py'}:build" for folder in ("one", "two"))
    assert vocabulary.user_object(first) == "one"
    with pytest.raises(InputError, match=r"a module called twin is already loaded, from .*one"):
        vocabulary.user_object(second)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import nowhere_at_all\n", r"it stopped at net\.py, line 1: ModuleNotFoundError"),
        ("def build(:\n", r"it stopped at net\.py, line 1: SyntaxError"),
        ("import sys\nsys.exit(3)\n", r"it stopped at net\.py, line 2: SystemExit: 3"),
        (
            "def build():\n    return {}['a']\n",
            r"to return a network, but .* 2: KeyError: 'a'",
        ),
    ],
)
def test_errors_of_a_users_file_are_told_in_a_paragraph(text, message, tmp_path, paths):
    (tmp_path / "net.py").write_text(text)
    with pytest.raises(InputError, match=message):
        vocabulary.user_object(f"{tmp_path / 'net.py'}:build")
