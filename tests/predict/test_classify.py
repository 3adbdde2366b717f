"""The loop: right answers, the same ones however it is run, and nothing lost when it is killed."""

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

from robust_lib.cache import Store
from robust_lib.errors import CacheError, InputError, ModelError
from robust_lib.models.adapter import TorchClassifier
from robust_lib.predict.classify import choose, chunk_of, predict, predict_all
from robust_lib.preprocessing import Preprocessing
from tests.toys import Misbehaving, Swatches, brightest, convolutional, permuted


def test_predict_gives_right_answers_in_the_data_sets_order():
    said = predict(brightest(), Swatches())
    assert said.correct.all()
    assert said.ids == Swatches().ids
    assert (said.model, said.dataset) == ("brightest", "swatches")
    assert said.logits.shape == (30, 3)
    expected = np.exp(said.logits).max(1) / np.exp(said.logits).sum(1)
    np.testing.assert_allclose(said.confidence, expected, rtol=1e-6)


@pytest.mark.parametrize("batch_size", [1, 7, 30, 64])
def test_batch_size_changes_no_class_and_logits_by_rounding_alone(batch_size):
    model = convolutional()
    one, other = (
        predict(model, Swatches(), batch_size=16),
        predict(model, Swatches(), batch_size=batch_size),
    )
    assert len(set(one.predicted.tolist())) > 1
    assert np.array_equal(one.predicted, other.predicted)
    np.testing.assert_allclose(one.logits, other.logits, atol=1e-5 * np.abs(one.logits).max())


def test_order_of_the_images_changes_nothing():
    order = np.random.default_rng(0).permutation(30)
    straight = predict(convolutional(), Swatches(), batch_size=7)
    shuffled = predict(convolutional(), permuted(Swatches(), order.tolist()), batch_size=7)
    assert np.array_equal(straight.predicted[order], shuffled.predicted)
    largest = np.abs(straight.logits).max()
    np.testing.assert_allclose(straight.logits[order], shuffled.logits, atol=1e-5 * largest)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_worker_count_changes_nothing(workers):
    one = predict(convolutional(), Swatches(), batch_size=4)
    other = predict(convolutional(), Swatches(), batch_size=4, workers=workers)
    assert np.array_equal(one.logits, other.logits)


def test_an_error_while_reading_ahead_reaches_the_caller():
    class Torn(Swatches):
        def read(self, index, preprocessing):
            if index == 20:
                raise InputError("picture 20 is torn")
            return super().read(index, preprocessing)

    with pytest.raises(InputError, match="picture 20 is torn"):
        predict(brightest(), Torn(), batch_size=4, workers=2)


def test_every_image_is_read_once_for_all_models_of_one_preprocessing(tmp_path):
    log = tmp_path / "read"
    models = [
        brightest("a"),
        convolutional("b"),
        brightest("c", preprocessing=Preprocessing(16, 16)),
    ]
    said = predict_all(models, Swatches(log=log), batch_size=8)
    assert list(said) == ["a", "b", "c"]
    assert len(log.read_text().split()) == 2 * 30
    alone = predict(convolutional("b"), Swatches())
    assert np.array_equal(said["b"].predicted, alone.predicted)


def test_a_stored_result_is_read_back_without_touching_an_image(tmp_path):
    log, store = tmp_path / "read", Store(tmp_path / "store")
    first = predict(brightest(), Swatches(log=log), cache=store, chunk=8)
    again = predict(brightest(), Swatches(log=log), cache=store, chunk=8)
    assert len(log.read_text().split()) == 30
    assert np.array_equal(first.logits, again.logits)
    assert len(list((tmp_path / "store").rglob("*.json"))) == 1  # the chunks are gone


def test_a_changed_weight_is_another_model_to_the_store(tmp_path):
    store, model = Store(tmp_path), convolutional()
    before = predict(model, Swatches(), cache=store)
    with torch.no_grad():
        model.module[-1].weight *= -1
    after = predict(model, Swatches(), cache=store)
    assert before.fingerprint != after.fingerprint
    np.testing.assert_allclose(after.logits, -before.logits, rtol=1e-5)


def test_another_data_set_of_the_same_name_is_not_taken_for_this_one(tmp_path):
    store = Store(tmp_path)
    small = predict(brightest(), Swatches(side=8), cache=store)
    large = predict(brightest(), Swatches(side=16), cache=store)
    assert not np.array_equal(small.logits, large.logits)


def test_a_damaged_entry_is_an_error_and_never_computed_anew_in_silence(tmp_path):
    store = Store(tmp_path)
    predict(brightest(), Swatches(), cache=store)
    (arrays,) = tmp_path.rglob("*.npz")
    arrays.write_bytes(arrays.read_bytes()[:-20])
    with pytest.raises(CacheError, match="to recompute it"):
        predict(brightest(), Swatches(), cache=store)
    store.drop(arrays.name.partition(".")[0])
    assert predict(brightest(), Swatches(), cache=store).correct.all()


def test_reduced_keeps_class_and_confidence_and_both_forms_lie_side_by_side(tmp_path):
    store = Store(tmp_path)
    whole = predict(brightest(), Swatches(), cache=store)
    small = predict(brightest(), Swatches(), cache=store, keep="reduced")
    assert small.logits is None
    assert np.array_equal(whole.predicted, small.predicted)
    assert np.array_equal(whole.confidence, small.confidence)
    assert predict(brightest(), Swatches(), cache=store).logits is not None


