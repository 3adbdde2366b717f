"""Style transfer as a corruption of a run's images, and networks' predictions on the results."""

import hashlib

from robust_lib import paths
from robust_lib.code_digest import source_digest
from robust_lib.config.profiles import Profile
from robust_lib.datasets import Images, ImageSet
from robust_lib.datasets.decoded import decode
from robust_lib.datasets.stylised import ALPHAS, CORRUPTION, Stylised, Transfer
from robust_lib.errors import ModelError
from robust_lib.models import weights
from robust_lib.protocols.grid import CorruptedSet, Grid, evaluate, joined
from robust_lib.run import corrupted_sets
from robust_lib.run.corrupted_sets import decoded_once, storage_words
from robust_lib.run.run import Run
from robust_lib.style_transfer import bands, networks
from robust_lib.vocabulary import COMMON

ROLE = "styles"
FEW = 1000  # styles, that are decoded once


def grid(run: Run) -> Grid:
    """Return the run's grid on ImageNet-C's fifteen corruptions, with style transfer added.

    Raises:
        DataError: the style images are missing.
        ModelError: the style-transfer networks are missing.
    """
    profile, how = run.profile, transfer(run.profile)
    base = decoded_once(profile, run.images, run.models)
    styles = pictures(run)
    restyled = evaluate(
        run.models,
        run.images,
        CorruptedSet(
            f"{run.images.name}_{CORRUPTION}",
            lambda _, severity: Stylised(base, styles, how, severity, storage=profile.storage),
            storage_words(profile, None),
            {CORRUPTION: how.words},
        ),
        corruptions=[CORRUPTION],
        severities=profile.severities,
        store=run.store,
        limit=profile.limit,
        batch_size=profile.batch,
        workers=profile.workers,
    )
    common = [name for name in run.corruptions if name in COMMON]
    return joined(corrupted_sets.grid(profile, run.images, run.models, common, run.store), restyled)


def shown(run: Run, severity: int) -> Stylised:
    """Return restyled images of the run, for display."""
    return Stylised(
        run.images, pictures(run), transfer(run.profile), severity, storage=run.profile.storage
    )


def pictures(run: Run) -> ImageSet:
    """Return the style images."""
    styles = run.image_set(ROLE)
    geometries = {model.preprocessing for runs in run.models.values() for model in runs}
    if len(styles) > FEW or len(geometries) > 1:
        return styles
    folder, workers = paths.cache() / "decoded", run.profile.workers
    return decode(styles, next(iter(geometries)), folder, workers=workers)


def transfer(profile: Profile) -> Transfer:
    """Return the method by which a profile restyles images.

    Raises:
        ModelError: the files of the networks that it requires are missing or differ.
    """
    said = f"alphas {', '.join(map(str, ALPHAS))}"
    code = source_digest("style_transfer")
    if profile.style_transfer == "bands":
        words = f"mean and spread of three opponent colours at five scales, {said}"
        return Transfer(words, code, bands.restyled)
    folder = paths.data() / "adain"
    missing = [one for one in (networks.ENCODER, networks.DECODER) if not (folder / one).is_file()]
    if missing:
        raise ModelError(
            f"Expected the style-transfer networks as {networks.ENCODER} and {networks.DECODER} in "
            f"{folder}, but {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not "
            "there, and they cannot be downloaded automatically. Put them there: those of "
            "github.com/naoto0804/pytorch-AdaIN have this layout."
        )
    encode, decode_ = networks.encoder().eval(), networks.decoder().eval()
    state = networks.first_layers(weights.from_file(folder / networks.ENCODER))
    weights.put(encode, state, networks.ENCODER)
    weights.put(decode_, weights.from_file(folder / networks.DECODER), networks.DECODER)
    device = profile.device
    encode.to(device)
    decode_.to(device)

    def apply(content: Images, style: Images, alpha: float) -> Images:
        return networks.restyled(content.to(device), style.to(device), alpha, encode, decode_).cpu()

    files = [(folder / one).read_bytes() for one in (networks.ENCODER, networks.DECODER)]
    digest = hashlib.sha256(b"".join([code.encode(), *files])).hexdigest()
    return Transfer(f"the public networks, {said}", digest, apply)
