"""Weights: from files, addresses and dictionaries; never code, never something else unnoticed."""

import hashlib
import json
import os
import threading
from functools import partial, reduce
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import URLError

import pytest
import timm
import torch
from safetensors.torch import save_file
from torch import nn

from robust_lib import paths
from robust_lib.config import manifests
from robust_lib.errors import InputError, ModelError
from robust_lib.models import torch_models, weights
from robust_lib.models.detectors import builders as detectors
from robust_lib.models.detectors import efficientdet

STAGES = (3, 4, 23, 3)


class Branches(nn.Sequential):
    """Lua's ConcatTable: each part sees the same input."""

    def forward(self, x):
        return [part(x) for part in self]


class Sum(nn.Sequential):
    """Lua's CAddTable."""

    def forward(self, parts):
        return reduce(torch.add, parts)


def normalised(*sizes, **settings):
    return nn.Conv2d(*sizes, bias=False, **settings), nn.BatchNorm2d(sizes[1])


def block(inside, width, outside, groups, stride):
    main = nn.Sequential(
        nn.Sequential(
            *normalised(inside, width, 1),
            nn.ReLU(),
            *normalised(width, width, 3, stride=stride, padding=1, groups=groups),
            nn.ReLU(),
        ),
        *normalised(width, outside, 1),
    )
    same = inside == outside and stride == 1
    shortcut = nn.Sequential(*(() if same else normalised(inside, outside, 1, stride=stride)))
    return nn.Sequential(Branches(main, shortcut), Sum(), nn.ReLU())


class Port(nn.Module):
    """A ResNeXt in the tree of the published files: features.0, features.1, features.4 and on."""

    def __init__(self, stages, groups, width, outputs):
        super().__init__()
        inside, layers = 64, []
        for stage, blocks in enumerate(stages):
            outside = 256 * 2**stage
            made = [
                block(
                    inside if first else outside,
                    groups * width * 2**stage,
                    outside,
                    groups,
                    2 if first and stage else 1,
                )
                for first in (True, *[False] * (blocks - 1))
            ]
            layers.append(nn.Sequential(*made))
            inside = outside
        self.features = nn.Sequential(
            *normalised(3, 64, 7, stride=2, padding=3), nn.ReLU(), nn.MaxPool2d(3, 2, 1), *layers
        )
        self.last_linear = nn.Linear(inside, outputs)

    def forward(self, x):
        return self.last_linear(self.features(x).mean((2, 3)))


@pytest.mark.parametrize(("name", "groups"), [("resnext101_32x4d", 32), ("resnext101_64x4d", 64)])
def test_every_tensor_of_the_published_trees_has_its_place(name, groups):
    with torch.device("meta"):
        port = Port(STAGES, groups, 4, 1000).state_dict()
        own = torch_models.build(manifests.load_model(name)).state_dict()
    assert "features.6.22.0.0.0.3.weight" in port
    assert port["features.4.0.0.1.0.weight"].shape == (256, 64, 1, 1)
    found = {key: tensor.shape for key, tensor in weights.renamed(port).items()}
    assert found == {key: tensor.shape for key, tensor in own.items()}


def small(seed):
    """A port of few blocks, untrained but with statistics of its own."""
    torch.manual_seed(seed)
    port = Port((1, 2, 1, 1), groups=2, width=4, outputs=5)
    port(torch.rand(4, 3, 64, 64))
    return port.eval()


def test_the_named_network_computes_what_the_tree_does():
    port, images = small(0), torch.rand(2, 3, 64, 64)
    network = timm.models.resnet.ResNet(
        timm.models.resnet.Bottleneck, (1, 2, 1, 1), num_classes=5, cardinality=2, base_width=4
    ).eval()
    weights.put(network, weights.renamed(port.state_dict()), "small")
    with torch.inference_mode():
        assert torch.allclose(network(images), port(images), atol=1e-5)


def test_a_file_of_a_port_is_read_by_its_names_and_checked_by_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    folder = tmp_path / "weights"
    folder.mkdir()
    # Files of that time have no counters of batches.
    state = {
        k: v for k, v in small(1).state_dict().items() if not k.endswith("num_batches_tracked")
    }
    torch.save(state, folder / "w.pth")
    digest = hashlib.sha256((folder / "w.pth").read_bytes()).hexdigest()
    (folder / "w.pth").rename(folder / f"small-{digest[:8]}.pth")
    row = manifests.load_model("resnext101_32x4d")
    right = row.model_copy(update={"weights": f"file:small-{digest[:8]}.pth"})
    assert "layer2.1.conv2.weight" in weights.find(right, None)
    (folder / "small-01234567.pth").write_bytes((folder / f"small-{digest[:8]}.pth").read_bytes())
    wrong = row.model_copy(update={"weights": "file:small-01234567.pth"})
    with pytest.raises(ModelError, match="SHA-256 01234567"):
        weights.find(wrong, None)


