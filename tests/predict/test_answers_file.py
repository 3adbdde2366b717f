"""Files of answers: what they hold, what they must say, and what they refuse."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import load_dataset
from robust_lib.datasets.image_folder import UnlabelledFolder
from robust_lib.datasets.synthetic import Synthetic
from robust_lib.datasets.user_folder import image_folder
from robust_lib.datasets.vid_robust import VidRobust, read_frame_sets
from robust_lib.errors import DataError, InputError, ModelError
from robust_lib.metrics.pm_k import pm_k_accuracy
from robust_lib.models.adapter import wrap_callable
from robust_lib.predict.answers_file import Judged, read_answers, write_answers
from robust_lib.predict.classify import predict
from robust_lib.predict.predictions import Predictions
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols.pm_k.frame_predictions import FramePredictions
from tests import trees
from tests.toys import brightest

IMAGES = Synthetic("noise", "blobs", 6, 32, "colours", ("red", "green", "blue"))


@pytest.fixture
def said():
    return predict(brightest(), IMAGES)


@pytest.fixture
def file(said, tmp_path):
    return write_answers(tmp_path / "mine.parquet", [said], classes="colours", outputs=3)


def test_a_file_answers_as_its_model_did(said, file):
    found = predict(read_answers(f"predictions:{file}"), IMAGES)
    np.testing.assert_array_equal(found.logits, said.logits)
    np.testing.assert_array_equal(found.confidence, said.confidence)
    assert found.ids == said.ids


def test_fewer_images_are_the_same_choice(said, file):
    some = predict(read_answers(str(file)), IMAGES, limit=3)
    assert some.ids == predict(brightest(), IMAGES, limit=3).ids


def test_an_npz_of_logits_says_the_same(said, tmp_path):
    path = tmp_path / "mine.npz"
    np.savez(path, images="noise", ids=np.array(said.ids), logits=said.logits, model="mine",
             classes="colours")  # fmt: skip
    model = read_answers(f"predictions:{path}")
    assert (model.name, model.outputs) == ("mine", 3)
    with pytest.warns(UserWarning, match="by their names alone"):
        np.testing.assert_array_equal(predict(model, IMAGES).logits, said.logits)


def test_an_npz_is_one_and_holds_what_the_parquet_holds(said, file, tmp_path):
    bare = Predictions(
        model="brightest", dataset="noise_c/fog/3", ids=said.ids, labels=said.labels, logits=None,
        predicted=said.predicted, confidence=said.confidence,
    )  # fmt: skip
    given = {
        "classes": "colours",
        "outputs": 3,
        "judged": {
            said.dataset: Judged(
                said.correct,
                np.linspace(0, 1, 6),
                np.array([-1, 0, 3, 11, -1, 2]),
                tuple("aabbcc"),
            )
        },
    }
    written = [
        read_answers(str(write_answers(tmp_path / f"both{kind}", [said, bare], **given)))
        for kind in (".parquet", ".npz")
    ]
    with np.load(tmp_path / "both.npz") as held:
        assert held["logits"].shape == (6, 3)
        assert held["ids"].shape == (12,)
    columns = ["images", "id", "predicted", "confidence"]
    pd.testing.assert_frame_equal(*(one.frame[columns] for one in written))
    for column in ("sure", "reach"):
        values = [one.frame[column][:6].astype(float).tolist() for one in written]
        assert values[0] == values[1]
    assert written[1].frame["reach"][:6].tolist() == [-1, 0, 3, 11, -1, 2]
    for one in written:
        assert one.frame["together"].dropna().tolist() == list("aabbcc")
    rights = [one.frame["right"].dropna().astype(bool) for one in written]
    pd.testing.assert_series_equal(*rights)
    assert rights[0].tolist() == said.correct.tolist()
    for one in written:
        assert (one.name, one.classes, one.outputs) == ("brightest", "colours", 3)
        np.testing.assert_array_equal(predict(one, IMAGES).logits, said.logits)


def test_another_ending_is_refused_when_writing_and_when_reading(said, tmp_path):
    with pytest.raises(DataError, match=r"ends.*\.parquet.*\.npz.*mine\.csv"):
        write_answers(tmp_path / "mine.csv", [said], classes="colours", outputs=3)
    (tmp_path / "mine.csv").write_text("id")
    with pytest.raises(DataError, match=r"but got mine\.csv"):
        read_answers(str(tmp_path / "mine.csv"))


@pytest.mark.filterwarnings("ignore:.*by their names alone")
def test_decisions_alone_serve_where_no_logits_are_kept(said, tmp_path):
    bare = Predictions(
        model="mine", dataset=said.dataset, ids=said.ids, labels=said.labels, logits=None,
        predicted=said.predicted, confidence=said.confidence,
    )  # fmt: skip
    model = read_answers(
        str(write_answers(tmp_path / "bare.parquet", [bare], classes="colours", outputs=3))
    )
    found = predict(model, IMAGES, keep="reduced")
    np.testing.assert_array_equal(found.predicted, said.predicted)
    with pytest.raises(DataError, match="Expected logits for noise"):
        predict(model, IMAGES)


def test_other_bytes_are_another_fingerprint(said, file, tmp_path):
    other = write_answers(tmp_path / "b.parquet", [said], classes="other", outputs=3)
    assert read_answers(str(file)).fingerprint != read_answers(str(other)).fingerprint


def test_an_image_set_or_an_image_that_lacks_is_named(said, tmp_path, file):
    other = Synthetic("snow", "blobs", 6, 32, "colours", ("red", "green", "blue"))
    with pytest.raises(DataError, match=r"Expected predictions for snow .* has those for noise"):
        predict(read_answers(str(file)), other)
    more = Synthetic("noise", "blobs", 9, 32, "colours", ("red", "green", "blue"))
    with pytest.raises(DataError, match=r"9 images of noise .* 3 have none \(first: blobs/\d+\)"):
        predict(read_answers(str(file)), more)


def test_pictures_are_refused(file):
    with pytest.raises(ModelError, match="was evaluated on other images"):
        read_answers(str(file))(torch.zeros(1, 3, 8, 8))


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ({"images": ["noise"], "id": ["a"]}, "Expected the columns images, id and logits"),
        ({"images": ["noise"], "id": ["a"], "logits": [[1.0]]}, "describe its network"),
    ],
)
def test_a_file_that_lacks_something_is_refused(tmp_path, frame, words):
    pd.DataFrame(frame).to_parquet(tmp_path / "bad.parquet")
    with pytest.raises(DataError, match=words):
        read_answers(str(tmp_path / "bad.parquet"))


def test_an_answer_that_stands_twice_is_refused(said, tmp_path):
    file = write_answers(tmp_path / "two.parquet", [said, said], classes="colours", outputs=3)
    with pytest.raises(DataError, match="of noise has two"):
        read_answers(str(file))


def test_no_file_and_no_parquet_are_refused(tmp_path):
    with pytest.raises(DataError, match="there is none"):
        read_answers(f"predictions:{tmp_path / 'none.parquet'}")
    (tmp_path / "text.parquet").write_text("no parquet")
    with pytest.raises(DataError, match="Expected a parquet file"):
        read_answers(str(tmp_path / "text.parquet"))


# Files that are called .npz.


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
    with pytest.raises(DataError, match=r"\.npz file.*arrays"):
        read_answers(str(tmp_path / "mine.npz"))


def test_a_single_array_that_is_called_npz_is_refused(tmp_path):
    with (tmp_path / "mine.npz").open("wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(DataError, match=r"\.npz file.*arrays"):
        read_answers(str(tmp_path / "mine.npz"))


def test_the_authors_json_of_frames_is_scored_as_their_rule_says(tmp_path):
    trees.vid_robust(tmp_path, videos=20)
    root = load_dataset("imagenet_vid_robust").below(tmp_path)
    vid = load_classes("imagenet_vid")
    images = VidRobust(root, read_frame_sets(root, vid), vid)
    labels, sets = (
        json.loads((root / f"metadata/{name}.json").read_text()) for name in ("labels", "pmsets")
    )
    rng, said = np.random.default_rng(0), {}
    for frame, named in labels.items():
        said[frame] = rng.random(30).tolist()
        said[frame][named[-1]] += rng.random() < 0.7
    file = tmp_path / "resnet152_finetune.json"
    file.write_text(json.dumps(dict(reversed(said.items()))))
    with pytest.warns(UserWarning, match="by their names alone"):
        found = predict(read_answers(f"predictions:{file}"), images)
    right = [int(np.argmax(said[one])) in labels[one] for one in images.ids]
    assert found.model == "resnet152_finetune"
    answers = FramePredictions(images.name, images.sets, {"theirs": (found.predicted,)}, "max")
    (correct,) = answers.correct("theirs")
    assert correct.tolist() == right
    by_frame = dict(zip(images.ids, right, strict=True))
    whole = [all(by_frame[one] for one in (anchor, *others)) for anchor, others in sets.items()]
    pm = pm_k_accuracy(correct, images.sets.members, images.sets.offsets)
    assert 0 < pm[10] < pm[0] <= 1
    assert (pm[0], pm[10]) == (np.mean([by_frame[one] for one in sets]), np.mean(whole))


@pytest.mark.parametrize("text", ["[]", "{}", "no", '{"a": [1, 2]}', '{"a": ["x"]}', '{"a": null}'])
def test_json_of_anything_else_is_refused(tmp_path, text):
    file = tmp_path / "mine.json"
    file.write_text(text)
    with pytest.raises(DataError, match=r"mapping.*30 scores.*reading"):
        read_answers(str(file))


def test_answers_are_joined_to_pictures_by_content(tmp_path):
    """Two folders of one name, and a picture that took another's place, are told apart."""
    for place, home in enumerate(("one", "other")):
        for number in range(2):
            trees.save(tmp_path / home / "pics" / "goldfish" / f"{number}.png", 2 * place + number)
    model = wrap_callable(
        lambda images: images.reshape(len(images), -1)[:, :1000], "mine", "imagenet_1k",
        Preprocessing(None, 20),
    )  # fmt: skip
    one, other = (image_folder(tmp_path / home / "pics") for home in ("one", "other"))
    said = predict(model, one)
    for kind in (".parquet", ".npz"):
        about = {"classes": "imagenet_1k", "outputs": 1000}
        file = write_answers(tmp_path / f"mine{kind}", [said], **about)
        np.testing.assert_array_equal(predict(read_answers(str(file)), one).logits, said.logits)
        with pytest.raises(DataError, match=r"2.*2.*images.*name"):
            predict(read_answers(str(file)), other)
    with pytest.raises(InputError, match=r"2.*images.*name"):
        said.aligned(other)
    # Of a benchmark no file is read to be named; another copy has files of other sizes.
    for home, side in (("small", 16), ("large", 32)):
        trees.save(tmp_path / home / "a.png", 0, side, side)
    small, large = (
        UnlabelledFolder(tmp_path / home, load_classes("imagenet_1k"), name="bench")
        for home in ("small", "large")
    )
    file = write_answers(tmp_path / "bench.npz", [predict(model, small)], **about)
    assert predict(read_answers(str(file)), small).ids == ("a.png",)
    with pytest.raises(DataError, match=r"1.*1.*images.*name"):
        predict(read_answers(str(file)), large)
    bare = replace(said, pictures=())
    file = write_answers(tmp_path / "bare.parquet", [bare], **about)
    with pytest.warns(UserWarning, match="by their names alone"):
        predict(read_answers(str(file)), other)