def test_limit_takes_the_same_images_of_every_order_and_smaller_choices_lie_in_larger():
    ids = tuple(f"image{number}" for number in range(50))
    some = {ids[place] for place in choose(ids, 20)}
    assert some == {ids[::-1][place] for place in choose(ids[::-1], 20)}
    assert {ids[place] for place in choose(ids, 5)} < some
    assert choose(ids, 20) != list(range(20))
    said = predict(brightest(), Swatches(), limit=5)
    assert said.ids == tuple(Swatches().ids[place] for place in choose(Swatches().ids, 5))
    assert said.correct.all()


def test_nan_names_the_model_and_the_first_image():
    def answer(images):
        logits = 10 * images.mean((2, 3))
        logits[2] = torch.nan
        return logits

    with pytest.raises(ModelError, match=r"misbehaving.*image swatch2 of swatches"):
        predict(Misbehaving(answer), Swatches(), batch_size=8)


@pytest.mark.parametrize(
    "answer",
    [
        lambda images: torch.zeros(len(images), 4),
        lambda images: torch.zeros(3),
        lambda images: None,
    ],
)
def test_wrong_shape_names_the_model_and_the_first_image(answer):
    with pytest.raises(ModelError, match=r"misbehaving.*\(8, 3\).*swatch0"):
        predict(Misbehaving(answer), Swatches(), batch_size=8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"batch_size": 0}, "batch_size"),
        ({"limit": 0}, "limit"),
        ({"workers": -1}, "workers"),
        ({"chunk": 0}, "chunk"),
    ],
)
def test_impossible_arguments_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        predict(brightest(), Swatches(), **arguments)


def test_models_of_one_name_and_empty_data_sets_are_refused():
    with pytest.raises(InputError, match="different names"):
        predict_all([brightest(), brightest()], Swatches())
    with pytest.raises(InputError, match="has none"):
        predict(brightest(), Swatches(count=0))


RUN = """
import sys
from pathlib import Path
from robust_lib.cache import Store
from robust_lib.predict.classify import predict
from tests.toys import Swatches, convolutional
folder = Path(sys.argv[1])
data = Swatches(log=folder / "read", seconds=float(sys.argv[2]))
said = predict(convolutional(), data, cache=Store(folder / "store"), batch_size=4, chunk=8)
said.save(folder / "said.npz")
"""


def test_a_killed_run_goes_on_where_it_was_and_ends_with_the_same_numbers(tmp_path):
    command = [sys.executable, "-c", RUN, str(tmp_path)]
    root = Path(__file__).parents[2]
    settings = {"cwd": root, "env": {**os.environ, "PYTHONPATH": str(root)}}
    process = subprocess.Popen([*command, "0.05"], **settings)
    deadline = time.monotonic() + 120
    while len(list((tmp_path / "store").rglob("*.json"))) < 2:
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline, "the run stored no chunk"
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "said.npz").exists()
    read_before = len((tmp_path / "read").read_text().split())
    assert 16 <= read_before < 30

    subprocess.run([*command, "0"], check=True, **settings)
    read = (tmp_path / "read").read_text().split()[read_before:]
    assert read == list(Swatches().ids[16:])  # two chunks of eight were there
    undisturbed = predict(convolutional(), Swatches(), batch_size=4, chunk=8)
    with np.load(tmp_path / "said.npz") as resumed:
        assert np.array_equal(resumed["logits"], undisturbed.logits)


class Small(torch.nn.Module):
    """A network on a device whose memory holds a few images."""

    def __init__(self, most):
        super().__init__()
        self.most, self.tried = most, []

    def forward(self, images):
        self.tried.append(len(images))
        if len(images) > self.most:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return images.mean((2, 3))


def small(most):
    return TorchClassifier(
        module=Small(most),
        name="small",
        classes="colours",
        outputs=3,
        preprocessing=Preprocessing(None, 8),
        of_row=True,  # not asked by its fingerprint
    )


@pytest.mark.parametrize("most", [3, 4, 5])
def test_a_batch_that_memory_does_not_hold_is_halved_until_it_does(most):
    model, roomy = small(most), small(30)
    said = predict(model, Swatches(), batch_size=10)
    np.testing.assert_array_equal(said.logits, predict(roomy, Swatches(), batch_size=10).logits)
    first, *_, last = model.module.tried
    assert (first, last <= most) == (10, True)
    # The next batches begin with what fits.
    assert model.module.tried.count(10) == 1


def test_memory_for_no_image_at_all_is_said():
    with pytest.raises(ModelError, match="memory for one image of small, but there is not enough"):
        predict(small(0), Swatches())
    with pytest.raises(ModelError, match="memory for one image of small, but there is not enough"):
        predict(replace(small(0), of_row=False), Swatches())
    predict(replace(small(1), of_row=False), Swatches(), batch_size=2)


def test_pieces_are_larger_on_a_gpu():
    assert chunk_of([brightest(), small(3)]) == 1024
    assert chunk_of([brightest(), replace(small(3), device="cuda:99")]) == 8192


def test_stored_answers_need_no_gpu_and_new_ones_say_that_they_do(tmp_path):
    store = Store(tmp_path)
    said = predict(small(30), Swatches(), cache=store)
    elsewhere = replace(small(30), device="cuda:99")
    again = predict(elsewhere, Swatches(), cache=store)
    np.testing.assert_array_equal(again.logits, said.logits)
    with pytest.raises(InputError, match=r"GPU.*device cuda:99.*torch"):
        predict(elsewhere, Swatches(), cache=store, limit=3)
