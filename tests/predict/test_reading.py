"""Images on their way to a model: the same numbers, whoever reads them and wherever they go."""

import numpy as np
import pytest
import torch

from robust_lib import datasets
from robust_lib.errors import InputError
from robust_lib.predict.reading import on_device, read
from robust_lib.preprocessing import Preprocessing
from tests.toys import Swatches

AS_IT_IS = Preprocessing(None, 8)
BATCHES = [[4, 2], [0], [7, 7, 1]]


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_batches_come_in_order_with_the_data_sets_own_numbers(workers):
    shown = list(read(Swatches(), AS_IT_IS, BATCHES, workers))
    assert [list(batch) for batch, _ in shown] == BATCHES
    for batch, images in shown:
        assert torch.equal(images, datasets.batch(Swatches(), batch, AS_IT_IS))


def test_all_8_bit_levels_become_the_same_floats_there_and_here():
    levels = np.arange(256, dtype=np.uint8).reshape(1, 16, 16, 1).repeat(3, axis=3)
    assert torch.equal(on_device(torch.from_numpy(levels), "cpu"), datasets.to_images(levels))


def test_floats_stay_as_they_are():
    images = torch.rand(2, 3, 4, 4)
    assert torch.equal(on_device(images, "cpu"), images)


def test_threads_end_with_a_reader_who_wants_no_more():
    few = read(Swatches(), AS_IT_IS, 20 * BATCHES, 2)
    next(few)
    few.close()
    assert [batch for batch, _ in few] == []


def test_pictures_of_different_sizes_are_no_batch():
    class Uneven(Swatches):
        def read(self, index, preprocessing):
            return super().read(index, preprocessing)[: 8 - index % 2]

    with pytest.raises(InputError, match=r"different sizes.*\(8, 16, 3\).*\(7, 16"):
        list(read(Uneven(), AS_IT_IS, [[0, 1]]))


@pytest.mark.gpu
@pytest.mark.parametrize("workers", [0, 2])
def test_a_gpu_gets_the_same_floats(workers):
    for batch, images in read(Swatches(), AS_IT_IS, BATCHES, workers, "cuda"):
        assert images.device.type == "cuda"
        assert torch.equal(images.cpu(), datasets.batch(Swatches(), batch, AS_IT_IS))
