"""Files of answers that are called .npz: arrays that do not fit together, and what is none."""

import numpy as np
import pytest

from robust_lib.datasets.synthetic import Synthetic
from robust_lib.errors import DataError
from robust_lib.predict.answers_file import read_answers
from robust_lib.predict.classify import predict
from tests.toys import brightest


@pytest.fixture
def said():
    return predict(
        brightest(), Synthetic("noise", "blobs", 6, 32, "colours", ("red", "green", "blue"))
    )


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"logits": np.zeros((4, 3))}, r"logits of 6 rows.* \(4, 3\)"),
        ({"logits": np.zeros(6)}, r"logits of 6 rows.* \(6,\)"),
        ({"images": np.array(["noise"] * 5)}, r"6 names, one for each id.* \(5,\)"),
        ({"predicted": np.zeros(2, int)}, r"predicted of 6 values.* \(2,\)"),
    ],
)
def test_an_npz_of_unequal_lengths_is_refused(said, tmp_path, change, expected):
    held = {"images": "noise", "ids": np.array(said.ids), "logits": said.logits, "model": "mine",
            "classes": "colours"}  # fmt: skip
    np.savez(tmp_path / "mine.npz", **held | change)
    with pytest.raises(DataError, match=expected):
        read_answers(str(tmp_path / "mine.npz"))


@pytest.mark.parametrize("content", [b"PAR1 is no zip", b"PK\x03\x04 cut off", b""])
def test_what_is_called_npz_and_is_none_is_refused(tmp_path, content):
    (tmp_path / "mine.npz").write_bytes(content)
    with pytest.raises(DataError, match=r"Expected an \.npz file of plain arrays"):
        read_answers(str(tmp_path / "mine.npz"))


def test_a_single_array_that_is_called_npz_is_refused(tmp_path):
    with (tmp_path / "mine.npz").open("wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(DataError, match=r"Expected an \.npz file of plain arrays"):
        read_answers(str(tmp_path / "mine.npz"))
