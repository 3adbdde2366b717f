"""Networks as classifiers: loaded from public weights, or trained here and cached."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Protocol, cast

from robust_lib import devices
from robust_lib.cache import Store
from robust_lib.config.class_lists import class_names, load_classes
from robust_lib.config.manifests import DETECTORS, ModelManifest, begins_as, load_model, model_names
from robust_lib.config.profiles import Profile
from robust_lib.datasets import ImageSet
from robust_lib.datasets.derived import Subset
from robust_lib.errors import InputError, RobustLibError
from robust_lib.models import class_subset
from robust_lib.models.adapter import TorchClassifier
from robust_lib.models.class_subset import Groups
from robust_lib.models.contract import Classifier, check_classifier, fingerprint_of, require_one
from robust_lib.models.torch_models import describe
from robust_lib.models.torch_models import load as load_classifier
from robust_lib.models.wrappers import wrapped
from robust_lib.predict.answers_file import FiledAnswers, read_answers
from robust_lib.run.chapter import is_trained_here
from robust_lib.run.image_sets import held_out, image_set
from robust_lib.run.network import Network
from robust_lib.training.zoo import Trained, trained
from robust_lib.vocabulary import is_answers_file, is_user_function


class Named(Protocol):
    """A classifier or a detector, reduced to its name."""

    @property
    def name(self) -> str:
        """Return the model's own name."""
        ...


BySeed = Mapping[str, tuple[Classifier, ...]]
"""Name of a network -> its classifiers, one per seed."""

Sets = dict[str, ImageSet]
"""Role -> its training set, which is verified and indexed once for all networks."""


def classifiers(
    profile: Profile,
    networks: Sequence[Network],
    images: ImageSet,
    store: Store,
    given: Mapping[str, Classifier] = MappingProxyType({}),
) -> BySeed:
    """Return some networks as classifiers, checked, one per seed if they are trained here.

    The steps for each are: name -> row of its model -> module with weights -> wrapper ->
    classifier.

    Args:
        images: images to classify, which determine the required outputs.
        given: available classifiers by name of the network; these are not loaded.

    Raises:
        InputError: an unknown model or device, a model with different outputs, or two models with
            the same name.
        ModelError: a model breaks the contract.
    """
    require_device(profile, networks)
    rows = _rows([network for network in networks if str(network) not in given])
    found: dict[str, tuple[Classifier, ...]] = {}
    sets: Sets = {}
    for network in networks:
        if at_hand := given.get(str(network)):
            by_seed: tuple[Classifier, ...] = (at_hand,)
        else:
            by_seed = _by_seed(network, rows[network], profile, store, sets, images)
        for model in by_seed:
            class_subset.require_groups(
                str(network), model.classes, model.outputs, images.classes, images.class_names
            )
            own = str(network) in given or is_user_function(network.model)
            _require_contract(model, profile.device, own)
        name = our_name(network, by_seed[0])
        if name in found:
            require_one(
                name, fingerprint_of(found[name][0]), fingerprint_of(by_seed[0]), str(network)
            )
        found[name] = by_seed
    return found


def classifier(profile: Profile, network: Network, store: Store) -> Classifier:
    """Return one network as a checked classifier of any classes: that of the first seed.

    Raises:
        InputError: an unknown name or device.
        ModelError: the classifier breaks the contract.
    """
    require_device(profile, [network])
    row = _rows([network])[network]
    model = _by_seed(network, row, profile, store, {}, images=None)[0]
    _require_contract(model, profile.device, is_user_function(network.model))
    return model