@pytest.mark.parametrize("name", ["resnext101_32x4d", "resnext101_64x4d"])
def test_the_papers_networks_ask_for_the_papers_files(name, tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    with pytest.raises(ModelError, match=rf"Put them there.*pretrainedmodels/{name}-\w{{8}}\.pth"):
        torch_models.load(name)
    assert "gluon" in manifests.load_model(f"{name}_gluon").arguments["name"]


def test_names_of_other_networks_stay():
    state = {"features.0.weight": torch.ones(1), "classifier.weight": torch.ones(1)}
    assert weights.renamed(state).keys() == state.keys()
    assert weights.torchvision_name("features.4.0.0.5.weight") == "features.4.0.0.5.weight"


MINI = manifests.load_model("alexnet_mini")
SQUEEZENET = manifests.load_model("squeezenet1_1")


@pytest.fixture
def state():
    return {"a.weight": torch.arange(6.0).reshape(2, 3), "a.bias": torch.ones(2)}


def same(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[key], other[key]) for key in one)


def test_both_kinds_of_files(tmp_path, state):
    torch.save(state, tmp_path / "w.pth")
    save_file(state, tmp_path / "w.safetensors")
    for name in ("w.pth", "w.safetensors"):
        digest = hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
        assert same(weights.find(MINI, tmp_path / name, digest), state)
        assert same(weights.find(MINI, str(tmp_path / name)), state)


@pytest.mark.parametrize("wrapping", ["state_dict", "model"])
def test_training_checkpoints_are_unwrapped(tmp_path, state, wrapping):
    inner = {f"module.{key}": value for key, value in state.items()}
    torch.save({wrapping: inner, "epoch": 7, "best": 0.5}, tmp_path / "w.tar")
    assert same(weights.from_file(tmp_path / "w.tar"), state)


def test_a_wrong_checksum(tmp_path, state):
    torch.save(state, tmp_path / "w.pth")
    with pytest.raises(ModelError, match=r"SHA-256 00.*w\.pth.*fetch it again"):
        weights.from_file(tmp_path / "w.pth", "00" * 32)


def test_code_in_a_file_is_not_run(tmp_path):
    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "ran"),)

    torch.save({"state_dict": Evil()}, tmp_path / "w.pth")
    with pytest.raises(ModelError, match="dictionary of tensors"):
        weights.from_file(tmp_path / "w.pth")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("content", [b"", b"no weights", {}, {"epoch": 3}, [1], torch.ones(2)])
@pytest.mark.parametrize("suffix", ["pth", "safetensors"])
def test_what_is_no_dictionary_of_tensors(tmp_path, content, suffix):
    path = tmp_path / f"w.{suffix}"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        torch.save(content, path)
    with pytest.raises(ModelError, match=r"dictionary of tensors in .*state_dict\(\)"):
        weights.from_file(path)


def test_a_missing_file():
    with pytest.raises(ModelError, match="no such file"):
        weights.find(MINI, "nowhere/w.pth")


def test_dictionaries_and_random_weights(state):
    assert weights.find(MINI, state) is state
    assert weights.find(MINI, "random") is None


def test_a_model_that_is_trained_here_has_no_published_weights():
    with pytest.raises(ModelError, match=r"alexnet_mini.*Train it, or pass"):
        weights.find(MINI, None)


@pytest.mark.parametrize("source", ["IMAGENET1K_V1", "latest"])
def test_names_that_name_nothing(source):
    with pytest.raises(InputError, match=r"alexnet_mini.*file.*address"):
        weights.find(MINI, source)
    if source == "latest":
        with pytest.raises(
            InputError, match=r"squeezenet1_1 to be one of IMAGENET1K_V1, DEFAULT, but"
        ):
            weights.find(SQUEEZENET, source)


