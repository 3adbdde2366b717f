"""The digest of code: deaf to comments and docstrings, awake to everything else."""

import pytest

from robust_lib import code_digest
from robust_lib.code_digest import source_digest
from robust_lib.errors import InputError

CODE = '''"""About."""

RATE = 0.1


def double(x: int) -> int:
    """Return twice the number."""
    # Why: addition is enough.
    return x + x


class Box:
    """A box."""

    SIDE = 2
'''


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of our own in the place of the library."""
    monkeypatch.setattr(code_digest, "_PACKAGE", tmp_path)
    (tmp_path / "inner").mkdir()
    (tmp_path / "one.py").write_text(CODE)
    (tmp_path / "inner" / "__init__.py").write_text("")
    (tmp_path / "inner" / "two.py").write_text("TWO = 2\n")
    source_digest.cache_clear()
    yield tmp_path
    source_digest.cache_clear()


def digest(*places):
    source_digest.cache_clear()
    return source_digest(*places)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    # Why: addition is enough.\n", ""),
        ("# Why: addition is enough.", "# Why: it is exact."),
        ('    """Return twice the number."""\n', ""),
        ("Return twice the number.", "Return the double."),
        ('"""About."""\n', '"""Something else."""\n'),
        ('    """A box."""\n', ""),
        ("    return x + x", "    return (x + x)  # at once"),
        ("\n\n\nclass Box", "\n\nclass Box"),
    ],
)
def test_comments_docstrings_and_layout_do_not_matter(package, old, new):
    before = digest("one")
    assert old in CODE
    (package / "one.py").write_text(CODE.replace(old, new))
    assert digest("one") == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("RATE = 0.1", "RATE = 0.2"),
        ("return x + x", "return x * 2"),
        ("double", "twice"),
        ("SIDE = 2", 'SIDE = "2"'),
        ("class Box:", "class Box(dict):"),
        ("(x: int)", "(x: int, y: int = 0)"),
    ],
)
def test_code_matters(package, old, new):
    before = digest("one")
    assert old in CODE
    (package / "one.py").write_text(CODE.replace(old, new))
    assert digest("one") != before


def test_a_package_is_all_of_its_files(package):
    before = digest("inner")
    (package / "inner" / "two.py").write_text("TWO = 3\n")
    changed = digest("inner")
    (package / "inner" / "three.py").write_text("")
    assert len({before, changed, digest("inner")}) == 3


def test_a_name_below_a_package_is_a_module(package):
    before = digest("inner.two")
    (package / "inner" / "three.py").write_text("THREE = 3\n")
    assert digest("inner.two") == before != digest("inner")


def test_moving_code_to_another_file_matters(package):
    before = digest("inner")
    (package / "inner" / "two.py").rename(package / "inner" / "other.py")
    assert digest("inner") != before


def test_each_place_counts(package):
    assert len({digest("one"), digest("inner"), digest("one", "inner")}) == 3


def test_an_unknown_place_is_no_silent_digest(package):
    with pytest.raises(FileNotFoundError):
        digest("absent")


def test_the_places_that_keys_are_made_of_exist():
    places = ("miniworld", "seeds", "corruptions", "training.loop", "training.recipes",
              "training.augment", "models.mini")  # fmt: skip
    assert len({digest(place) for place in places}) == len(places)


def test_a_users_file_is_digested_with_what_it_imports_from_beside_it(tmp_path):
    files = {
        "net.py": "from layers import stem\nimport torch\ndef build():\n    import late\n",
        "late.py": "LATE = 1\n",
        "layers/__init__.py": "FIRST = 1\n",
        "layers/stem.py": "from . import norm\nfrom .deep.block import Block\nSTEM = 1\n",
        "layers/norm.py": "NORM = 1\n",
        "layers/deep/block.py": "import net\nclass Block:\n    SIDE = 1\n",
        "other.py": "OTHER = 1\n",
        "robust_lib/__init__.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    net = tmp_path / "net.py"
    assert sorted(code_digest.own_files(net)) == sorted(files)[:-2]
    seen = {code_digest.own_digest(net)}
    for name in [*files][:-2]:
        (tmp_path / name).write_text(files[name] + "CHANGED = 2\n")
        seen.add(code_digest.own_digest(net))
    assert len(seen) == 7
    (tmp_path / "other.py").write_text("OTHER = 2\n")
    (tmp_path / "late.py").write_text("# said\n" + files["late.py"] + "CHANGED = 2\n")
    assert code_digest.own_digest(net) in seen


def test_memory_and_errors_of_the_librarys_own_pass_as_they_are():
    class OutOfMemoryError(RuntimeError):
        pass

    for error in (OutOfMemoryError(), InputError("Expected so.")):
        with pytest.raises(type(error)), code_digest.foreign("so"):
            raise error
    told = r"^Expected so, but it stopped at test_code_digest\.py, .*ValueError: many lines\."
    with pytest.raises(InputError, match=told), code_digest.foreign("so", InputError):
        raise ValueError("many\nlines")
