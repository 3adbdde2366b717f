"""What 34 public networks say of ImageNet's validation images: gates and verdicts at full size."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from robust_lib import paths
from robust_lib.config.manifests import load_model
from robust_lib.datasets import batch
from robust_lib.datasets.image_folder import load_photographs
from robust_lib.datasets.imagenet_c import Corrupted, authors_frost
from robust_lib.fetch.verification import seems_there
from robust_lib.metrics.boxes import Detections
from robust_lib.metrics.detection import mean_average_precision
from robust_lib.models.torch_models import load
from robust_lib.models.weight_files import weight_file
from robust_lib.results.claims import parse
from robust_lib.results.comparison import Comparison
from robust_lib.results.estimate import Estimate
from robust_lib.results.gates.gate import is_judged, judged
from robust_lib.results.gates.references import gates
from robust_lib.results.judgement import judge
from robust_lib.results.lookup import Lookup
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from tests.real_data import real, real_boxes, told_by_pycocotools

MASKS = "maskrcnn_resnet50_fpn"
PAIRS = {  # right by both, by the first alone, by the second alone, by none
    ("resnet18", "resnet50"): (32906, 1973, 5159, 9962),
    ("resnet50", "resnet152"): (36001, 2064, 3155, 8780),
    ("vgg_19_tf", "mobilenet_v1_tf"): (31633, 3868, 3877, 10622),
    ("squeezenet1_0", "squeezenet1_1"): (25265, 3781, 3824, 17130),
}


@pytest.fixture(scope="module")
def said():
    with np.load(real("imagenet_val_answers.npz")) as found:
        yield {name: found[name] for name in ("networks", "truth", "answers", "files")}


@pytest.fixture(scope="module")
def right(said):
    return dict(
        zip(said["networks"].tolist(), (said["answers"] == said["truth"][:, None]).T, strict=True)
    )


@pytest.fixture(scope="module")
def rows(right):
    return {
        name: Row.of(  # 200 resamples: no pair of these is near the border
            Estimate.of_rate([counted], images="imagenet_val", samples=200),
            item="inc-tab1",
            dataset="imagenet_val",
            model=name.replace("se_resnext101_32x4d", "resnext101_32x4d_se"),
            metric="accuracy",
        )
        for name, counted in right.items()
    }


def test_the_committed_truth_is_what_others_hold_for_the_truth(said):
    committed = np.loadtxt(paths.manifests() / "truth" / "imagenet_val.csv", int, skiprows=1)
    assert said["files"][[0, -1]].tolist() == [
        "ILSVRC2012_val_00000001.JPEG", "ILSVRC2012_val_00050000.JPEG",
    ]  # fmt: skip
    assert (committed == said["truth"]).all()


def test_public_weights_pass_their_gates(rows):
    found = [one for one in judged(gates(), rows.values()) if is_judged(one)]
    outcomes = {(one.gate.model, one.gate.source): one.words for one in found}
    apart = {model: words for (model, _), words in outcomes.items() if words != "same"}
    assert len(outcomes) == 13
    assert apart == {"alexnet": "within 2 images (25 allowed)"}


@pytest.mark.parametrize("pair", PAIRS)
def test_pairs_of_networks_are_judged_as_mcnemars_test_judges_them(pair, right, rows):
    one, other = (right[name] for name in pair)
    cells = (one & other, one & ~other, ~one & other, ~one & ~other)
    counted = tuple(int(cell.sum()) for cell in cells)
    assert counted == PAIRS[pair]
    differs = binomtest(counted[1], counted[1] + counted[2]).pvalue < 0.05
    ahead = "holds" if counted[1] > counted[2] else "does not hold"
    assert _word(rows, *pair) == (ahead if differs else "not decided")
    # Unpaired it would be wider by three quarters.
    step = Comparison(0.0, True, tuple(zip((1, -1), (rows[name] for name in pair), strict=True)))
    low, high = step.ends(0.95)
    error = (counted[1] + counted[2]) ** 0.5 / len(one)
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.25)


def _word(rows, first, second):
    table = Results.of(rows.values())
    claim = parse(f"accuracy[{first}] > accuracy[{second}]", "imagenet_val")
    return judge(claim, Lookup(results=table, item="inc-tab1")).word


FAULTS: Mapping[str, Callable[[Detections], Detections]] = {
    "none": lambda found: found,
    "labels that begin at one": lambda found: replace(found, classes=(found.classes + 1) % 80),
    "boxes of twice the size": lambda found: replace(found, boxes=2 * found.boxes),
    "half a pixel": lambda found: replace(found, boxes=found.boxes + 0.5),
    "no scores": lambda found: replace(found, scores=np.full(len(found.scores), 0.5)),
}


@pytest.mark.parametrize("detector", ["yolox_nano", "mb3_centernet"])
def test_a_real_detector_passes_its_gate_and_one_that_is_read_wrongly_does_not(detector):
    """The gate of COCO, with what pycocotools says of the same boxes in place of a publication."""
    truth, boxes = real_boxes(detector)
    told, _ = told_by_pycocotools(detector)
    (like,) = (one for one in gates() if (one.model, one.dataset) == (MASKS, "coco_val"))
    gate = replace(like, model=detector, value=round(told[0], 3))
    row = {"item": "nao-tab2", "dataset": "coco_val", "model": detector, "metric": "map"}
    outcomes = {}
    for fault, change in FAULTS.items():
        value = mean_average_precision(truth, change(boxes), "coco")
        (one,) = judged([gate], [Row(value=value, n=158, n_full=158, **row)])
        outcomes[fault] = one.outcome
    assert outcomes.pop("none") == "same"
    assert outcomes.pop("half a pixel") in ("within", "FAILED")  # by a detector's small boxes
    assert set(outcomes.values()) == {"FAILED"}
    (part,) = judged([gate], [Row(value=told[0], n=158, n_full=5000, **row)])
    assert (part.outcome, part.why) == ("not run", "158 of 5,000 images")


def test_a_real_network_answers_photographs_out_of_packages_as_it_did_elsewhere():
    """Three cells and the clean one; another processor may differ in a few of them."""
    with np.load(real("photos_answers.npz")) as found:
        told = {name: found[name] for name in found.files}
    row = load_model("efficientnet_lite0")
    if not (weight_file(row).there and seems_there("photographs") and authors_frost()):
        pytest.skip("needs what profile photos fetches, which tests do not")
    images = load_photographs("photographs")
    assert list(images.ids) == told["ids"].tolist()
    assert images.labels.tolist() == told["truth"].tolist()
    network, every = load("efficientnet_lite0"), range(len(images))
    asked = {None: batch(images, every, network.preprocessing)}
    for name, severity in (("frost", 3), ("gaussian_noise", 5), ("pixelate", 4)):
        # At the network's own geometry, which that file states.
        cell = Corrupted(images, name, severity, frost=authors_frost())
        asked[name, severity] = cell.batch(every, network.preprocessing)
    apart = 0
    for key, pictures in asked.items():
        place = None if key is None else told["corruptions"].tolist().index(key[0])
        expected = told["clean_class"] if key is None else told["cell_class"][place, key[1] - 1]
        apart += int((network(pictures).argmax(1).numpy() != expected).sum())
    assert apart <= 2
