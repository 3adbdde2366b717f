"""Networks become embeddings: what a run's network makes of pictures of any classes."""

from robust_lib.cache import Store
from robust_lib.config.profiles import Profile
from robust_lib.datasets import ImageSet
from robust_lib.models.contract import Classifier
from robust_lib.predict.embed import Embeddings, embed
from robust_lib.preprocessing import Preprocessing


def embeddings(model: Classifier, images: ImageSet, profile: Profile, store: Store) -> Embeddings:
    """Return where a network puts some images: what enters its last linear layer.

    Raises:
        ModelError: a network without a last linear layer.
    """
    return embed(
        model,
        images,
        preprocessing=whole(model.preprocessing),
        cache=store,
        batch_size=profile.batch_size,
        limit=profile.limit,
        workers=profile.workers,
    )


def whole(preprocessing: Preprocessing) -> Preprocessing:
    """Return how a network is shown whole pictures, where it cuts out their middle unscaled.

    Small networks of the miniature see pictures at the size that they have; of larger ones a crop
    would leave the middle. An average over the picture takes any size.

    >>> whole(Preprocessing(None, 64)).words, whole(Preprocessing(256, 224)).words
    ('as they are', 'shorter side 256, central 224 pixels')
    """
    return Preprocessing(None, None) if preprocessing.resize is None else preprocessing
