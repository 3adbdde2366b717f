"""How networks were fine-tuned, and that profile full does it as the paper says."""

import pytest

from robust_book.chapters.vid_2_classification.settings import settings, settings_frame
from robust_lib.config.profiles import load_profile
from robust_lib.results.compare import compare

FULL = load_profile("full_trained").networks["vid"]


def test_profile_full_has_the_papers_settings():
    rows = settings(FULL, "imagenet_vid_train")
    verdicts = compare(rows, "vid-tab4", roles=FULL)
    judged = {
        one.verdict for one in verdicts if one.metric in ("learning_rate", "batch_size", "epochs")
    }
    assert judged == {"as printed"}


def test_other_epochs_are_told():
    rows = settings(FULL, "imagenet_vid_train", epochs=1)
    assert {row.value for row in rows.select(metric="epochs").rows} == {1.0}


def test_networks_that_a_profile_lacks_keep_the_papers_side():
    frame = settings_frame({})
    assert frame["The paper|Rate"].tolist() == ["1e-5", "1e-5", "1e-4", "1e-4"]
    assert set(frame["This run|Rate"]) == {"–"}


@pytest.mark.parametrize("paper", ["alexnet_finetune", "vgg16_finetune"])
def test_plain_networks_have_the_smaller_rate(paper):
    frame = settings_frame(FULL).set_index("The paper|Rate")
    assert set(frame.loc["1e-5", "This run|Rate"]) == {"1e-05"}
