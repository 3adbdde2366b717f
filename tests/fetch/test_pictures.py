"""Pictures that are cut short, no pictures, or of another size."""

from robust_lib.fetch import pictures
from tests import trees


def told(folder, side=None):
    return list(pictures.problems(folder, sorted(folder.rglob("*.JPEG")), side))


def test_whole_pictures_have_no_problem(tmp_path):
    assert told(trees.class_folders(tmp_path)) == []
    assert told(trees.class_folders(tmp_path, side=224), side=224) == []


def test_cut_and_foreign_files_are_found(tmp_path):
    files = sorted(trees.class_folders(tmp_path).rglob("*.JPEG"))
    files[1].write_bytes(files[1].read_bytes()[:-200])
    files[2].write_text("no picture")
    (problem,) = told(tmp_path)
    named = [file.relative_to(tmp_path).as_posix() for file in files[1:3]]
    told_of = ", ".join(named)
    assert problem == f"{tmp_path}: pictures that cannot be read to their end: 2 ({told_of})"
