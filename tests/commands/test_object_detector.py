"""A name becomes a detector and its classes."""

from robust_book.commands import object_detector
from robust_lib.cache import Store
from robust_lib.config.class_lists import load_classes
from robust_lib.config.profiles import load_profile
from robust_lib.datasets.user_folder import class_list
from tests.boxed import detector


def test_categories_have_cocos_ids_where_there_are_some():
    assert [one.id for one in object_detector.categories(load_classes("coco"))[:12]] == [
        *range(1, 12),
        13,
    ]
    assert [one.id for one in object_detector.categories(class_list("pets", ("cat", "dog")))] == [
        1,
        2,
    ]


def test_a_detector_that_is_trained_here_knows_what_it_is_trained_on(monkeypatch, tmp_path):
    class Images:
        class_names = ("cat", "dog", "fox")

    asked = []
    monkeypatch.setattr(
        object_detector.detectors,
        "detectors",
        lambda profile, networks, store: asked.append(profile.seeds) or {"net": (detector(),)},
    )
    monkeypatch.setattr(object_detector.image_sets, "image_set", lambda *_: Images())
    profile = load_profile("mini").model_copy(update={"seeds": (3, 4)})
    model, known = object_detector.named(profile, "fasterrcnn_resnet50_mini", None, Store(tmp_path))
    assert (model.name, known.names) == ("tiny", ("cat", "dog", "fox"))
    assert asked == [(3,)]