def lacking(
    profile: Profile, networks: Sequence[Network], images: ImageSet, store: Store
) -> dict[Network, str]:
    """Return the public networks that cannot be loaded, each with the reason why.

    Networks that are trained here are always available.
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
    """Return networks that are trained here, after training those that are missing.

    Raises:
        InputError: a device that does not exist.
    """
    devices.is_there(profile.device)
    _rows(networks)
    sets: Sets = {}
    return [
        made for network in networks for made in _trained_by_seed(network, profile, store, sets)
    ]


def training_curves(made: Sequence[Trained]) -> dict[str, list[list[float]]]:
    """Return title of a model -> training accuracy (%) of each of its networks, by epoch."""
    found: dict[str, list[list[float]]] = {}
    for one in made:
        model = Network.read(one.model.name).plain.title
        found.setdefault(model, []).append([100 * value for value in one.curves.accuracy])
    return found


def groups_known(models: BySeed, images: ImageSet) -> dict[str, Groups]:
    """Return the outputs for each class of some images, for the networks that have all classes.

    Raises:
        InputError: no network has all classes, or there is no network.
    """
    if not models:
        raise InputError("Expected a run with at least one network, but it has none. Pass models.")
    outputs = {
        name: found
        for name, (one, *_) in models.items()
        if (found := class_subset.known_groups(one, images)) is not None
    }
    if not outputs:
        raise InputError(
            f"Expected a network with the classes of {images.name} ({images.classes}), but "
            f"{', '.join(models)} lack them. Use one of the profile's networks."
        )
    return outputs


def our_name(network: Network, model: Named) -> str:
    """Return a network's name in results, tables and figures.

    A network of data_manifests/models has its name there; any other has its own name.
    """
    return str(network) if network.model in model_names() else model.name


def row_of(network: Network) -> ModelManifest | None:
    """Return the row of a network's model; None if it comes from a user's file.

    Raises:
        InputError: an unknown model.
    """
    users = is_user_function(network.model) or is_answers_file(network.model)
    return None if users else describe(network.model)


def require_device(profile: Profile, networks: Sequence[Network]) -> None:
    """Raise InputError unless the device is valid and, for the user's networks, available.

    Stored predictions of other networks need no device.
    """
    devices.is_there(profile.device)
    if any(is_user_function(network.model) for network in networks):
        devices.require(profile.device)


def _rows(networks: Sequence[Network]) -> dict[Network, ModelManifest | None]:
    """Return the rows of classifiers; all are looked up before any is trained."""
    rows = {network: row_of(network) for network in networks}
    for network, row in rows.items():
        if row is not None and row.builder in DETECTORS:
            raise InputError(
                f"Expected a classifier, but {network} is a detector: it returns boxes. Call "
                "detect, and list its images with OnBoxes in the chapter's record."
            )
    return rows


def _by_seed(
    network: Network,
    row: ModelManifest | None,
    profile: Profile,
    store: Store,
    sets: Sets,
    images: ImageSet | None,
) -> tuple[Classifier, ...]:
    """Return a network's classifiers behind its row's wrapper, one per seed if trained here."""
    wrapper = None if row is None else row.wrapper
    # A row with a wrapper and no recipe has the weights of the model that it starts from.
    keeps = row is not None and wrapper is not None and row.recipe is None and row.starts_from
    weights = replace(network, model=keeps) if keeps else network
    made = [one.model for one in _trained_by_seed(weights, profile, store, sets)]
    if not made:
        return (_loaded(network, row, profile, images),)
    if wrapper is None:
        return tuple(made)
    names = [str(replace(network, seed=seed)) for seed in profile.seeds]
    return tuple(wrapped(model, wrapper, name) for model, name in zip(made, names, strict=True))


def _loaded(
    network: Network, row: ModelManifest | None, profile: Profile, images: ImageSet | None
) -> Classifier:
    """Return a classifier with public weights or from a user's file; images None: any classes."""
    name = network.model
    if images is not None and is_answers_file(name):
        return read_answers(name)
    if images is not None and row is not None and row.classes in class_names():
        # Sooner than its weights are downloaded.
        known = len(load_classes(row.classes))
        class_subset.require_groups(name, row.classes, known, images.classes, images.class_names)
    return load_classifier(name, device=profile.device, precision=profile.precision)


def _require_contract(model: Classifier, device: str, own: bool) -> None:
    # Predictions of a file were made elsewhere; stored ones need no device.
    if isinstance(model, FiledAnswers) or not devices.is_there(device):
        return
    check_classifier(model, own=own)


def _trained_by_seed(network: Network, profile: Profile, store: Store, sets: Sets) -> list[Trained]:
    """Return a network that is trained here, one per seed; empty for public and users' models."""
    row = row_of(network)
    if row is None or row.recipe is None:
        if not network.is_plain:
            raise InputError(
                f"Expected a network that is trained here for {network}, but {network.model} has "
                "no recipe in data_manifests/models."
            )
        return []
    return [_trained(replace(network, seed=seed), profile, store, sets) for seed in profile.seeds]


def _trained(network: Network, profile: Profile, store: Store, sets: Sets) -> Trained:
    made = trained(
        **asked_of(network, profile, store, sets),
        store=store,
        called=str(network.of_all_seeds),
        workers=profile.workers,
    )
    # Predictions are kept by name, so two seeds of a network need two.
    named = replace(made.model, name=str(network), precision=profile.precision)
    return replace(made, model=named)


def asked_of(
    network: Network, profile: Profile, store: Store, sets: Sets | None = None
) -> dict[str, Any]:
    """Return the zoo's arguments for one network, which determine its weights."""
    sets = {} if sets is None else sets
    data = set_of(network, profile, store, sets)
    if network.hold_out:
        data = Subset(data, tuple(held_out(data, network.hold_out).train.tolist()))
    return {
        "name": network.model,
        "data": data,
        "seed": network.seed,
        "corruption": network.corruption,
        "severities": severities_of(network, profile),
        "start": start_of(network, profile, store, sets),
        "epochs": profile.epochs,
        "device": profile.device,
    }


def severities_of(network: Network, profile: Profile) -> tuple[int, ...]:
    """Return the severities of the corruption that a network is trained with.

    NAME+CORRUPTION is trained as the overlaps' networks are; a recipe's own corruption has the
    severities of the profile.
    """
    own = profile.training_severities if network.corruption else None
    return own or profile.severities


def set_of(network: Network, profile: Profile, store: Store, sets: Sets) -> ImageSet:
    """Return the image set on which a network is trained, in full or in part."""
    role = load_model(network.model).trained_on
    if role not in sets:
        sets[role] = image_set(profile, role, store)
    return sets[role]


def start_of(
    network: Network, profile: Profile, store: Store, sets: Sets | None = None
) -> TorchClassifier | None:
    """Return the network that a model starts from, with the same seed if it is trained here."""
    base = begins_as(load_model(network.model), corrupted=network.corruption is not None)
    if base is None:
        return None
    # Its weights are taken, not its answers.
    same_seed = profile.model_copy(update={"seeds": (network.seed,), "precision": "float32"})
    made = _trained_by_seed(Network(base), same_seed, store, {} if sets is None else sets)
    # A row's own model is always one of torch.
    return made[0].model if made else cast(TorchClassifier, load_classifier(base))
