"""A name becomes a detector, and the classes that its boxes are of."""

from robust_lib.cache import Store
from robust_lib.config.class_lists import ClassList, class_names, load_classes
from robust_lib.config.manifests import load_model
from robust_lib.config.profiles import Profile
from robust_lib.curation.candidate_set import Category
from robust_lib.datasets.user_folder import class_list
from robust_lib.errors import InputError
from robust_lib.models.detectors.contract import Detector
from robust_lib.run import detectors, image_sets
from robust_lib.run.chapter import is_trained_here
from robust_lib.run.network import resolved

SECTION = "nao"  # of the profile, in which the paper's names are looked up


def named(
    profile: Profile, name: str, classes: str | None, store: Store
) -> tuple[Detector, ClassList]:
    """Return the detector of a name, the first seed's, checked, and its classes.

    Args:
        profile: says which model plays the part of a paper's, and the device.
        name: of a detector, the paper's or ours, or "<file>.py:<function>".
        classes: name of their list; None: the detector says it.
        store: keeps trained weights.

    Raises:
        InputError: an unknown name, or classes that no list has or that are not as many.
        ModelError: the detector breaks the contract.
    """
    network = resolved(profile, SECTION, name)
    first = profile.model_copy(update={"seeds": profile.seeds[:1]})
    ((model, *_),) = detectors.detectors(first, [network], store).values()
    if classes is None and is_trained_here(network):
        role = load_model(network.model).trained_on
        names = image_sets.image_set(profile, role, store).class_names
        return model, class_list(model.classes, names)
    space = classes or model.classes
    if space not in class_names():
        raise InputError(
            f"Expected the classes of {name} to be a list of data_manifests/classes, but they are "
            f"called {space}. Say --classes, one of {', '.join(class_names())}."
        )
    known = load_classes(space)
    if len(known) != model.outputs:
        raise InputError(
            f"Expected {name} to have {len(known)} classes, those of {space}, but it has "
            f"{model.outputs}. Say --classes, the list that it was trained on."
        )
    return model, known


def categories(classes: ClassList) -> tuple[Category, ...]:
    """Return the categories of a class list, with COCO's ids where it has them, else from 1.

    >>> categories(load_classes("coco"))[79]
    Category(id=90, name='toothbrush')
    """
    return tuple(
        Category(one.index + 1 if one.coco_id is None else one.coco_id, one.name)
        for one in classes.entries
    )
