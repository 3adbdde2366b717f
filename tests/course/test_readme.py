"""The texts of a course's folder say what is there, how large it is, and how it is installed."""

from robust_book.course import readme

GIVEN = {
    "title": "A course",
    "profile": "smoke",
    "words": "a small run",
    "chapters": ["00_tour", "inc_2_mce"],
    "sizes": {"site": ("pages", 3_000_000), "build": ("pictures", 200)},
    "wheel": "wheels/robust_lib-0.1.0-py3-none-any.whl",
}


def test_the_text_for_everybody_names_what_is_there():
    told = readme.course(**GIVEN, wheels=[])
    for words in ("# A course", "a small run", "student/00_tour.ipynb", "`inc_2_mce`", "3 MB"):
        assert words in told
    assert "{" not in told
    assert "'wheels/robust_lib-0.1.0-py3-none-any.whl[detect,explain,course]'" in told
    assert "--no-index" not in told


def test_a_course_without_the_tour_begins_with_its_first_chapter():
    assert "Read the tour, `site/00_tour.html`." in readme.course(**GIVEN, wheels=[])
    told = readme.course(**{**GIVEN, "chapters": ["inc_2_mce"]}, wheels=[])
    assert "Read the first chapter, `site/inc_2_mce.html`." in told
    assert "tour" not in told


def test_packed_wheels_are_installed_without_an_index():
    told = readme.course(**GIVEN, wheels=["toy-1.0-cp312-cp312-win_amd64.whl"])
    assert "pip install --no-index --find-links wheels '" in told
    assert "Python 3.12 on Windows amd64, as packed, and about" in told
    assert "or newer" not in told


def test_wheels_of_any_python_and_machine_say_nothing_of_one():
    loose = [
        "toy-1.0-py3-none-any.whl", "toy-1.0-cp38-abi3-manylinux_2_17_x86_64.whl",
        "toy-1.0-py3-none-manylinux2014_x86_64.whl",
    ]  # fmt: skip
    assert readme.needed(loose) == "Python 3.11 or newer"
    old = "toy-1.0-cp311-cp311-manylinux2014_aarch64.manylinux_2_17_aarch64.whl"
    assert readme.needed([*loose, old]) == "Python 3.11 on Linux aarch64, as packed,"


def test_the_teachers_text_counts():
    told = readme.TEACHER.format(checked=7, exercises=4, listed=2)
    assert "7 answers are checked in 4 exercises; 2 more" in told


def test_the_teacher_is_told_how_to_prepare_teach_and_collect():
    for words in ("**Prepare.**", "**In class.**", "**Collect.**", "course collect"):
        assert words in readme.TEACHER
