"""The loop: it learns, it repeats itself to the bit, and nothing is lost when it is killed."""

import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from robust_lib.errors import CacheError, InputError, ModelError
from robust_lib.training import loop, precision
from robust_lib.training.loop import TrainingSet, jitter, train
from robust_lib.training.recipes import Recipe
from tests.lessons import bits, network, recipe, swatches
from tests.toys import unchecked


@pytest.fixture(autouse=True)
def one_thread():
    """Sums over threads come in no fixed order."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def run(seed=0, module=None, data=None, **settings):
    named = {name: settings.pop(name) for name in ("checkpoint", "augment") if name in settings}
    module = network(dropout=0.3) if module is None else module
    data = swatches() if data is None else data
    curves = train(module, data, recipe(**settings), seed=seed, progress=False, **named)
    return module, curves


def test_a_lesson_that_can_be_learnt_is_learnt():
    data = swatches(90)
    module, curves = run(module=network(), data=data, epochs=8)
    assert curves.accuracy[-1] == 1.0
    assert curves.loss[-1] < 0.2 * curves.loss[0]
    assert len(curves.loss) == len(curves.accuracy) == 8
    assert not module.training
    images = torch.from_numpy(data.pictures).permute(0, 3, 1, 2).float() / 255
    predicted = module((images - 0.4) / 0.2).argmax(1).numpy()
    assert (predicted == data.labels).all()


@pytest.mark.parametrize(
    "settings",
    [
        {"optimiser": "adamw", "rate": 0.01},
        {"schedule": "step"},
        {"clip": 1.0},
        {"mixed_precision": True},
        {"smoothing": 0.1},
        {"flip": False, "padding": 0},
    ],
    ids=["adamw", "step", "clip", "mixed precision", "smoothing", "no jitter"],
)
def test_every_setting_learns_and_changes_the_weights(settings, monkeypatch):
    monkeypatch.setattr(precision, "computes_in_bfloat16", lambda device: True)
    module, curves = run(module=network(), data=swatches(90), epochs=8, **settings)
    assert curves.accuracy[-1] > 0.95
    assert bits(module) != bits(run(module=network(), data=swatches(90), epochs=8)[0])


def test_the_same_seed_gives_the_same_weights_to_the_bit():
    one, other = run(), run()
    assert bits(one[0]) == bits(other[0])
    assert one[1] == other[1]


def test_another_seed_gives_other_weights():
    assert bits(run(seed=1)[0]) != bits(run(seed=2)[0])


def test_weights_do_not_depend_on_torchs_own_generator_and_leave_it_alone():
    torch.manual_seed(1)
    one = bits(run()[0])
    torch.manual_seed(2)
    expected = torch.rand(1)
    torch.manual_seed(2)
    assert bits(run()[0]) == one
    assert torch.equal(torch.rand(1), expected)


def test_dropout_is_keyed_by_seed_and_epoch():
    """Of one picture eight times over, and hardly any rate, dropout is all that varies."""
    one = swatches(1)
    same = replace(
        one, pictures=one.pictures.repeat(8, 0), labels=one.labels.repeat(8), ids=(*"abcdefgh",)
    )

    def losses(seed, share):
        torch.manual_seed(0)
        module = torch.nn.Sequential(
            torch.nn.Flatten(), torch.nn.Dropout(share), torch.nn.Linear(768, 3)
        )
        return run(seed, module, same, rate=1e-30, flip=False, padding=0)[1].loss

    assert np.ptp(losses(1, 0.0) + losses(2, 0.0)) < 1e-6
    dropped = losses(1, 0.5) + losses(2, 0.5)
    assert len(set(dropped)) == 6  # three epochs, two seeds
    assert losses(1, 0.5) == dropped[:3]


def test_every_picture_is_seen_once_an_epoch_in_another_order():
    seen = []

    def watch(images, ids, epoch):
        seen.append((epoch, ids))
        assert images.min() >= 0
        assert images.max() <= 1
        return images

    data = swatches(20)
    run(data=data, augment=watch, epochs=2)
    orders = [[name for e, ids in seen if e == epoch for name in ids] for epoch in (0, 1)]
    assert sorted(orders[0]) == sorted(orders[1]) == sorted(data.ids)
    assert orders[0] != orders[1]
    assert [len(ids) for _, ids in seen] == [8, 8, 4] * 2


def test_an_augmentation_reaches_the_network():
    grey, curves = run(augment=lambda images, ids, epoch: images * 0 + 0.5)
    assert curves.accuracy[-1] < 0.6
    assert bits(grey) != bits(run()[0])


def test_only_weights_decay():
    """Without a gradient, what is left of a parameter is its decay."""
    module = torch.nn.Sequential(
        torch.nn.Flatten(), torch.nn.Linear(768, 3), torch.nn.BatchNorm1d(3)
    )
    optimiser = loop.optimiser_of(module, recipe(weight_decay=0.1))
    decays = {id(p): g["weight_decay"] for g in optimiser.param_groups for p in g["params"]}
    found = {name: decays[id(value)] for name, value in module.named_parameters()}
    assert found == {"1.weight": 0.1, "1.bias": 0.0, "2.weight": 0.0, "2.bias": 0.0}
    assert len(decays) == 4


def test_a_recipe_may_let_all_parameters_decay():
    module = network()
    optimiser = loop.optimiser_of(module, recipe(weight_decay=0.1, decay="all"))
    decaying = [p for g in optimiser.param_groups if g["weight_decay"] == 0.1 for p in g["params"]]
    assert len(decaying) == len(list(module.parameters())) == 6


def test_momentum_is_nesterovs_unless_a_recipe_says_otherwise():
    """From rest with gradient g the first step is (1 + momentum) g with Nesterov's, else g."""
    moved = {}
    for nesterov in (True, False):
        module = torch.nn.Linear(1, 1, bias=False)
        torch.nn.init.zeros_(module.weight)
        settings = recipe(rate=0.1, momentum=0.5, weight_decay=0, nesterov=nesterov)
        optimiser = loop.optimiser_of(module, settings)
        module(torch.ones(1, 1)).sum().backward()
        optimiser.step()
        moved[nesterov] = module.weight.item()
    assert recipe().nesterov
    assert moved == {True: pytest.approx(-0.15), False: pytest.approx(-0.1)}


