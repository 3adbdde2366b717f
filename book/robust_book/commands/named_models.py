"""The filters, detectors and classes of the curation commands, from their names."""

from collections.abc import Sequence

from robust_lib.cache import Store
from robust_lib.config.class_lists import ClassEntry, ClassList, class_names, load_classes
from robust_lib.config.manifests import load_model
from robust_lib.config.profiles import Profile
from robust_lib.curation.candidate_set import Category
from robust_lib.datasets import user_folder
from robust_lib.errors import InputError
from robust_lib.models import class_subset
from robust_lib.models.contract import Classifier
from robust_lib.models.detectors.contract import Detector
from robust_lib.models.torch_models import describe, load
from robust_lib.run import detectors, image_sets, networks
from robust_lib.run.chapter import is_trained_here
from robust_lib.run.network import resolved
from robust_lib.vocabulary import is_user_function

BENCHMARK, OBJECTS = "imagenet_c", "nao"  # sections of the profile that know the papers' names


def classes_of_filters(
    profile: Profile, name: str | None, models: Sequence[str], store: Store
) -> ClassList:
    """Return the class list with a name or, for None, that of the first model.

    The name may also be that of the classes that the first model learns here.

    Raises:
        InputError: no such list, or a model whose classes are in no list.
    """
    if name in class_names():
        return load_classes(str(name))
    network = resolved(profile, BENCHMARK, models[0])
    if is_trained_here(network) and name in (None, load_model(network.model).classes):
        plain = network.model
        names = image_sets.image_set(profile, load_model(plain).trained_on, store).class_names
        entries = tuple(ClassEntry(index=at, name=one) for at, one in enumerate(names))
        space = load_model(plain).classes
        return ClassList(name=space, title=space, source=f"what {plain} learnt", entries=entries)
    if name is not None:
        return load_classes(name)  # which says what lists there are
    own = network.model
    space = load(own).classes if is_user_function(own) else describe(own).classes
    return _known_classes(models[0], space)


def filters(
    profile: Profile, names: Sequence[str], classes: ClassList, store: Store
) -> tuple[Classifier, ...]:
    """Return the classifiers with some names, after checking their classes.

    Args:
        names: network names, as in `resolve.classifiers`; the first of several seeds is used.

    Raises:
        InputError: an unknown name or device, or a model with other classes.
        ModelError: a model breaks the contract.
    """
    profile = profile.model_copy(update={"seeds": profile.seeds[:1]})
    wanted = [resolved(profile, BENCHMARK, name) for name in names]
    for network in wanted:  # before weights are downloaded or trained
        if not is_user_function(network.model) and (
            (space := describe(network.model).classes) in class_names()
        ):
            known = len(load_classes(space))
            class_subset.require(str(network), space, known, classes.name, classes.names)
    return tuple(networks.classifier(profile, network, store) for network in wanted)


def detector_of(
    profile: Profile, name: str, classes: str | None, store: Store
) -> tuple[Detector, ClassList]:
    """Return the checked detector with a name, for the first seed, and its classes.

    Args:
        name: name of a detector, the paper's or ours, or "<file>.py:<function>".
        classes: name of the class list; None: the detector's own.

    Raises:
        InputError: an unknown name, classes in no list, or a list of another length.
        ModelError: the detector breaks the contract.
    """
    network = resolved(profile, OBJECTS, name)
    first = profile.model_copy(update={"seeds": profile.seeds[:1]})
    ((model, *_),) = detectors.detectors(first, [network], store).values()
    if classes is None and is_trained_here(network):
        role = load_model(network.model).trained_on
        names = image_sets.image_set(profile, role, store).class_names
        return model, user_folder.class_list(model.classes, names)
    space = classes or model.classes
    known = _known_classes(name, space)
    if len(known) != model.outputs:
        raise InputError(
            f"Expected {name} to have {len(known)} classes, those of {space}, but it has "
            f"{model.outputs}. Set --classes to the class list on which the model was trained."
        )
    return model, known


def _known_classes(model: str, space: str) -> ClassList:
    if space not in class_names():
        raise InputError(
            f"Expected the classes of {model} to be one of the lists in data_manifests/classes, "
            f"but they are called {space}. Set --classes to one of {', '.join(class_names())}."
        )
    return load_classes(space)


def categories(classes: ClassList) -> tuple[Category, ...]:
    """Return the categories of a class list, with COCO's ids if it has them, else from 1.

    >>> categories(load_classes("coco"))[79]
    Category(id=90, name='toothbrush')
    """
    return tuple(
        Category(one.index + 1 if one.coco_id is None else one.coco_id, one.name)
        for one in classes.entries
    )
