"""Names become things: a model's name a classifier, a corruption's the pictures of its cells."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import cast

import torch

from robust_lib.cache import Store
from robust_lib.config.class_lists import class_names, load_classes
from robust_lib.config.manifests import load_model, model_names
from robust_lib.config.profiles import Profile
from robust_lib.datasets import ImageSet
from robust_lib.datasets.subset import Subset
from robust_lib.errors import InputError, ModelError, RobustLibError
from robust_lib.models import class_subset
from robust_lib.models.adapter import TorchClassifier
from robust_lib.models.contract import Classifier, check_classifier
from robust_lib.models.torch_models import describe
from robust_lib.models.torch_models import load as load_classifier
from robust_lib.protocols.grid import Models
from robust_lib.run.image_sets import held_out, image_set
from robust_lib.training.zoo import Trained, trained
from robust_lib.vocabulary import is_own


def classifiers(profile: Profile, names: Sequence[str], images: ImageSet, store: Store) -> Models:
    """Return the classifiers of some names, checked, one a seed where they are trained here.

    Args:
        profile: says which model plays the part of a paper's, the seeds and the device.
        names: the paper's names, rows of data_manifests/models, "torchvision/...", "timm/..." or
            "<file>.py:<function>".
        images: what they will be shown: it decides how many outputs they must have.
        store: keeps trained weights.

    Raises:
        InputError: an unknown name or device, a model with another number of outputs, or two
            models of one name.
        ModelError: a model breaks the contract.
    """
    _require_device(profile.device)
    require_known(profile, names)  # before any is trained
    chosen: dict[str, tuple[Classifier, ...]] = {}
    for name in names:
        own = own_name(profile, name)
        runs = _trained_here(own, profile, store) or (_loaded(own, profile.device, images),)
        for model in runs:
            class_subset.require(
                own, model.classes, model.outputs, images.classes, images.class_names
            )
            _require_contract(own, model)
        shown = runs[0].name.partition("~")[0]
        if shown in chosen and chosen[shown][0].fingerprint != runs[0].fingerprint:
            raise InputError(
                f"Expected models of different names, but two are called {shown}, {own} being the "
                "second. Let it return a Classifier with a name of its own."
            )
        chosen[shown] = runs
    return chosen


def loaded(profile: Profile, name: str, store: Store) -> Classifier:
    """Return one classifier by our own name of it, checked, whatever its classes.

    Raises:
        InputError: an unknown name or device.
        ModelError: it breaks the contract.
    """
    _require_device(profile.device)
    require_known(profile, [name])
    runs = _trained_here(name, profile, store)
    model = runs[0] if runs else load_classifier(name, device=profile.device)
    _require_contract(name, model)
    return model


def require_known(profile: Profile, names: Iterable[str]) -> None:
    """Raise InputError unless every name is a model's, or of a file of one's own."""
    for name in names:
        plain = plain_name(own_name(profile, name))
        if not is_own(plain):
            describe(plain)


def _loaded(name: str, device: str, images: ImageSet) -> Classifier:
    if ".py:" not in name and (classes := describe(name).classes) in class_names():
        # Sooner than its weights are downloaded.
        known = len(load_classes(classes))
        class_subset.require(name, classes, known, images.classes, images.class_names)
    return load_classifier(name, device=device)


def _require_contract(name: str, model: Classifier) -> None:
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


def _require_device(name: str) -> None:
    try:
        device = torch.device(name)
    except RuntimeError:
        raise InputError(
            f"Expected a device such as cpu, cuda or cuda:1, but got {name}."
        ) from None
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise InputError(
            f"Expected a GPU for the device {name}, but torch sees {torch.cuda.device_count()}. "
            "Run with the device cpu, or install a build of torch for this machine's GPU."
        )


def trained_networks(profile: Profile, names: Sequence[str], store: Store) -> list[Trained]:
    """Return those of the models that are trained here, trained now if need be.

    Raises:
        InputError: a device that there is not.
    """
    _require_device(profile.device)
    return [made for name in names for made in _zoo(own_name(profile, name), profile, store)]


def own_name(profile: Profile, name: str) -> str:
    """Return our name of a model that may be called by the paper's.

    >>> from robust_lib.config.profiles import load_profile
    >>> own_name(load_profile("mini"), "resnet18+fog")
    'resnet18_mini+fog'
    """
    plain = plain_name(name, profile.models)
    return profile.models.get(plain, plain) + name.removeprefix(plain)


def plain_name(name: str, known: Iterable[str] = ()) -> str:
    """Return a model's name without the corruption and the hold-out that it is trained with.

    The path of a file of one's own may hold a plus, so what stands before one must be known.

    >>> [plain_name(name) for name in ("resnet18+fog", "resnet20@version", "a+b.py:build")]
    ['resnet18', 'resnet20', 'a+b.py:build']
    """
    plain = name.partition("@")[0].partition("+")[0]
    return plain if not is_own(name) or plain in {*known, *model_names()} else name


def _trained_here(name: str, profile: Profile, store: Store) -> tuple[Classifier, ...]:
    return tuple(made.model for made in _zoo(name, profile, store))


def _zoo(name: str, profile: Profile, store: Store) -> list[Trained]:
    """Return a network of the zoo, one a seed; nothing if it is not trained here.

    `NAME+CORRUPTION` is NAME trained with that corruption in half of each batch, `NAME@HOLD-OUT`
    without the icons of a hold-out.
    """
    plain = plain_name(name)
    corruption = name.removeprefix(plain).partition("@")[0].removeprefix("+")
    hold_out = name.removeprefix(plain).partition("@")[2]
    if plain not in model_names() or load_model(plain).recipe is None:
        if plain != name:
            raise InputError(
                f"Expected a network that is trained here for {name}, but {plain} has no recipe in "
                "data_manifests/models."
            )
        return []
    data = image_set(profile, load_model(plain).trained_on, store)
    if hold_out:
        data = Subset(data, tuple(held_out(data, hold_out).train.tolist()))
    runs = []
    for seed in profile.seeds:
        made = trained(
            plain,
            data,
            seed=seed,
            store=store,
            corruption=corruption or None,
            severities=profile.severities,
            start=_start(plain, profile, store, seed),
            epochs=profile.epochs,
            device=profile.device,
            called=name,
        )
        # Predictions are kept by name, so two seeds of a network need two.
        named = made.model if seed == 0 else replace(made.model, name=f"{name}~{seed}")
        runs.append(replace(made, model=named))
    return runs


def _start(name: str, profile: Profile, store: Store, seed: int) -> TorchClassifier | None:
    """Return the network that a model starts from, of the same seed if it is trained here, too."""
    base = load_model(name).starts_from
    if base is None:
        return None
    runs = _zoo(base, profile.model_copy(update={"seeds": (seed,)}), store)
    # A row's own model is always one of torch.
    return runs[0].model if runs else cast(TorchClassifier, load_classifier(base))