def test_what_a_shift_uncovers_is_mirrored_or_black():
    white = np.full((20, 8, 8, 3), 255, np.uint8)
    settings = {"flip": False, "padding": 2}
    mirrored = jitter(white, np.random.default_rng(0), **settings)
    black = jitter(white, np.random.default_rng(0), **settings, fill="zeros")
    assert (mirrored == 255).all()
    assert (black[:, 2:6, 2:6] == 255).all()
    uncovered = (black == 0).any((1, 2, 3))
    assert 0.8 < uncovered.mean() <= 1  # 24 of 25 shifts uncover something


def test_the_fill_of_a_recipe_reaches_the_network():
    one, other = (run(fill=fill)[0] for fill in ("reflection", "zeros"))
    assert bits(one) != bits(other)


@pytest.mark.parametrize("stop", [1, 2])
def test_a_run_that_stopped_ends_with_the_same_weights(tmp_path, stop):
    """Stopped in the middle of the epoch after `stop`."""
    undisturbed, whole = run()
    batches = []

    def fail(images, ids, epoch):
        batches.append(epoch)
        if epoch == stop and batches.count(stop) == 3:
            raise KeyboardInterrupt
        return images

    file = tmp_path / "below" / "it.pt"
    with pytest.raises(KeyboardInterrupt):
        run(checkpoint=file, augment=fail)
    again = []

    def watch(images, ids, epoch):
        again.append(epoch)
        return images

    resumed, curves = run(module=network(seed=9, dropout=0.3), checkpoint=file, augment=watch)
    assert min(again) == stop
    assert bits(resumed) == bits(undisturbed)
    assert curves == whole


def test_a_finished_run_is_not_run_again(tmp_path):
    file = tmp_path / "it.pt"
    done, curves = run(checkpoint=file)

    def refuse(*_):
        raise AssertionError("trained again")

    again, same = run(module=network(seed=9, dropout=0.3), checkpoint=file, augment=refuse)
    assert bits(again) == bits(done)
    assert same == curves
    assert [path.name for path in tmp_path.iterdir()] == ["it.pt"]  # nothing was left aside


