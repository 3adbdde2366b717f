"""Where weights lie, what brings them, and that nothing is asked once they are there."""

import hashlib
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from robust_lib.config.manifests import load_model, model_names
from robust_lib.errors import ModelError
from robust_lib.models import weight_files, weights
from robust_lib.models.weight_files import fetch_weights, named_checksum, weight_file
from tests import served


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "torch"))
    return tmp_path / "data"


def test_every_row_with_weights_has_a_file_below_the_data_folder(data):
    found = {name: weight_file(load_model(name)) for name in model_names()}
    rows = {name for name in model_names() if load_model(name).weights is not None}
    assert {name for name, file in found.items() if file is not None} == rows
    for name in rows:
        assert found[name].place.is_relative_to(data / "weights"), name
        assert not found[name].there


def test_torchvisions_file_has_its_address_size_and_checksum():
    file = weight_file(load_model("resnet50"))
    assert file.url.endswith("/resnet50-0676ba61.pth")
    assert (file.checksum, file.by_hand) == ("0676ba61", False)
    assert file.bytes == pytest.approx(102.5e6, rel=0.01)


def test_what_was_put_there_by_hand_is_asked_for_with_a_hint():
    file = weight_file(load_model("resnet50_augmix"))
    assert file.by_hand
    with pytest.raises(ModelError, match=r"nothing here downloads them\. Put them there"):
        fetch_weights(file)


def test_an_earlier_download_in_torchs_own_cache_is_taken(tmp_path):
    file = weight_file(load_model("resnet18"))
    earlier = tmp_path / "torch" / "hub" / "checkpoints" / file.name
    earlier.parent.mkdir(parents=True)
    earlier.write_bytes(b"weights")
    assert weight_file(load_model("resnet18")).place == earlier


def test_a_file_that_is_there_opens_no_socket(data, monkeypatch):
    state = torch.nn.Linear(2, 1).state_dict()
    aside = data / "aside.pth"
    data.mkdir()
    torch.save(state, aside)
    digest = hashlib.sha256(aside.read_bytes()).hexdigest()
    url = f"https://nowhere.invalid/net-{digest[:8]}.pth"
    monkeypatch.setattr(weight_files, "address", lambda row: (url, None))
    place = data / "weights" / f"net-{digest[:8]}.pth"
    place.parent.mkdir()
    aside.rename(place)

    def refuse(*_, **__):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    found = weights.find(load_model("resnet18"), None)
    assert torch.equal(found["weight"], state["weight"])


@pytest.fixture
def resnet18(tmp_path, monkeypatch):
    """A page with weights of which torchvision's row tells address and eight digits."""
    aside = tmp_path / "aside.pth"
    torch.save(torch.nn.Linear(50, 50).state_dict(), aside)
    content = aside.read_bytes()
    site = served.Site()
    name = f"net-{hashlib.sha256(content).hexdigest()[:8]}.pth"
    monkeypatch.setattr(weight_files, "address", lambda row: (site.url(name), None))
    monkeypatch.setattr("time.sleep", lambda seconds: None)  # between attempts
    yield site.add(name, content, etag=None)
    site.close()


def test_a_broken_download_is_resumed_and_its_digits_are_compared(resnet18):
    file = weight_file(load_model("resnet18"))
    resnet18.breaks += [1000] * 4
    place = fetch_weights(file)
    assert place.read_bytes() == resnet18.content
    assert [asked["Range"] for asked in resnet18.asked] == [
        None, "bytes=1000-", "bytes=2000-", "bytes=3000-", "bytes=4000-",
    ]  # fmt: skip
    assert weights.find(load_model("resnet18"), None).keys() == {"weight", "bias"}


def test_a_killed_download_is_not_there_and_goes_on_later(resnet18):
    file = weight_file(load_model("resnet18"))
    file.place.parent.mkdir(parents=True)
    part = file.place.with_name(f"{file.name}.part")
    part.write_bytes(resnet18.content[:700])
    assert not file.there
    fetch_weights(file)
    assert [asked["Range"] for asked in resnet18.asked] == ["bytes=700-"]
    assert file.place.read_bytes() == resnet18.content
    assert not part.exists()


def test_what_has_other_digits_than_its_name_does_not_take_it(resnet18):
    file = weight_file(load_model("resnet18"))
    resnet18.content = resnet18.content[:-1] + b"!"
    with pytest.raises(ModelError, match=f"wrong content: expected sha256 {file.checksum}, but"):
        fetch_weights(file)
    assert not [one for one in file.place.parent.iterdir() if "lock" not in one.suffix]


def test_jobs_that_miss_the_same_weights_ask_once(resnet18):
    file = weight_file(load_model("resnet18"))
    resnet18.delay = 0.2
    with ThreadPoolExecutor(3) as threads:
        assert set(threads.map(fetch_weights, [file] * 3)) == {file.place}
    assert len(resnet18.asked) == 1


def test_a_file_of_other_content_is_refused(data, monkeypatch):
    url = "https://nowhere.invalid/net-00000000.pth"
    monkeypatch.setattr(weight_files, "address", lambda row: (url, None))
    place = data / "weights" / "net-00000000.pth"
    place.parent.mkdir(parents=True)
    torch.save({"a": torch.ones(1)}, place)
    with pytest.raises(ModelError, match="Expected weights with SHA-256 00000000"):
        weights.find(load_model("resnet18"), None)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("resnet18-f37072fd.pth", "f37072fd"),
        ("a-b-0123456789abcdef.pth", "0123456789abcdef"),
        ("resnet18.pth", None),
        ("resnet-50.pth", None),
        ("augmix-checkpoint.pth.tar", None),
    ],
)
def test_the_end_of_a_name(name, expected):
    assert named_checksum(Path("somewhere", name)) == expected
