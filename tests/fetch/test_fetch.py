import hashlib
import tarfile
from concurrent.futures import ThreadPoolExecutor

import pytest

from robust_lib.errors import DataError, FetchError, InputError
from robust_lib.fetch import fetch
from tests import coco_trees, trees

PAIR = trees.WNIDS[:2]


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def small_a(site, project, tmp_path):
    """A manifest like ImageNet-A's, of two classes and four pictures, and its archive online."""
    source = trees.imagenet_a(tmp_path / "source", PAIR)
    content = trees.tar(source, tmp_path / "small-a.tar").read_bytes()
    page = site.add("small-a.tar", content)
    file = {"name": "small-a.tar", "url": site.url("small-a.tar"), "into": "."}
    known = {"bytes": len(content), "sha256": sha256(content)}
    layout = {"root": "imagenet-a", "images": 4, "folders": "pair", "classes": "pair"}
    project("small_a", files=[file | known], **layout)
    return page


def test_a_data_set_is_downloaded_unpacked_and_verified(small_a, tmp_path):
    folder = fetch("small_a")
    assert folder == tmp_path / "data" / "small_a"
    assert len(list((folder / "imagenet-a" / PAIR[0]).glob("*.jpg"))) == 2


def test_a_second_call_does_nothing_even_without_the_archive(small_a):
    folder = fetch("small_a")
    before = sorted(path.stat().st_mtime_ns for path in folder.rglob("*"))
    assert fetch("small_a") == folder
    assert sorted(path.stat().st_mtime_ns for path in folder.rglob("*")) == before
    (folder / "small-a.tar").unlink()
    assert fetch("small_a") == folder
    assert not (folder / "small-a.tar").exists()
    assert len(small_a.asked) == 1


def test_several_at_once_do_the_work_once(small_a):
    small_a.delay = 0.2
    with ThreadPoolExecutor(4) as pool:
        folders = list(pool.map(lambda _: fetch("small_a"), range(4)))
    assert len(set(folders)) == 1
    assert len(small_a.asked) == 1


def test_a_copy_put_there_by_hand_is_enough(small_a, tmp_path):
    mine = tmp_path / "mine"
    trees.imagenet_a(mine, PAIR)
    assert fetch("small_a", folder=mine) == mine
    assert small_a.asked == []


def test_an_archive_put_there_by_hand_is_unpacked(small_a, tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "small-a.tar").write_bytes(small_a.content)
    assert (fetch("small_a", folder=mine) / "imagenet-a" / "README.txt").exists()
    assert small_a.asked == []


def test_an_interrupted_unpacking_is_done_again(small_a):
    folder = fetch("small_a")
    (folder / ".small-a.tar.unpacked.json").unlink()
    picture = next((folder / "imagenet-a").rglob("*.jpg"))
    picture.unlink()
    fetch("small_a")
    assert picture.exists()
    assert len(small_a.asked) == 1


def test_what_a_killed_unpacking_left_is_cleared(small_a, tmp_path):
    left = tmp_path / "data" / "small_a" / ".small-a.tar.x1y2"
    trees.imagenet_a(left, PAIR)
    folder = fetch("small_a")
    assert not left.exists()
    assert {path.name for path in folder.iterdir()} == {
        ".sizes.json",
        ".small-a.tar.unpacked.json",
        "imagenet-a",
        "small-a.tar",
        "small-a.tar.sha256.json",
    }


def test_a_wrong_archive_is_never_unpacked_and_leaves_no_folder(small_a, tmp_path):
    small_a.content = small_a.content[:-1] + b"x"
    with pytest.raises(FetchError, match="wrong content: expected sha256"):
        fetch("small_a")
    assert not (tmp_path / "data" / "small_a").exists()


def test_an_archive_that_leaves_its_folder_is_refused(site, project, tmp_path):
    evil = tmp_path / "evil.tar"
    with tarfile.open(evil, "w") as packed:
        packed.addfile(tarfile.TarInfo("../../evil"))
    site.add("evil.tar", evil.read_bytes())
    project("bad", files=[{"name": "evil.tar", "url": site.url("evil.tar"), "into": "."}])
    with pytest.raises(FetchError, match="leads outside the folder"):
        fetch("bad")
    assert not list(tmp_path.rglob("evil"))


def test_an_archive_without_what_the_manifest_says_is_an_error(site, project, tmp_path):
    content = trees.tar(trees.imagenet_a(tmp_path / "s", PAIR), tmp_path / "a.tar").read_bytes()
    site.add("a.tar", content)
    file = {"name": "a.tar", "url": site.url("a.tar"), "into": "."}
    project("short", files=[file], root="imagenet-a", images=5, folders="pair")
    with pytest.raises(DataError, match=r"5 images.*found 4"):
        fetch("short")


def test_loose_files_are_fetched_and_kept_right(site, project):
    pages = [site.add(f"{n}.png", bytes([n]) * 100) for n in (1, 2)]
    files = [
        {"name": f"{n}.png", "url": site.url(f"{n}.png"), "sha256": sha256(bytes([n]) * 100)}
        for n in (1, 2)
    ]
    project("loose", files=files, images=2)
    folder = fetch("loose")
    fetch("loose")
    assert [len(page.asked) for page in pages] == [1, 1]
    (folder / "1.png").unlink()
    fetch("loose")
    assert [len(page.asked) for page in pages] == [2, 1]
    (folder / "2.png").write_bytes(b"altered")
    with pytest.raises(FetchError, match=r"2\.png.*published file"):
        fetch("loose")


def test_a_data_set_with_terms_is_never_downloaded(site, project, tmp_path):
    page = site.add("t.tar", b"x")
    project(
        "terms",
        access="terms",
        files=[{"name": "t.tar", "url": site.url("t.tar"), "into": "."}],
        instructions="Register there and sign.",
        images=4,
        folders="pair",
        root="imagenet-a",
    )
    with pytest.raises(FetchError, match=r"fetched.*t\.tar.*Register"):
        fetch("terms")
    assert page.asked == []
    folder = tmp_path / "data" / "terms"
    trees.tar(trees.imagenet_a(tmp_path / "source", PAIR), tmp_path / "t.tar")
    folder.mkdir(parents=True, exist_ok=True)
    (tmp_path / "t.tar").rename(folder / "t.tar")
    assert (fetch("terms") / "imagenet-a").is_dir()


def test_a_data_set_to_be_put_there_by_hand_says_how(project, tmp_path):
    project(
        "by_hand",
        access="terms",
        instructions="Download the folder by hand.",
        contents=[{"path": "images", "images": 4}, {"path": "annotations/*.json", "matches": 3}],
    )
    with pytest.raises(FetchError, match=r"images.*3.*these.*found 0"):
        fetch("by_hand")
    coco_trees.nao(tmp_path / "data" / "by_hand")
    assert fetch("by_hand") == tmp_path / "data" / "by_hand"


def test_a_part_is_fetched_as_the_whole(small_a, project, tmp_path):
    project("part", of="small_a", classes="pair")
    assert fetch("part") == tmp_path / "data" / "small_a"


def test_a_generated_data_set_has_nothing_to_fetch(project, tmp_path):
    project("drawn", access="generated", kind="scenes")
    assert fetch("drawn") == tmp_path / "data" / "drawn"
    assert not (tmp_path / "data" / "drawn").exists()


def test_an_unknown_name_is_an_input_error(small_a):
    with pytest.raises(InputError, match=r"data set.*small_a"):
        fetch("other")