RUN = """
import sys, time
from pathlib import Path
import torch
from robust_lib.training.loop import train
from tests.lessons import network, recipe, swatches
torch.set_num_threads(1)
folder = Path(sys.argv[1])
def slowly(images, ids, epoch):
    with (folder / "epochs").open("a") as file:
        file.write(f"{epoch}\\n")
    time.sleep(0.05)
    return images
train(network(dropout=0.3), swatches(), recipe(epochs=4), seed=3, checkpoint=folder / "it.pt",
      augment=slowly, progress=False)
"""


def test_a_killed_run_goes_on_and_ends_with_the_same_weights(tmp_path):
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(tmp_path)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    deadline = time.monotonic() + 120
    log = tmp_path / "epochs"
    # Six batches an epoch; killed in the middle of the third, with two epochs kept.
    while not log.exists() or log.read_text().split().count("2") < 2:
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline, "the run did not get to its third epoch"
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert 14 <= len(log.read_text().split()) < 18

    epochs = []

    def watch(images, ids, epoch):
        epochs.append(epoch)
        return images

    begun = network(seed=9, dropout=0.3)
    resumed, curves = run(3, begun, epochs=4, checkpoint=tmp_path / "it.pt", augment=watch)
    assert epochs == [2] * 6 + [3] * 6
    undisturbed, whole = run(3, epochs=4)
    assert bits(resumed) == bits(undisturbed)
    assert curves == whole


def cut(file):
    file.write_bytes(file.read_bytes()[:-100])


def empty(file):
    file.write_bytes(b"")


def foreign(file):
    torch.save({"module": network().state_dict()}, file)


def of_another_network(file):
    module = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(768, 3))
    run(module=module, checkpoint=file.with_name("other.pt"))
    file.with_name("other.pt").replace(file)


@pytest.mark.parametrize("spoil", [cut, empty, foreign, of_another_network])
def test_a_checkpoint_that_cannot_be_read_is_named(tmp_path, spoil):
    file = tmp_path / "it.pt"
    run(checkpoint=file, epochs=1)
    spoil(file)
    with pytest.raises(CacheError, match="Delete the file") as caught:
        run(checkpoint=file)
    assert str(file) in str(caught.value)


def test_a_full_disk_keeps_the_last_checkpoint(tmp_path, monkeypatch):
    file = tmp_path / "it.pt"
    run(checkpoint=file, epochs=1)
    kept = file.read_bytes()

    def full(state, aside):
        aside.write_bytes(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(torch, "save", full)
    with pytest.raises(
        CacheError, match=r"No space left on device.*last checkpoint that was written"
    ):
        run(checkpoint=file, epochs=2)
    assert file.read_bytes() == kept
    assert [path.name for path in tmp_path.iterdir()] == ["it.pt"]


def test_a_loss_that_is_no_number_stops_the_run_and_keeps_no_checkpoint(tmp_path):
    file = tmp_path / "it.pt"

    def poison(images, ids, epoch):
        return images * math.nan if epoch == 1 else images

    with pytest.raises(ModelError) as caught:
        train(
            network(), swatches(), recipe(), seed=0, checkpoint=file, augment=poison, name="mine",
            progress=False,
        )  # fmt: skip
    message = str(caught.value)
    for word in ("mine", "nan", "epoch 2 of 3", "rate"):
        assert word in message
    resumed = torch.load(file, weights_only=True)
    assert resumed["done"] == 1
    assert all(torch.isfinite(value).all() for value in resumed["module"].values())


def test_a_rate_that_is_too_large_is_such_a_loss():
    with pytest.raises(ModelError, match="Lower the recipe's rate"):
        run(module=network(), rate=1e18, warmup=0.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": np.zeros(3, np.int64)}, "3 labels and 8 ids for 8 pictures"),
        ({"ids": ("a",)}, "8 labels and 1 ids for 8 pictures"),
    ],
)
def test_lists_of_the_wrong_length_are_refused(change, message):
    with unchecked(), pytest.raises(InputError, match=message):
        replace(swatches(8), **change)


