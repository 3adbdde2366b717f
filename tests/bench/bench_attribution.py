"""How fast integrated gradients are, beside captum's, of one class logit of a detector.

Both take the same steps of the same picture in batches of the same size, in turn on one thread.
Seconds are the process's own.
"""

import numpy as np
import pytest
import torch

from robust_lib.explain.integrated_gradients import integrated_gradients
from robust_lib.models.detectors import efficientdet
from robust_lib.models.detectors.class_logits import fixed_places, logits_at
from robust_lib.models.detectors.torch_detector import TorchDetector
from tests.bench.bench_predict import seconds
from tests.boxed import seeded
from tests.toys import unchecked

STEPS, BATCH, ROUNDS, SIDE = 64, 16, 5, 128


def made():
    module = seeded(lambda: efficientdet.small(13, "resnet18", channels=32, cells=1, layers=1))
    return TorchDetector(module=module, name="bench", classes="bench", outputs=13, least_score=0.0)


@pytest.mark.bench
@pytest.mark.parametrize("outputs", [1, 3])
def test_gradients_beside_captum(outputs):
    attr = pytest.importorskip("captum.attr")
    detector, image = made(), torch.rand(3, SIDE, SIDE, generator=torch.manual_seed(0))
    boxes, classes, _ = (part[:outputs] for part in detector([image])[0])
    assert len(classes) == outputs
    places = fixed_places(detector, image, boxes, classes)
    rows, columns = torch.arange(outputs), torch.as_tensor(classes)

    def asked(pictures):
        return logits_at(detector, pictures, places)[:, rows, columns]

    def theirs():
        method = attr.IntegratedGradients(asked)
        return [
            method.attribute(
                image[None],
                baselines=0.0,
                target=target,
                n_steps=STEPS,
                method="gausslegendre",
                internal_batch_size=BATCH,
                return_convergence_delta=True,
            )[0][0]
            for target in range(outputs)
        ]

    def ours():
        return integrated_gradients(asked, image, steps=STEPS, batch=BATCH)

    with unchecked():  # users do not have the tests' checks of shapes
        for one, other in zip(ours().values, theirs(), strict=True):
            assert np.abs(one - other.detach().numpy()).max() < 1e-4
        times = {"ours": [], "captum": []}
        for _ in range(ROUNDS):
            times["captum"].append(seconds(theirs))
            times["ours"].append(seconds(ours))
    rates = {name: outputs * STEPS / min(taken) for name, taken in times.items()}
    print(
        f"\n{outputs} logits of a picture of {SIDE} pixels: {rates['ours']:.0f} gradients a CPU "
        f"second, captum {rates['captum']:.0f}: {rates['ours'] / rates['captum']:.2f} times"
    )
