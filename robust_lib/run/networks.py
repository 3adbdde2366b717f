"""Networks become classifiers: loaded from public weights, or trained here and found again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import cast

from robust_lib import devices
from robust_lib.cache import Store
from robust_lib.config.class_lists import class_names, load_classes
from robust_lib.config.detector_rows import is_detector
from robust_lib.config.manifests import begins_as, load_model, model_names
from robust_lib.config.profiles import Profile
from robust_lib.datasets import ImageSet
from robust_lib.datasets.subset import Subset
from robust_lib.errors import InputError, ModelError, RobustLibError
from robust_lib.models import class_subset
from robust_lib.models.adapter import TorchClassifier
from robust_lib.models.class_subset import Groups
from robust_lib.models.contract import Classifier, check_classifier
from robust_lib.models.torch_models import describe
from robust_lib.models.torch_models import load as load_classifier
from robust_lib.models.wrappers import wrapped
from robust_lib.predict.answers_file import FiledAnswers, read_answers
from robust_lib.run.chapter import is_trained_here
from robust_lib.run.image_sets import held_out, image_set
from robust_lib.run.network import Network
from robust_lib.training.zoo import Trained, trained
from robust_lib.vocabulary import is_answers_file, is_user_function

BySeed = Mapping[str, tuple[Classifier, ...]]
"""Name of a network -> its classifiers, one a seed."""

Sets = dict[str, ImageSet]
"""Role -> the training set that plays it: verified and indexed once for all networks."""


def classifiers(
    profile: Profile,
    networks: Sequence[Network],
    images: ImageSet,
    store: Store,
    given: Mapping[str, Classifier] = MappingProxyType({}),
) -> BySeed:
    """Return the classifiers of some networks, checked, one a seed where they are trained here.

    Args:
        given: classifiers that are at hand, by the network's name; they are not loaded.

    Raises:
        InputError: an unknown model or device, a model with other outputs, or two models of one
            name.
        ModelError: a model breaks the contract.
    """
    devices.is_there(profile.device)  # or no name of one; what is stored needs none
    others = [network for network in networks if str(network) not in given]
    require_known(others)  # before any is trained
    for network in others:
        _require_classifier(network)
    found: dict[str, tuple[Classifier, ...]] = {}
    sets: Sets = {}
    for network in networks:
        at_hand = given.get(str(network))
        by_seed = (at_hand,) if at_hand else _trained_here(network, profile, store, sets)
        by_seed = by_seed or (_loaded(network.model, profile, images),)
        for model in by_seed:
            class_subset.require_groups(
                str(network), model.classes, model.outputs, images.classes, images.class_names
            )
            if devices.is_there(profile.device):
                _require_contract(str(network), model)
        name = str(network) if network.model in model_names() else by_seed[0].name
        if name in found and found[name][0].fingerprint != by_seed[0].fingerprint:
            raise InputError(
                f"Expected models of different names, but two are called {name}, {network} being "
                "the second. Let it return a Classifier with a name of its own."
            )
        found[name] = by_seed
    return found


def classifier(profile: Profile, network: Network, store: Store) -> Classifier:
    """Return one classifier, the first seed's, checked, whatever its classes.

    Raises:
        InputError: an unknown name or device.
        ModelError: it breaks the contract.
    """
    devices.is_there(profile.device)
    require_known([network])
    _require_classifier(network)
    by_seed = _trained_here(network, profile, store, {})
    model = (
        by_seed[0]
        if by_seed
        else load_classifier(network.model, device=profile.device, precision=profile.precision)
    )
    if devices.is_there(profile.device):
        _require_contract(str(network), model)
    return model


def lacking(
    profile: Profile, networks: Sequence[Network], images: ImageSet, store: Store
) -> dict[Network, str]:
    """Return those of some public networks that cannot be had, with the reason.

    What is trained here can be had always.
    """
    found: dict[Network, str] = {}
    for network in networks:
        if is_trained_here(network):
            continue
        try:
            classifiers(profile, [network], images, store)
        except RobustLibError as error:
            found[network] = str(error)
    return found


def trained_networks(profile: Profile, networks: Sequence[Network], store: Store) -> list[Trained]:
    """Return those of the networks that are trained here, trained now if need be.

    Raises:
        InputError: a device that there is not.
    """
    devices.is_there(profile.device)
    for network in networks:
        _require_classifier(network)
    sets: Sets = {}
    return [made for network in networks for made in _by_seed(network, profile, store, sets)]


def training_curves(made: Sequence[Trained]) -> dict[str, list[list[float]]]:
    """Return title of a model -> training accuracy by epoch, in percent, of its networks."""
    found: dict[str, list[list[float]]] = {}
    for one in made:
        model = Network.read(one.model.name).plain.title
        found.setdefault(model, []).append([100 * value for value in one.curves.accuracy])
    return found


def groups_known(models: BySeed, images: ImageSet) -> dict[str, Groups]:
    """Return the outputs of each class of some images, of the networks that know all classes.

    Raises:
        InputError: no network does.
    """
    outputs = {
        name: found
        for name, (one, *_) in models.items()
        if (found := class_subset.known_groups(one, images)) is not None
    }
    if not outputs:
        raise InputError(
            f"Expected a network that knows the classes of {images.name} ({images.classes}), "
            f"but {', '.join(models)} do not. Name one of the profile's networks."
        )
    return outputs


def require_known(networks: Iterable[Network]) -> None:
    """Raise InputError unless every network's model is known, or of a user's file."""
    for network in networks:
        if not is_user_function(network.model) and not is_answers_file(network.model):
            describe(network.model)


def _loaded(name: str, profile: Profile, images: ImageSet) -> Classifier:
    if is_answers_file(name):
        return read_answers(name)
    if not is_user_function(name) and (classes := describe(name).classes) in class_names():
        # Sooner than its weights are downloaded.
        known = len(load_classes(classes))
        class_subset.require_groups(name, classes, known, images.classes, images.class_names)
    return load_classifier(name, device=profile.device, precision=profile.precision)


def _require_classifier(network: Network) -> None:
    if is_detector(network.model):
        raise InputError(
            f"Expected a classifier, but {network} is a detector: it returns boxes. Ask it with "
            "detect, and let its chapter show it what it sees with OnBoxes."
        )


def _require_contract(name: str, model: Classifier) -> None:
    if isinstance(model, FiledAnswers):  # which was asked already, elsewhere
        return
    try:
        check_classifier(model)
    except RobustLibError:
        raise
    except Exception as error:
        raise ModelError(
            f"Expected {name} to classify four made-up pictures, prepared as its preprocessing "
            f"says ({model.preprocessing}), but it raised {type(error).__name__}: {error}. Call "
            "check_classifier on it."
        ) from error


def _trained_here(
    network: Network, profile: Profile, store: Store, sets: Sets
) -> tuple[Classifier, ...]:
    """Return the classifiers of a network whose weights are made here, one a seed, as it sees."""
    manifest = load_model(network.model) if network.model in model_names() else None
    if manifest is None or manifest.wrapper is None:
        return tuple(made.model for made in _by_seed(network, profile, store, sets))
    keeps = manifest.recipe is None and manifest.starts_from is not None
    weights = replace(network, model=str(manifest.starts_from)) if keeps else network
    made = _by_seed(weights, profile, store, sets)
    return tuple(
        wrapped(one.model, manifest.wrapper, str(replace(network, seed=seed)))
        for seed, one in zip(profile.seeds if made else (), made, strict=True)
    )


def _by_seed(network: Network, profile: Profile, store: Store, sets: Sets) -> list[Trained]:
    """Return a network that is trained here, one a seed; nothing for public and user's models."""
    if not is_trained_here(network):
        if not network.is_plain:
            raise InputError(
                f"Expected a network that is trained here for {network}, but {network.model} has "
                "no recipe in data_manifests/models."
            )
        return []
    role = load_model(network.model).trained_on
    if role not in sets:
        sets[role] = image_set(profile, role, store)
    data = sets[role]
    if network.hold_out:
        data = Subset(data, tuple(held_out(data, network.hold_out).train.tolist()))
    seeds = [replace(network, seed=seed) for seed in profile.seeds]
    return [_trained(one, data, profile, store, sets) for one in seeds]


def _trained(
    network: Network, data: ImageSet, profile: Profile, store: Store, sets: Sets
) -> Trained:
    made = trained(
        network.model,
        data,
        seed=network.seed,
        store=store,
        corruption=network.corruption,
        severities=profile.severities,
        start=start_of(network, profile, store, sets),
        epochs=profile.epochs,
        device=profile.device,
        called=str(network.of_all_seeds),
        workers=profile.workers,
    )
    # Predictions are kept by name, so two seeds of a network need two.
    named = replace(made.model, name=str(network), precision=profile.precision)
    return replace(made, model=named)


def start_of(
    network: Network, profile: Profile, store: Store, sets: Sets | None = None
) -> TorchClassifier | None:
    """Return the network that a model starts from, of the same seed if it is trained here, too."""
    base = begins_as(load_model(network.model), corrupted=network.corruption is not None)
    if base is None:
        return None
    # Its weights are taken, not its answers.
    same_seed = profile.model_copy(update={"seeds": (network.seed,), "precision": "float32"})
    by_seed = _by_seed(Network(base), same_seed, store, {} if sets is None else sets)
    # A row's own model is always one of torch.
    return by_seed[0].model if by_seed else cast(TorchClassifier, load_classifier(base))