def test_weights_that_do_not_fit_are_explained(state):
    module = torch.nn.Sequential()
    module.add_module("a", torch.nn.Linear(3, 2))
    weights.put(module, state, "net")
    assert same(module.state_dict(), state)
    with pytest.raises(ModelError, match=r"net.*1.*2.*a\.weight: \(2, 4\).*weights.*\(2, 3\)"):
        weights.put(module, state | {"a.weight": torch.ones(2, 4)}, "net")
    with pytest.raises(ModelError, match=r"a\.bias: absent in the weights"):
        weights.put(module, {"a.weight": state["a.weight"]}, "net")
    with pytest.raises(ModelError, match=r"\(1,\).*weights.*network"):
        weights.put(module, state | {"b": torch.ones(1)}, "net")


def test_weights_that_another_library_named_go_by_order_where_all_shapes_agree():
    def net():
        return torch.nn.Sequential(
            torch.nn.Conv2d(3, 4, 1), torch.nn.BatchNorm2d(4), torch.nn.Conv2d(4, 2, 1)
        )

    theirs = {f"their.{name}": value + 1 for name, value in net().state_dict().items()}
    told = r"none of the file's 9 names is one of the network's 9: it has their\..*keys: by_order"
    with pytest.raises(ModelError, match=told):
        weights.put(net(), theirs, "net")
    ours = net()
    weights.put(ours, theirs, "net", "by_order")
    assert all(map(torch.equal, ours.state_dict().values(), theirs.values()))
    old = {name: value for name, value in theirs.items() if not name.endswith("_tracked")}
    weights.put(net(), old, "net", "by_order")
    for wrong, message in (
        (dict(list(theirs.items())[:-1]), "but got 8"),
        ({**theirs, "more": torch.ones(1)}, "but got 10"),
        (dict(reversed(theirs.items())), r"of which their\.2\.bias is \(2,\) where 0\.weight is"),
        (
            {name.replace("0.bias", "0.scale"): value for name, value in theirs.items()},
            r"their\.0\.scale is \(4,\) where 0\.bias is \(4,\)",
        ),
    ):
        with pytest.raises(ModelError, match=message):
            weights.put(net(), wrong, "net", "by_order")


def test_old_weights_without_batch_counters_fit():
    module = torch.nn.BatchNorm2d(4)
    old = {k: v + 1 for k, v in module.state_dict().items() if k != "num_batches_tracked"}
    weights.put(module, old, "net")
    assert torch.equal(module.running_mean, torch.ones(4))


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """Return torch's own folder of downloads, empty, without a network."""

    def unreachable(*_, **__):
        raise URLError("no route to host")

    monkeypatch.setattr("urllib.request.urlopen", unreachable)
    monkeypatch.setattr("time.sleep", lambda seconds: None)  # between attempts
    before = torch.hub._hub_dir
    torch.hub.set_dir(str(tmp_path / "hub"))
    yield tmp_path / "hub" / "checkpoints"
    torch.hub._hub_dir = before


def test_without_a_network_the_message_says_what_goes_where(hub):
    with pytest.raises(
        ModelError, match=r"no route to host.*https://.*squeezenet1_1-\w+\.pth.*into"
    ) as caught:
        torch_models.load("squeezenet1_1")
    assert str(paths.data() / "weights") in str(caught.value)


def test_a_file_put_there_by_hand_is_used_if_it_is_the_published_one(hub, monkeypatch):
    from torchvision.models import SqueezeNet1_1_Weights

    module = torch_models.build(SQUEEZENET, seed=3)
    hub.mkdir(parents=True)
    torch.save(module.state_dict(), hub / "w.pth")
    (hub / SqueezeNet1_1_Weights.IMAGENET1K_V1.url.rsplit("/", 1)[-1]).write_bytes(b"half")
    with pytest.raises(ModelError, match="altered or cut short"):
        torch_models.load("squeezenet1_1")
    digest = hashlib.sha256((hub / "w.pth").read_bytes()).hexdigest()
    (hub / "w.pth").rename(hub / f"squeezenet1_1-{digest[:8]}.pth")
    published = SqueezeNet1_1_Weights.IMAGENET1K_V1.value
    moved = type(published)(
        f"https://example.org/squeezenet1_1-{digest[:8]}.pth", published.transforms, published.meta
    )
    monkeypatch.setattr(SqueezeNet1_1_Weights.IMAGENET1K_V1, "_value_", moved)
    model = torch_models.load("squeezenet1_1")
    assert same(model.module.state_dict(), module.state_dict())


