"""What others wrote into files of answers: refused by its first row, or read as it is meant."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from robust_lib.datasets.synthetic import Synthetic
from robust_lib.errors import DataError
from robust_lib.predict.answers_file import read_answers
from robust_lib.predict.classify import predict
from tests.toys import brightest

IMAGES = Synthetic("noise", "blobs", 6, 32, "colours", ("red", "green", "blue"))


@pytest.fixture
def said():
    return predict(brightest(), IMAGES)


def of(said, tmp_path, kind=".parquet", **columns):
    """Write a file of classes and confidences, or with other columns, and read it."""
    frame = pd.DataFrame({"images": "noise", "id": list(said.ids), "predicted": said.predicted,
                          "confidence": said.confidence}).assign(**columns)  # fmt: skip
    path = tmp_path / f"others{kind}"
    about = {"model": "mine", "classes": "colours", "outputs": 3}
    if kind == ".npz":
        held = {
            name: np.array(frame[name].to_list()) for name in frame if name not in ("id", "logits")
        }
        rows = columns.get("logits", [])
        held |= {"ids": np.array(frame["id"].to_list()), "logits": np.array(rows).reshape(-1, 3)}
        np.savez(path, **held, has_logits=np.full(len(frame), bool(len(rows))), **about)
    else:
        table = pa.Table.from_pandas(frame, preserve_index=False)
        pq.write_table(table.replace_schema_metadata({"robust": json.dumps(about)}), path)
    return read_answers(str(path))


WRONG = [
    ({"predicted": [0, 1, 2, 0, 1, 5001]}, "whole numbers from 0 to 2 .* 1 of 6 .* 5001 in row 5"),
    ({"predicted": [0, -1, 2, 0, 1, 2]}, "-1 in row 1"),
    ({"predicted": [0, 1.5, 2, 0, 1, 2]}, r"1\.5 in row 1"),
    ({"predicted": [0, np.nan, 2, 0, 1, 2]}, "nan in row 1"),
    ({"predicted": list("abcabc")}, "'a' in row 0"),
    ({"confidence": 50.0}, "fractions from 0 to 1 .* 6 of 6 .* 50 in row 0. Divide percent"),
    ({"confidence": [0.5, np.nan, 1, 1, 1, 1]}, "nan in row 1"),
    ({"id": np.arange(6.0)}, "Expected names as `id` .* entry 0 is 0.0"),
    ({"logits": [[0.5, 0.25, 0.25]] * 6}, "but got probabilities: .* 6 rows adds up to 1"),
    ({"logits": [[50.0, 25.0, 25.0]] * 6}, "but got probabilities: .* 6 rows adds up to 100"),
    ({"logits": [[1.0, np.inf, 0.0]] * 6}, "finite numbers"),
    ({"logits": [[9.0, 0.0, -1.0]] * 6, "predicted": 2}, "classes of the largest logits"),
]


@pytest.mark.parametrize("kind", [".parquet", ".npz"])
@pytest.mark.parametrize(("columns", "words"), WRONG)
def test_what_is_out_of_the_question_is_refused_by_its_first_row(
    said, tmp_path, kind, columns, words
):
    with pytest.raises(DataError, match=words):
        of(said, tmp_path, kind, **columns)


@pytest.mark.filterwarnings("ignore:.*by their names alone")
@pytest.mark.parametrize("width", [np.float16, np.float64])
def test_logits_of_any_width_are_read_and_whole_floats_are_classes(said, tmp_path, width):
    rows = list((said.logits * 8).astype(width))
    model = of(said, tmp_path, logits=rows, predicted=said.predicted.astype(float))
    np.testing.assert_array_equal(predict(model, IMAGES).predicted, said.predicted)
    bare = of(said, tmp_path, predicted=said.predicted.astype(float))
    found = predict(bare, IMAGES, keep="reduced")
    np.testing.assert_array_equal(found.predicted, said.predicted)
