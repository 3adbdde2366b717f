"""Names of networks: the only place where they are written and parsed."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from robust_lib.config.manifests import model_names, model_title
from robust_lib.config.profiles import Profile
from robust_lib.errors import InputError
from robust_lib.vocabulary import corruption_label, is_answers_file, is_user_function

T = TypeVar("T")

LONGEST = 200
"""Letters of a name, from which files are called as well."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SEED = re.compile(r"^(?P<rest>.+)~(?P<seed>\d+)$")


@dataclass(frozen=True)
class Network:
    """One network: a model, with the corruption and the hold-out used in its training.

    The text form is the key of stored predictions: `resnet18+fog@style:microsoft~1`.

    Attributes:
        model: a row of data_manifests/models, the paper's name of one, "torchvision/...",
            "timm/..." or "<file>.py:<function>".
        corruption: corruption of half of each training batch; None: no corruption.
        hold_out: part of the training images that is left out; None: nothing.
        seed: seed of the training; 0 is not written.

    >>> str(Network("resnet18", corruption="fog", seed=1))
    'resnet18+fog~1'
    """

    model: str
    corruption: str | None = None
    hold_out: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse names that no file can have and no table can show."""
        if not self.model.strip() or len(self.model) > LONGEST or _CONTROL.search(self.model):
            shown = self.model if len(self.model) <= LONGEST else f"{self.model[:40]}…"
            raise InputError(
                f"Expected a network's name to have 1 to {LONGEST} characters, none of them a "
                f"control character, but got {shown!r}, with {len(self.model)}. Use another name "
                "or path."
            )

    @classmethod
    def read(cls, text: str, known: Iterable[str] = ()) -> "Network":
        """Return the network with the given text form.

        The name of a user's file or network may contain a plus, an @ or a ~, so such a sign counts
        only after a known model; otherwise the whole text is the name.

        Args:
            known: names of models besides those of data_manifests/models, such as the papers'.

        >>> Network.read("resnet20@version"), Network.read("a+b.py:build").model
        (Network(model='resnet20', corruption=None, hold_out='version', seed=0), 'a+b.py:build')
        >>> Network.read("mine+fog").title, Network.read("resnet18+fog").title
        ('mine+fog', 'ResNet-18 + Fog')
        """
        if is_answers_file(text):
            return cls(text)
        seeded = _SEED.match(text)
        name, seed = (seeded["rest"], int(seeded["seed"])) if seeded else (text, 0)
        model = name.partition("@")[0].partition("+")[0]
        if model not in {*known, *model_names()}:
            if is_user_function(name):
                return cls(name, seed=seed)
            if not model.startswith(("torchvision/", "timm/")):
                return cls(text)
        variant, _, hold_out = name.removeprefix(model).partition("@")
        return cls(model, variant.removeprefix("+") or None, hold_out or None, seed)

    def __str__(self) -> str:
        corruption = f"+{self.corruption}" if self.corruption else ""
        hold_out = f"@{self.hold_out}" if self.hold_out else ""
        seed = f"~{self.seed}" if self.seed else ""
        return f"{self.model}{corruption}{hold_out}{seed}"

    @property
    def plain(self) -> "Network":
        """Return the same model's network that is trained on all images, without a corruption."""
        return Network(self.model)

    @property
    def is_plain(self) -> bool:
        """Return whether its training has neither a corruption nor a hold-out."""
        return self.corruption is None and self.hold_out is None

    @property
    def of_all_seeds(self) -> "Network":
        """Return the network without its seed, as results name it."""
        return replace(self, seed=0)

    @property
    def title(self) -> str:
        """Return the title in figures and tables: the model's, with its corruption and hold-out.

        >>> Network("resnet18_small", corruption="fog").title
        'ResNet-18-like + Fog'
        """
        corruption = f" + {corruption_label(self.corruption)}" if self.corruption else ""
        hold_out = f" without {self.hold_out}" if self.hold_out else ""
        return f"{model_title(self.model)}{corruption}{hold_out}"


def network_title(name: str) -> str:
    """Return the title of a network in figures and tables, from the paper's name or ours.

    >>> network_title("vgg19_bn"), network_title("vgg19_bn_mini"), network_title("my_net")
    ('VGG-19+BN', 'VGG-19+BN-like', 'my_net')
    """
    return Network.read(name).title


def network_titles(names: Iterable[str]) -> dict[str, str]:
    """Return name -> title of networks shown together; names are added to equal titles.

    >>> network_titles(["resnet18", "resnet18_mini", "resnet18_small"])["resnet18_small"]
    'ResNet-18-like (resnet18_small)'
    """
    found = {name: network_title(name) for name in names}
    several = {one for one, count in Counter(found.values()).items() if count > 1}
    return {name: f"{one} ({name})" if one in several else one for name, one in found.items()}


def titled(values: Mapping[str, T]) -> dict[str, T]:
    """Return networks' values by the networks' titles, as figures require.

    >>> titled({"alexnet": 0.5})
    {'AlexNet': 0.5}
    """
    titles = network_titles(values)
    return {titles[name]: value for name, value in values.items()}


def resolved(profile: Profile, section: str, name: str) -> Network:
    """Return the network that a name means in a profile: a stand-in, or the named one itself.

    Args:
        section: a key of the profile's networks.

    >>> from robust_lib.config.profiles import load_profile
    >>> str(resolved(load_profile("mini"), "imagenet_c", "resnet18+fog"))
    'resnet18_mini+fog'
    """
    ours = profile.networks.get(section, {})
    network = Network.read(name, ours)
    return replace(network, model=ours.get(network.model, network.model))
