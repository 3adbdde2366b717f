"""Gates of public weights: which apply, which pass, and that none of the reference is forgotten."""

from robust_lib.chapters.nae_2_imagenet_a.gates import gate_frame
from robust_lib.config.profiles import load_profile
from robust_lib.results.reported import reference
from tests.chapters.nae_2_imagenet_a.test_accuracies import IMAGENET_A, IMAGENET_VAL
from tests.protocols.nae.toys import NAMES, masked


def test_gates_judge_public_weights_on_the_real_data_alone():
    assert set(gate_frame(IMAGENET_A, IMAGENET_VAL, NAMES)["Gate"]) == {"other data or networks"}
    known = ("resnet50", "resnet34", "resnext101_32x4d", "dpn98")
    names = {name: name for name in known}
    imagenet_a = masked(
        "imagenet_a", {"resnet50": 0, "resnet34": 3, "resnext101_32x4d": 3, "dpn98": 3}
    )
    imagenet_val = masked("imagenet_val_a", {"resnet50": 30, "resnet34": 3})
    frame = gate_frame(imagenet_a, imagenet_val, names)
    gates = frame.set_index(["Network", "Data"])["Gate"]
    assert gates["resnet50", "imagenet_a"] == "passed"
    assert gates["resnet34", "imagenet_a"] == "FAILED"  # 10 %, not 1.87 %
    assert gates["resnext101_32x4d", "imagenet_a"] == "FAILED"  # 10 %, not 5.85 %
    assert gates["dpn98", "imagenet_a"] == "normalised otherwise there"
    assert gates["resnet152", "imagenet_a"] == "other data or networks"
    assert gates["resnet50", "imagenet_val_a"] == "FAILED"  # 100 %, not 91.86 %
    assert gates["densenet121", "imagenet_val_a"] == "other data or networks"
    elsewhere = masked("scenes", {"resnet50": 0, "resnet34": 3})
    gates = gate_frame(elsewhere, elsewhere, names)
    assert set(gates["Gate"]) == {"other data or networks"}
    assert gates["This run"].isna().all()


def test_every_network_of_the_reference_has_a_gate_and_a_part_in_full():
    gates = gate_frame(IMAGENET_A, IMAGENET_VAL, NAMES)
    listed = reference("testbed_reference").query("dataset in ('imagenet_a', 'imagenet_val_a')")
    assert len(gates) == len(listed) == 20
    assert set(gates["Network"]) <= set(load_profile("full").networks["nae"])
