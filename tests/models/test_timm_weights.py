"""timm's weights: fetched once, whole, checked, and loaded without a network as timm loads them."""

import hashlib
import json
import socket

import huggingface_hub
import pytest
import timm
import torch
from safetensors.torch import load_file, save_file

from robust_lib.errors import InputError, ModelError
from robust_lib.fetch import checksums
from robust_lib.models import timm_weights, torch_models
from robust_lib.models.weight_files import fetch_weights, weight_file
from tests import hub as hubs

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
    with pytest.raises(ModelError, match=r"not those that were there first.*sha256"):
        torch_models.load(f"timm/{hubs.SMALL}")


def test_weights_that_do_not_fit_are_told_from_a_missing_network(hub):
    place = weight_file(ROW).place
    place.parent.mkdir(parents=True)
    save_file({"conv_stem.weight": torch.ones(1)}, place)
    with pytest.raises(ModelError, match="timm finds that they do not fit"):
        torch_models.load(f"timm/{hubs.SMALL}")


def test_without_a_hub_the_message_says_what_goes_where(hub):
    with pytest.raises(ModelError, match=r"could not be downloaded \(.*404") as caught:
        torch_models.load(f"timm/{hubs.SMALL}")
    file = weight_file(ROW)
    assert f"bring {file.url} here by hand and put it into {file.place}" in str(caught.value)


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
    found = timm_weights.as_loaded(hubs.SMALL, with_background)
    assert torch.equal(found["classifier.weight"], weight)
    assert torch.equal(found["classifier.bias"], bias)


def test_a_network_without_published_weights_is_told():
    with pytest.raises(InputError, match="timm to publish weights of resnet18d_none, but"):
        timm_weights.address("resnet18d_none")
