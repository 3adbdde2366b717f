"""Images for a model: read ahead by threads, and converted to floats on its device."""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import torch

from robust_lib import datasets, devices
from robust_lib.datasets import ImageSet
from robust_lib.models.contract import Images
from robust_lib.preprocessing import Preprocessing


def read(
    dataset: ImageSet,
    preprocessing: Preprocessing,
    batches: Sequence[Sequence[int]],
    workers: int = 0,
    device: str = "cpu",
) -> Iterator[tuple[Sequence[int], Images]]:
    """Yield batches of a data set's images in order; threads read a few ahead.

    Images are copied to a GPU as 8-bit numbers, a quarter of the size of floats, while it computes.

    Args:
        batches: indices of the images.
        workers: number of threads; 0 reads when batches are requested.
        device: device for the images.
    """

    def prepared(batch: Sequence[int]) -> torch.Tensor:
        if not device.startswith("cuda"):
            return datasets.batch(dataset, list(batch), preprocessing)
        if hasattr(dataset, "batch"):  # which has floats to begin with
            return datasets.batch(dataset, list(batch), preprocessing).pin_memory()
        return torch.from_numpy(datasets.stack(dataset, list(batch), preprocessing)).pin_memory()

    if batches:
        devices.require(device)
    if workers == 0:
        yield from ((batch, on_device(prepared(batch), device)) for batch in batches)
        return
    # Threads suffice: decoding, resizing and array arithmetic release the interpreter's lock.
    with ThreadPoolExecutor(workers, thread_name_prefix="read") as pool:
        ahead: deque[tuple[Sequence[int], Future[torch.Tensor]]] = deque()
        waiting = iter(batches)
        try:
            while True:
                for batch in waiting:
                    ahead.append((batch, pool.submit(prepared, batch)))
                    if len(ahead) == 2 * workers:
                        break
                if not ahead:
                    return
                ready, pictures = ahead.popleft()
                yield ready, on_device(pictures.result(), device)
        finally:
            pool.shutdown(cancel_futures=True)


def as_read(preprocessing: Preprocessing) -> Preprocessing:
    """Return the part of the preprocessing that determines the pixels; models can share it.

    The interpolation does not matter if images are not resized.

    >>> as_read(Preprocessing(None, 224, "bicubic")) == as_read(Preprocessing(None, 224))
    True
    >>> as_read(Preprocessing(256, 224, "bicubic")) == as_read(Preprocessing(256, 224))
    False
    """
    resized = preprocessing.resize is not None
    return preprocessing if resized else replace(preprocessing, interpolation="bilinear")


def on_device(pictures: torch.Tensor, device: str) -> Images:
    """Return images on a device, float32 in [0, 1], channels first.

    Args:
        pictures: images in this form, or 8-bit ones with channels last, which are converted on the
            device.
        device: "cpu", "cuda", "cuda:1", ...
    """
    there = pictures.to(device, non_blocking=True)
    if there.dtype == torch.uint8:
        there = there.permute(0, 3, 1, 2).contiguous().float()
        there.div_(there.new_tensor(255))  # by a number, a GPU multiplies with the reciprocal
    return there
