import hashlib
import json

import pytest
from huggingface_hub import constants

from robust_lib.config.manifests import load_dataset
from robust_lib.errors import DataError, FetchError, InputError
from robust_lib.fetch import fetch, hub, transfer
from robust_lib.fetch.verification import verify
from tests import shards, trees

COMMIT, SOURCE = "a" * 40, "hf:owner/name@main"


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_ROOT", str(tmp_path / "project"))
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(transfer.time, "sleep", lambda _: None)
    shards.small_project(tmp_path / "project")


@pytest.fixture
def publish(site, tmp_path, monkeypatch):
    """Put shards on a hub at this machine, which leads on to another server for their bytes."""
    place = site.url("")
    template = place + "{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "ENDPOINT", place.rstrip("/"))
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setenv("HF_TOKEN", "hf_secret")

    def put(layout="hub", told=None, **faults):
        root = shards.validation(tmp_path / "sorted")
        pages, siblings = [], [{"rfilename": "README.md", "size": 3, "blobId": "0"}]
        for path in shards.LAYOUTS[layout](tmp_path / "hub", root):
            name, content = path.relative_to(tmp_path / "hub").as_posix(), path.read_bytes()
            digest = told or hashlib.sha256(content).hexdigest()
            lfs = {"size": len(content), "sha256": digest, "pointerSize": 134}
            siblings.append({"rfilename": name, "size": len(content), "blobId": "0", "lfs": lfs})
            address = f"datasets/owner/name/resolve/{COMMIT}/{name}"
            site.add(address, b"", leads_to=f"far/{name}")
            pages.append((site.pages[f"/{address}"], site.add(f"far/{name}", content, **faults)))
        about = {"id": "owner/name", "sha": COMMIT, "siblings": siblings, "tags": []}
        site.add("api/datasets/owner/name/revision/main", json.dumps(about).encode())
        return pages

    return put


@pytest.mark.parametrize("layout", ["hub", "timm"])
def test_shards_are_fetched_through_broken_connections_and_verified(publish, tmp_path, layout):
    pages = publish(layout)
    broken = pages[1][1]
    broken.breaks = [1000, 700]
    folder = fetch("small_val", source=SOURCE)
    assert folder == tmp_path / "data" / "small_val"
    assert verify("small_val").images == 6
    assert [one["Range"] for one in broken.asked] == [None, "bytes=1000-", "bytes=1700-"]
    assert fetch("small_val", source=SOURCE) == folder
    assert [len(page.asked) for _, page in pages] == [1, 3, 1]


def test_the_hub_alone_is_shown_the_login(publish):
    pages = publish()
    fetch("small_val", source=SOURCE)
    assert {one for page, _ in pages for one in page.logins} == {"Bearer hf_secret"}
    assert {one for _, page in pages for one in page.logins} == {None}


def test_what_an_interrupted_call_left_is_not_fetched_again(publish):
    pages = publish()
    for _ in range(4):
        pages[2][1].states.append(500)
    with pytest.raises(FetchError, match="HTTP 500"):
        fetch("small_val", source=SOURCE)
    fetch("small_val", source=SOURCE)
    assert [len(page.asked) for _, page in pages] == [1, 1, 5]


def test_another_content_than_the_hub_tells_is_not_kept(publish, tmp_path):
    publish(told="0" * 64)
    with pytest.raises(FetchError, match=f"expected sha256 {'0' * 64}, but got"):
        fetch("small_val", source=SOURCE)
    assert not list((tmp_path / "data").rglob("*.parquet"))


def test_masked_sums_are_recorded_at_first_sight(publish, tmp_path):
    """As the hub masks those of a set that asks for terms."""
    publish(told="*" * 64)
    fetch("small_val", source=SOURCE)
    assert len(list((tmp_path / "data").rglob("*.parquet.sha256.json"))) == 3


@pytest.mark.parametrize("state", [401, 403])
def test_terms_and_logins_are_explained(publish, site, state):
    pages = publish()
    pages[0][0].states.append(state)
    with pytest.raises(FetchError, match=r"accept.*page, datasets/owner/name"):
        fetch("small_val", source=SOURCE)
    site.pages["/api/datasets/owner/name/revision/main"].states.append(state)
    with pytest.raises(FetchError, match=r"provide owner/name.*login"):
        fetch("small_val", source=SOURCE)


def test_no_such_repository_and_no_shards_of_the_split_are_told(publish):
    publish()
    with pytest.raises(FetchError, match="did not provide owner/other"):
        fetch("small_val", source="hf:owner/other@main")
    whole = load_dataset("small_val").model_copy(update={"split": "train"})
    with pytest.raises(FetchError, match=r"split train.*among.*4"):
        hub.listed("owner/name", "main", whole, None)


def test_a_source_or_a_data_set_that_fits_none_is_refused(publish, tmp_path):
    for wrong in ("hf:name@main", "hf:owner/name", "https://x.y/owner/name@main"):
        with pytest.raises(InputError, match="Expected a source as hf:OWNER/NAME@REVISION"):
            fetch("small_val", source=wrong)
    other = load_dataset("small_val").model_copy(update={"kind": "unlabelled"})
    with pytest.raises(InputError, match="of the kind unlabelled"):
        hub.bring(SOURCE, other, tmp_path)
    trees.save(tmp_path / "data" / "small_val" / "val" / trees.WNIDS[0] / "a.JPEG")
    with pytest.raises(DataError, match=r"small_val\. Move.*elsewhere"):
        fetch("small_val", source=SOURCE)
