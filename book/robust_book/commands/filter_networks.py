"""Names become filters: a class list, and classifiers of its classes."""

from collections.abc import Sequence

from robust_lib.cache import Store
from robust_lib.config.class_lists import ClassEntry, ClassList, class_names, load_classes
from robust_lib.config.manifests import load_model
from robust_lib.config.profiles import Profile
from robust_lib.errors import InputError
from robust_lib.models import class_subset
from robust_lib.models.contract import Classifier
from robust_lib.models.torch_models import describe, load
from robust_lib.run import image_sets, networks
from robust_lib.run.chapter import is_trained_here
from robust_lib.run.network import resolved
from robust_lib.vocabulary import is_user_function

BENCHMARK = "imagenet_c"  # section of the profile in which the paper's names are looked up


def class_list(
    profile: Profile, name: str | None, models: Sequence[str], store: Store
) -> ClassList:
    """Return the class list of a name; of the first model, where None is given.

    Raises:
        InputError: no such list, or a model whose classes no list has.
    """
    if name is not None:
        return load_classes(name)
    network = resolved(profile, BENCHMARK, models[0])
    if is_trained_here(network):
        plain = network.model
        names = image_sets.image_set(profile, load_model(plain).trained_on, store).class_names
        entries = tuple(ClassEntry(index=at, name=one) for at, one in enumerate(names))
        space = load_model(plain).classes
        return ClassList(name=space, title=space, source=f"what {plain} learnt", entries=entries)
    own = network.model
    space = load(own).classes if is_user_function(own) else describe(own).classes
    if space not in class_names():
        raise InputError(
            f"Expected the classes of {models[0]} to be a list of data_manifests/classes, but they "
            f"are called {space}. Say --classes, one of {', '.join(class_names())}."
        )
    return load_classes(space)


def filters(
    profile: Profile, names: Sequence[str], classes: ClassList, store: Store
) -> tuple[Classifier, ...]:
    """Return the classifiers of some names, checked: they know the classes of a list.

    Args:
        profile: says which model plays the part of a paper's, and the device.
        names: as `resolve.classifiers` takes them; of several seeds, the first.
        classes: what they must tell apart.
        store: keeps trained weights.

    Raises:
        InputError: an unknown name or device, or a model that knows other classes.
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
