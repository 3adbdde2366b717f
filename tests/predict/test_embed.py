"""Embeddings: the same however the loop is run; stored ones are found again, and named apart."""

import numpy as np
import pytest
import torch
from torch import nn

from robust_lib.cache import Store
from robust_lib.errors import InputError, ModelError
from robust_lib.models.adapter import wrap_callable
from robust_lib.models.embedding import embedded
from robust_lib.predict import embed as loop
from robust_lib.predict.classify import choose
from robust_lib.predict.embed import Embeddings, embed, whole
from robust_lib.preprocessing import Preprocessing
from tests.toys import AS_IS, Swatches, means, permuted


def test_embeddings_are_what_enters_the_last_layer_in_the_data_sets_order():
    data = Swatches()
    found = embed(means(), data)
    expected = [data.read(place, AS_IS).mean((0, 1)) / 255 for place in range(len(data))]
    np.testing.assert_allclose(found.vectors, expected, atol=1e-6)
    assert (found.model, found.dataset, found.ids) == ("means", "swatches", data.ids)
    assert (len(found), found.vectors.dtype, found.preprocessing) == (30, np.float32, AS_IS)


@pytest.mark.parametrize(("batch_size", "chunk"), [(1, 5), (7, 30), (64, 1024)])
@pytest.mark.parametrize("workers", [0, 2])
def test_batches_chunks_and_readers_change_nothing(batch_size, chunk, workers):
    one = embed(means(), Swatches())
    other = embed(means(), Swatches(), batch_size=batch_size, chunk=chunk, workers=workers)
    np.testing.assert_allclose(one.vectors, other.vectors, rtol=1e-5)


def test_order_of_the_images_changes_nothing():
    order = np.random.default_rng(0).permutation(30)
    straight, shuffled = (
        embed(means(), data) for data in (Swatches(), permuted(Swatches(), order.tolist()))
    )
    np.testing.assert_allclose(straight.vectors[order], shuffled.vectors, rtol=1e-5)


def test_a_limit_takes_the_images_that_predictions_are_of():
    data = Swatches()
    found = embed(means(), data, limit=7)
    assert found.ids == tuple(data.ids[place] for place in choose(data.ids, 7))


def test_stored_embeddings_are_found_without_reading_an_image(tmp_path):
    data, store, model = Swatches(10, log=tmp_path / "read"), Store(tmp_path / "store"), means()
    first, again = (embed(model, data, cache=store, chunk=4) for _ in range(2))
    assert len((tmp_path / "read").read_text().split()) == 10
    assert np.array_equal(first.vectors, again.vectors)
    assert len(list((tmp_path / "store").rglob("*.json"))) == 1  # the chunks are gone


def test_what_is_stored_of_an_interrupted_run_is_not_computed_again(tmp_path, monkeypatch):
    data, store, model = Swatches(10, log=tmp_path / "read"), Store(tmp_path / "store"), means()
    real, calls = loop.embedded, []

    def killed(model, images):
        calls.append(len(images))
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(model, images)

    monkeypatch.setattr(loop, "embedded", killed)
    with pytest.raises(KeyboardInterrupt):
        embed(model, data, cache=store, chunk=4, batch_size=4)
    embed(model, data, cache=store, chunk=4, batch_size=4)
    assert sum(calls) == 8 + 2 + 2  # the third batch twice


def test_other_weights_images_and_preprocessings_are_kept_apart(tmp_path):
    store, data = Store(tmp_path), Swatches(6)
    embed(means(fill=1.0), data, cache=store)
    embed(means(fill=2.0), data, cache=store)
    embed(means(fill=2.0), data, cache=store, preprocessing=Preprocessing(None, 8))
    embed(means(fill=2.0), data, cache=store, limit=3)
    assert len(list(tmp_path.rglob("*.json"))) == 4


@pytest.mark.parametrize("wrong", [{"batch_size": 0}, {"limit": 0}, {"chunk": 0}, {"workers": -1}])
def test_impossible_sizes_are_refused(wrong):
    with pytest.raises(InputError, match="at least 1"):
        embed(means(), Swatches(), **wrong)


def test_no_images_are_refused():
    with pytest.raises(InputError, match="0 images of swatches"):
        embed(means(), Swatches(0))


def test_a_function_is_refused_before_an_image_is_read(tmp_path):
    model = wrap_callable(lambda x: x.mean((2, 3)), "mine", "colours", AS_IS, outputs=3)
    with pytest.raises(ModelError, match="TorchClassifier"):
        embed(model, Swatches(log=tmp_path / "read"))
    assert not (tmp_path / "read").exists()


def test_what_is_no_number_is_refused_by_the_images_name():
    class Holes(nn.Module):
        def forward(self, images):
            return torch.where(images > 0.8, torch.nan, images)

    broken = means()
    object.__setattr__(broken, "module", nn.Sequential(Holes(), *broken.module).eval())
    with pytest.raises(ModelError, match=r"image swatch\d+ of swatches"):
        embed(broken, Swatches())


def test_a_row_an_image():
    with pytest.raises(InputError, match="2 for 1"):
        Embeddings("m", "d", ("a",), np.zeros((2, 3), np.float32), AS_IS)


def test_a_batch_that_memory_does_not_hold_is_shown_in_parts(monkeypatch):
    whole = embed(means(), Swatches())
    tried = []

    def small(model, images):
        tried.append(len(images))
        if len(images) > 4:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return embedded(model, images)

    monkeypatch.setattr(loop, "embedded", small)
    np.testing.assert_array_equal(embed(means(), Swatches(), batch_size=10).vectors, whole.vectors)
    assert tried.count(10) == 1
    assert max(tried[2:]) <= 5


@pytest.mark.parametrize(
    ("own", "shown"),
    [
        (Preprocessing(None, 8), Preprocessing(None, None)),
        (Preprocessing(None, None), Preprocessing(None, None)),
        (Preprocessing(256, 224), Preprocessing(256, 224)),
        (Preprocessing((64, 64), None), Preprocessing((64, 64), None)),
    ],
)
def test_only_a_crop_without_a_scale_is_left_out(own, shown):
    assert whole(own) == shown
