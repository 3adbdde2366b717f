"""The loop of detectors: it learns, repeats itself to the bit, and loses nothing when killed."""

import numpy as np
import pytest
import torch

from robust_lib.datasets.objects import Objects
from robust_lib.datasets.vid_boxes import flat
from robust_lib.errors import CacheError, InputError, ModelError
from robust_lib.metrics.boxes import Truth
from robust_lib.metrics.detection import mean_average_precision
from robust_lib.models.detectors.torch_detector import TorchDetector
from robust_lib.training import checkpoints
from robust_lib.training.detection import LossCurves, batch_of, train_detector
from robust_lib.training.recipes import Recipe
from tests.boxed import Squares, annotation, detections_of, faster, positioned
from tests.lessons import bits


@pytest.fixture(autouse=True)
def one_thread():
    """Sums over threads come in no fixed order."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def recipe(**changes):
    given = {"epochs": 2, "batch": 8, "rate": 2e-3, "optimiser": "adamw", "padding": 0, "clip": 5.0}
    return Recipe(**given | changes)


def run(seed=0, make=faster, data=None, **settings):
    named = {name: settings.pop(name) for name in ("checkpoint", "leg") if name in settings}
    module = make()
    data = Squares() if data is None else data
    curves = train_detector(module, data, recipe(**settings), seed=seed, progress=False, **named)
    return module, curves


@pytest.mark.parametrize(("make", "rate", "count"), [(faster, 0.02, 60), (positioned, 0.05, 120)])
def test_a_lesson_that_can_be_learnt_is_learnt(make, rate, count):
    data = Squares(count)
    module, curves = run(make=make, data=data, epochs=14, rate=rate, optimiser="sgd")
    assert not module.training
    assert curves.loss[-1] < 0.6 * curves.loss[0]
    model = TorchDetector(module=module, name="learnt", classes="colours", outputs=3)
    images = [torch.from_numpy(data.read(i, None)).permute(2, 0, 1) / 255 for i in range(40)]
    truth = Truth(*flat(data.annotations[:40]))
    assert mean_average_precision(truth, detections_of(model(images)), 0.5) > 0.7


def test_the_same_seed_gives_the_same_weights_to_the_bit():
    one, other = run(), run()
    assert bits(one[0]) == bits(other[0])
    assert one[1] == other[1]
    assert bits(run(seed=1)[0]) != bits(one[0])


def test_the_parts_of_the_loss_are_kept_epoch_by_epoch():
    _, curves = run(epochs=3)
    assert len(curves.loss) == 3
    assert set(curves.parts) == {
        "loss_classifier", "loss_box_reg", "loss_objectness", "loss_rpn_box_reg",
    }  # fmt: skip
    np.testing.assert_allclose(curves.loss, np.sum(list(curves.parts.values()), 0))


def test_weights_do_not_depend_on_torchs_own_generator_and_leave_it_alone():
    torch.manual_seed(1)
    one = bits(run(epochs=1)[0])
    torch.manual_seed(2)
    expected = torch.rand(1)
    torch.manual_seed(2)
    assert bits(run(epochs=1)[0]) == one
    assert torch.equal(torch.rand(1), expected)


@pytest.mark.parametrize(("leg", "after"), [(1000, 1), (2, 2), (1, 4)])
def test_a_killed_run_ends_with_the_same_weights(tmp_path, monkeypatch, leg, after):
    """Killed after some checkpoints, also in the middle of an epoch of three steps."""
    whole, curves = run(leg=leg)
    file, saved, save = tmp_path / "it.pt", [], checkpoints.save

    def die(*arguments):
        save(*arguments)
        saved.append(1)
        if len(saved) == after:
            raise KeyboardInterrupt

    monkeypatch.setattr(checkpoints, "save", die)
    with pytest.raises(KeyboardInterrupt):
        run(checkpoint=file, leg=leg)
    monkeypatch.setattr(checkpoints, "save", save)
    resumed, again = run(checkpoint=file, leg=leg)
    assert bits(resumed) == bits(whole)
    assert again == curves


def test_a_checkpoint_of_something_else_is_refused(tmp_path):
    file = tmp_path / "it.pt"
    run(checkpoint=file, epochs=1)
    with pytest.raises(CacheError, match="Expected a checkpoint of this network"):
        run(checkpoint=file, make=positioned)


def test_iterations_end_a_training_within_an_epoch():
    _, curves = run(epochs=5, iterations=4, leg=1)
    assert len(curves.loss) == 4


def test_pictures_and_boxes_are_mirrored_together():
    data = Squares(4)
    (plain,), (before,) = batch_of(data, [1], mirrored=[False])
    (mirrored,), (after,) = batch_of(data, [1], mirrored=[True])
    assert torch.equal(mirrored, plain.flip(2))
    for colour, box in zip(after["labels"] - 1, after["boxes"].int().tolist(), strict=True):
        left, top, right, bottom = box
        assert (mirrored[colour, top:bottom, left:right] > 0.9).all()
    assert torch.equal(before["labels"], after["labels"])
    assert torch.equal(before["labels"] - 1, torch.from_numpy(data.annotations[1].classes))


def test_every_picture_is_seen_once_an_epoch(tmp_path):
    data = Squares(20, log=tmp_path / "read")
    run(data=data, epochs=2)
    read = (tmp_path / "read").read_text().split()
    assert sorted(read[:20]) == sorted(read[20:]) == sorted(data.ids)
    assert read[:20] != read[20:]


def test_half_of_the_pictures_are_mirrored_and_none_if_the_recipe_says_so(monkeypatch):
    from robust_lib.training import detection

    flags = []

    def watch(data, places, *, mirrored):
        flags.extend(mirrored)
        return batch_of(data, places, mirrored=mirrored)

    monkeypatch.setattr(detection, "batch_of", watch)
    run(data=Squares(60), epochs=1)
    assert 15 < sum(flags) < 45
    flags.clear()
    run(data=Squares(8), epochs=1, flip=False)
    assert not any(flags)


def test_boxes_without_width_are_widened_to_a_pixel():
    kept = (annotation([(5, 5, 5, 9), (0, 0, 4, 4)], [0, 1], (64, 64)),)
    _, (target,) = batch_of(Squares(1, kept=kept), [0], mirrored=[False])
    assert target["boxes"].tolist() == [[5, 5, 6, 9], [0, 0, 4, 4]]


def test_pictures_without_objects_are_background():
    kept = tuple(annotation([], [], (64, 64)) for _ in range(8))
    _, curves = run(data=Squares(8, kept=kept), epochs=1)
    assert curves.parts["loss_box_reg"] == [0.0]


def test_a_loss_that_is_no_number():
    with pytest.raises(ModelError, match=r"losses of detector to stay finite, but at step .* nan"):
        run(rate=1e20, clip=None, optimiser="sgd", warmup=0.0)


@pytest.mark.parametrize(
    "settings",
    [{"padding": 2}, {"augmentation": "augmix"}, {"attack": "fgsm"}, {"crops": "resized"}],
)
def test_recipes_that_move_more_than_boxes_can_follow(settings):
    with pytest.raises(InputError, match=f"this one sets {next(iter(settings))}"):
        run(**settings)


def test_boxes_of_other_pictures():
    with pytest.raises(InputError, match=r"8 pictures.*squares.*those.*1"):
        run(data=Squares(8, kept=Squares(1).annotations))
    with pytest.raises(InputError, match="at least one picture"):
        run(data=Squares(0))


def test_curves_begin_empty():
    assert LossCurves() == LossCurves([], {})


def test_masks_are_mirrored_with_their_boxes():
    mask = np.zeros((1, 64, 64), bool)
    mask[0, 10:20, 4:9] = True
    box = np.array([[4.0, 10.0, 9.0, 20.0]], np.float32)
    data = Squares(count=1, kept=(Objects(64, 64, box, np.array([1]), masks=mask),))
    (_, (straight,)), (_, (mirrored,)) = (
        batch_of(data, [0], mirrored=[mirror]) for mirror in (False, True)
    )
    assert np.array_equal(straight["masks"].numpy(), mask)
    rows, columns = np.nonzero(mirrored["masks"].numpy()[0])
    assert mirrored["boxes"].tolist() == [[columns.min(), 10.0, columns.max() + 1, 20.0]]
    assert (rows.min(), rows.max()) == (10, 19)
