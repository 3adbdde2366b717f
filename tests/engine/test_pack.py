"""A pack is read whole or refused by name; nothing in it is run, and nothing leaves its place."""

import json
import pickle
import zipfile

import numpy as np
import pytest

from robust_book.commands.release.networks import ALONE
from robust_book.engine import pack
from robust_lib import paths
from robust_lib.errors import DataError, FetchError, InputError
from robust_lib.fetch import sums
from tests import tiny
from tests.engine import packs
from tests.served import Site


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    return packs.trained(tmp_path_factory)


@pytest.fixture
def release(trained, tmp_path, monkeypatch):
    tiny.enter(trained, monkeypatch)
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path / "data"))
    return packs.packs(trained, tmp_path / "release")


@pytest.fixture
def folder(release, tmp_path):
    return packs.unpacked(release / ALONE, tmp_path / "unpacked")


@pytest.fixture
def site():
    served = Site()
    yield served
    served.close()


def test_a_pack_is_read_from_the_folder_that_it_was_unpacked_to(folder, release):
    assert pack.opened(folder).descriptions == pack.opened(release / ALONE).descriptions


def refused(path, why):
    with pytest.raises(
        DataError, match=rf"Expected a complete pack .* at \S+{path.name}, but {why}"
    ):
        pack.opened(path)


def test_a_pack_that_was_copied_by_half_is_refused(release, folder):
    content = (release / ALONE).read_bytes()
    half = release.parent / "half.zip"
    for kept in (0, 1000, len(content) // 2, len(content) - 1):
        half.write_bytes(content[:kept])
        refused(half, "it is not a complete zip file")
    arrays = next(folder.rglob("*.npz"))
    arrays.write_bytes(arrays.read_bytes()[:-1])
    refused(folder, f"store/../{arrays.name} differs from its checksum")
    arrays.unlink()
    refused(folder, f"it lacks store/../{arrays.name}")
    (folder / sums.NAME).unlink()
    refused(folder, f"it lacks {sums.NAME}")


def test_a_weight_that_was_edited_by_hand_is_refused(folder):
    key = next(folder.rglob("store/*/*.json")).stem
    packs.change(folder, key, lambda arrays: {name: one + 1 for name, one in arrays.items()})
    refused(folder, rf"store/../{key}\S+ differs from its checksum")


def test_a_file_that_no_checksum_names_is_refused(folder, release):
    with zipfile.ZipFile(release / "other.zip", "w") as made:
        for path in sums.files(folder):
            made.write(path, f"networks/{path.relative_to(folder)}")
        made.writestr("networks/../../escaped.txt", "out")
    refused(
        release / "other.zip",
        r"it has '\.\./\.\./escaped\.txt', which is not in its list of checksums",
    )


def test_another_checksum_beside_it_is_refused(release):
    (release / sums.NAME).write_text(f"{'0' * 64}  {ALONE}\n")
    refused(release / ALONE, "its checksum is not the one in SHA256SUMS")


def test_an_entry_leads_to_no_other_file_and_to_no_other_key(folder):
    path = next(folder.rglob("store/*/*.json"))
    entry = json.loads(path.read_text())
    path.write_text(json.dumps(entry | {"file": "../../pack.json"}))
    refused(packs.zipped(folder), r"\S+\.json refers to the file '\.\./\.\./pack\.json'")
    described = entry["description"] | {"seed": 7}
    path.write_text(json.dumps(entry | {"description": described}))
    refused(packs.zipped(folder), r"the content of \S+\.json does not match its name")


def test_nothing_in_a_pack_is_run(folder, tmp_path):
    class Bomb:
        def __reduce__(self):
            return (open, (str(tmp_path / "run"), "w"))

    key = next(folder.rglob("store/*/*.json")).stem
    packs.change(folder, key, lambda arrays: {"x": np.array([Bomb()], dtype=object)})
    bombed = pack.opened(packs.zipped(folder))
    with pytest.raises(DataError, match="contains no arrays"):
        bombed.arrays(key)
    arrays = next((folder / "store" / key[:2]).glob(f"{key}.*.npz"))
    arrays.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(DataError, match="contains no arrays"):
        pack.opened(packs.zipped(folder)).arrays(key)
    assert not (tmp_path / "run").exists()


def test_an_address_is_fetched_once_and_held_against_the_checksum_beside_it(release, site):
    page = site.add(ALONE, (release / ALONE).read_bytes())
    site.add(sums.NAME, (release / sums.NAME).read_bytes())
    came = pack.brought(site.url(ALONE))
    assert came.is_relative_to(paths.data())
    assert pack.opened(came).about.version == "toy 1.2.0"
    assert pack.brought(site.url(ALONE)) == came
    assert len(page.asked) == 1


def test_an_address_whose_file_is_another_or_has_no_checksum_is_refused(release, site):
    content = bytearray((release / ALONE).read_bytes())
    content[len(content) // 2] ^= 1
    site.add(ALONE, bytes(content))
    with pytest.raises(FetchError, match="SHA256SUMS"):
        pack.brought(site.url(ALONE))
    site.add(sums.NAME, f"{'0' * 64}  other.zip\n".encode())
    with pytest.raises(FetchError, match=r"checksum.*networks\.zip.*http"):
        pack.brought(site.url(ALONE))
    site.add(sums.NAME, (release / sums.NAME).read_bytes())
    with pytest.raises(FetchError, match="wrong content: expected sha256"):
        pack.brought(site.url(ALONE))
    with pytest.raises(FetchError, match="wrong content: expected sha256"):
        pack.brought(f"{site.url(ALONE)}#sha256={'0' * 64}")


def test_a_place_with_nothing_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"but there is no \S+nothing\.zip"):
        pack.brought(str(tmp_path / "nothing.zip"))