def test_effdets_weights_are_found_by_the_name_that_tells_their_checksum(hub, monkeypatch):
    with pytest.raises(
        ModelError,
        match=r"efficientdet_d2 could .* copy https://.*tf_efficientdet_d2_43-\w+\.pth",
    ):
        detectors.load("efficientdet_d2")
    hub.mkdir(parents=True, exist_ok=True)
    torch.save({"state_dict": {"a": torch.ones(1)}}, hub / "w.pth")
    digest = hashlib.sha256((hub / "w.pth").read_bytes()).hexdigest()
    (hub / "w.pth").rename(hub / f"d2-{digest[:8]}.pth")
    monkeypatch.setattr(efficientdet, "address", lambda name: f"https://a.b/d2-{digest[:8]}.pth")
    assert weights.find(manifests.load_model("efficientdet_d2"), None).keys() == {"a"}
    (hub / f"d2-{digest[:8]}.pth").write_bytes(b"half")
    with pytest.raises(ModelError, match="altered or cut short"):
        detectors.load("efficientdet_d2")


def test_torchvisions_detectors_have_published_weights(hub):
    with pytest.raises(ModelError, match=r"copy https://.*retinanet_resnet50_fpn_coco-\w+\.pth"):
        detectors.load("retinanet_resnet50_fpn")


@pytest.fixture
def server(tmp_path):
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    (tmp_path / "served").mkdir()
    handler = partial(Quiet, directory=tmp_path / "served")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield tmp_path / "served", f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def test_weights_at_an_address_are_downloaded_once_and_checked(
    server, tmp_path, monkeypatch, state
):
    folder, address = server
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path / "data"))
    torch.save(state, folder / "w.pth")
    digest = hashlib.sha256((folder / "w.pth").read_bytes()).hexdigest()
    assert same(weights.find(MINI, f"{address}/w.pth#sha256={digest}"), state)
    (folder / "w.pth").unlink()
    assert same(weights.find(MINI, f"{address}/w.pth#sha256={digest}"), state)
    with pytest.raises(InputError, match="unknown content"):
        weights.find(MINI, f"{address}/w.pth")


def test_an_address_that_gives_nothing(server, tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path / "data"))
    with pytest.raises(ModelError, match=r"downloaded.*copy.*none\.pth") as caught:
        weights.find(MINI, f"{server[1]}/none.pth#sha256={'0' * 64}")
    # What happened and what to do are told once.
    told = str(caught.value)
    assert told.count("download") == told.count("by hand") == told.count("connection") == 1


def test_a_checkpoint_that_is_put_there_by_hand(tmp_path, monkeypatch):
    """Published checkpoints wrap the weights, and say "module." before each name."""
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    manifest = manifests.load_model("resnet50_augmix")
    network = torch_models.build(manifest, outputs=1000)
    wrapped = {f"module.{name}": value for name, value in network.state_dict().items()}
    path = tmp_path / "weights" / manifest.weights.removeprefix("file:")
    path.parent.mkdir()
    torch.save({"state_dict": wrapped, "epoch": 180}, path)
    found = torch_models.load("resnet50_augmix")
    state = found.module.state_dict()
    assert all(torch.equal(state[name], value) for name, value in network.state_dict().items())


def test_a_checkpoint_that_is_not_there_says_where_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    with pytest.raises(ModelError, match="game-of-noise, row ANT3x3"):
        torch_models.load("resnet50_ant3x3")


def test_a_checkpoint_without_a_checksum_is_trusted_at_first_sight_alone(
    tmp_path, monkeypatch, state
):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    manifest = manifests.load_model("resnet50_augmix")
    path = tmp_path / "weights" / manifest.weights.removeprefix("file:")
    path.parent.mkdir()
    torch.save(state, path)
    assert same(weights.find(manifest, None), state)
    receipt = path.with_name(f"{path.name}.sha256.json")
    first = hashlib.sha256(path.read_bytes()).hexdigest()
    assert json.loads(receipt.read_text("utf-8"))["sha256"] == first
    assert same(weights.find(manifest, None), state)
    other = {name: value + 1 for name, value in state.items()}
    torch.save(other, path)
    with pytest.raises(
        ModelError, match=rf"resnet50_augmix differ from those of the first use: .*{first}"
    ) as caught:
        weights.find(manifest, None)
    assert f"on purpose, delete {receipt}." in str(caught.value)
    receipt.unlink()
    assert same(weights.find(manifest, None), other)
