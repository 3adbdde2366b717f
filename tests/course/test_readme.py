"""The texts of a course's folder say what is there, how large it is, and how it is installed."""

from robust_lib.course import readme

GIVEN = {
    "title": "A course",
    "profile": "smoke",
    "words": "a small run",
    "chapters": ["00_tour", "inc_2_mce"],
    "sizes": {"site": ("pages", 3_000_000), "build": ("pictures", 200)},
    "wheel": "wheels/robust_lib-0.1.0-py3-none-any.whl",
}


def test_the_text_for_everybody_names_what_is_there():
    told = readme.course(**GIVEN, wheels=False)
    for words in ("# A course", "a small run", "student/00_tour.ipynb", "`inc_2_mce`", "3 MB"):
        assert words in told
    assert "{" not in told
    assert "'wheels/robust_lib-0.1.0-py3-none-any.whl[detect,explain]'" in told
    assert "--no-index" not in told


def test_packed_wheels_are_installed_without_an_index():
    told = readme.course(**GIVEN, wheels=True)
    assert "pip install --no-index --find-links wheels '" in told


def test_the_teachers_text_counts():
    told = readme.TEACHER.format(checked=7, exercises=4, listed=2)
    assert "7 answers are checked in 4 exercises; 2 more" in told