def test_half_of_each_batch_shows_corrupted_copies_and_another_half_each_time():
    data = swatches(24)
    marked = replace(
        data, pictures=np.full_like(data.pictures, 255), corrupted=np.zeros_like(data.pictures)
    )
    seen = []

    def look(images, ids, epoch):
        dark = images.flatten(1).amax(1) == 0
        seen.append((epoch, [item for item, is_dark in zip(ids, dark, strict=True) if is_dark]))
        return images

    run(data=marked, epochs=2, batch=7, augment=look)
    assert [len(dark) for _, dark in seen] == [3, 3, 3, 1] * 2
    first, second = ({item for e, dark in seen if e == epoch for item in dark} for epoch in (0, 1))
    assert len(first) == len(second) == 10
    assert first != second


def test_copies_stand_in_for_their_own_pictures():
    data = swatches(24)
    copied = replace(data, corrupted=data.pictures)
    assert bits(run(data=copied)[0]) == bits(run(data=data)[0])


def test_copies_of_another_shape_are_refused():
    data = swatches(4)
    with unchecked(), pytest.raises(InputError, match="corrupted copies of the shape"):
        replace(data, corrupted=data.pictures[:3])


def test_nothing_to_train_on_is_refused():
    with pytest.raises(InputError, match="at least one picture"):
        TrainingSet(
            np.zeros((0, 8, 8, 3), np.uint8), np.zeros(0, np.int64), (), (0.5,) * 3, (1.0,) * 3
        )


def test_labels_of_any_whole_type_will_do():
    data = swatches()
    narrow = replace(data, labels=data.labels.astype(np.int32))
    assert bits(run(data=narrow)[0]) == bits(run(data=data)[0])


def pictures(n=200, side=12):
    rng = np.random.default_rng(0)
    return rng.integers(0, 256, (n, side, side, 3), dtype=np.uint8)


def test_jitter_of_nothing_changes_nothing():
    before = pictures()
    after = jitter(before, np.random.default_rng(0), flip=False, padding=0)
    assert np.array_equal(after, before)


def test_jitter_flips_about_half_of_the_pictures():
    before = pictures()
    after = jitter(before, np.random.default_rng(0), flip=True, padding=0)
    kept = (after == before).all(axis=(1, 2, 3))
    turned = (after == before[:, :, ::-1]).all(axis=(1, 2, 3))
    assert (kept ^ turned).all()
    assert 0.4 < turned.mean() < 0.6


def test_jitter_shifts_each_picture_by_up_to_the_padding():
    before = pictures()
    after = jitter(before, np.random.default_rng(0), flip=False, padding=2)
    assert after.shape == before.shape
    assert after.dtype == np.uint8
    assert after.flags["C_CONTIGUOUS"]
    shifts = []
    for old, new in zip(before, after, strict=True):
        padded = np.pad(old, ((2, 2), (2, 2), (0, 0)), mode="reflect")
        found = [
            (y, x)
            for y in range(5)
            for x in range(5)
            if np.array_equal(padded[y : y + 12, x : x + 12], new)
        ]
        assert len(found) == 1
        shifts += found
    assert set(shifts) == {(y, x) for y in range(5) for x in range(5)}


def test_jitter_leaves_its_input_alone():
    before = pictures()
    copy = before.copy()
    jitter(before, np.random.default_rng(0), flip=True, padding=2)
    assert np.array_equal(before, copy)


class Exits(torch.nn.Module):
    """Two linear exits; in training it answers from both, else from the last."""

    def __init__(self):
        super().__init__()
        self.first, self.last = (torch.nn.Linear(3, 2) for _ in range(2))

    def forward(self, images):
        mean = images.mean((2, 3))
        both = torch.stack([self.first(mean), self.last(mean)])
        return both if self.training else both[-1]


def test_all_exits_of_a_network_learn_and_the_last_one_answers():
    labels = np.arange(32) % 2
    pictures = np.zeros((32, 8, 8, 3), np.uint8)
    pictures[labels == 1] = 255
    data = TrainingSet(
        pictures, labels, tuple(map(str, range(32))), mean=(0.5,) * 3, std=(0.5,) * 3
    )
    torch.manual_seed(0)
    module = Exits()
    curves = train(module, data, Recipe(epochs=8, batch=8, rate=0.5), seed=0, progress=False)
    assert curves.accuracy[-1] == 1
    shown = torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 127.5 - 1
    module.train()
    for exit_logits in module(shown):
        assert (exit_logits.argmax(1).numpy() == labels).all()
