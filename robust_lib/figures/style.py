"""The house style, the colour of each model, and the two files that a figure becomes."""

import base64
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import matplotlib as mpl
from matplotlib.figure import Figure
from PIL import Image

_PNG = re.compile(r"data:image/png;base64,\s*([A-Za-z0-9+/=\s]+)")
_STYLE = Path(__file__).with_name("house.mplstyle")

# Okabe and Ito's colours, told apart by the colour-blind, and readable on white and on black.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7A6FBE", "#8A8A94")

# The papers' networks keep their colour in every chapter.
_MODELS = {
    "alexnet": "#8A8A94",
    "squeezenet1_1": "#CC79A7",
    "vgg11": "#E69F00",
    "vgg19": "#D55E00",
    "vgg19_bn": "#7A6FBE",
    "resnet18": "#56B4E9",
    "resnet50": "#0072B2",
    "densenet121": "#009E73",
}

# A small relative of a paper's network has its name and one of these endings, and one that was
# trained with a corruption has that after a plus.
_RELATIVE = re.compile(
    r"^(?P<paper>.+?)(?P<small>_mini|_small)?(?:\+(?P<corruption>\w+|.+\.py:\w+))?$"
)

NAMES = {
    "alexnet": "AlexNet",
    "squeezenet1_1": "SqueezeNet",
    "vgg11": "VGG-11",
    "vgg19": "VGG-19",
    "vgg19_bn": "VGG-19+BN",
    "resnet18": "ResNet-18",
    "resnet50": "ResNet-50",
    "densenet121": "DenseNet-121",
    "resnet34": "ResNet-34",
    "resnet101": "ResNet-101",
    "resnet152": "ResNet-152",
    "resnet152_se": "ResNet-152 + SE",
    "resnext50_32x4d": "ResNeXt-50",
    "resnext101_32x4d": "ResNeXt-101 (32x4d)",
    "resnext101_32x4d_se": "ResNeXt-101 (32x4d) + SE",
    "resnext101_64x4d": "ResNeXt-101 (64x4d)",
    "dpn68": "DPN-68",
    "dpn98": "DPN-98",
    "densenet161": "DenseNet-161",
    "convnext_base": "ConvNeXt-B",
    "vit_b_16": "ViT-B/16",
    "vit_l_14_clip": "ViT-L/14 (CLIP)",
    "resnet50_mini_a": "ResNet-50-like, fine-tuned",
    "resnet50_a": "ResNet-50, fine-tuned",
    "resnext50_32x4d_200": "ResNeXt-50, 200 classes",
    "resnext50_32x4d_200_noise": "Uniform noise",
    "resnext50_32x4d_200_fgsm": "FGSM",
    "resnext50_32x4d_200_pgd10": "PGD, 10 steps",
    "resnext50_32x4d_200_sin": "Other textures",
    "resnext50_32x4d_200_sin_in": "Both textures",
    "resnext50_200": "ResNeXt-50, subset",
    "resnext50_200_mini_noise": "Uniform noise",
    "resnext50_200_mini_fgsm": "FGSM",
    "resnext50_200_mini_pgd10": "PGD, 10 steps",
    "resnext50_200_mini_sin": "Other textures",
    "resnext50_200_mini_sin_in": "Both textures",
    "resnet20": "ResNet-20",
    "densenet40_k24": "DenseNet-40",
    "resnext29_8x32d": "ResNeXt-29",
    "msdnet": "MSDNet",
    "shake_shake": "Shake-Shake",
    "resnet50_sin_in": "SIN+IN",
    "resnet50_augmix": "AugMix",
    "resnet50_ant3x3": "ANT3x3",
    "resnet50_deepaugment": "DeepAugment",
    "resnet18_small_texture": "Textures randomised",
    "resnet18_small_augmix": "AugMix-like",
    "resnet18_small_noise": "Trained with noise",
    "resnet18_small_deepaugment": "DeepAugment-like",
}


@contextmanager
def house() -> Iterator[None]:
    """Draw inside this with the house style; matplotlib's settings are as before afterwards.

    >>> with house():
    ...     str(mpl.rcParams["svg.fonttype"])
    'none'
    """
    with mpl.rc_context(fname=str(_STYLE)):
        yield


def colour(model: str, among: Sequence[str] = ()) -> str:
    """Return a model's colour: its own if the papers have it, else one that is free among others.

    >>> colour("resnet50"), colour("my_net", ["resnet50", "my_net"])
    ('#0072B2', '#D55E00')
    """
    if (plain := _told(model)["paper"]) in _MODELS:
        return _MODELS[plain]
    own = {name: _MODELS.get(_told(name)["paper"]) for name in among}
    free = [shade for shade in _COLOURS if shade not in own.values()]
    others = [name for name, shade in own.items() if shade is None]
    if len(free) < len(others):
        free = list(_COLOURS)  # better each several times than one for all
    return free[others.index(model) % len(free)] if model in others else free[0]


def label(model: str) -> str:
    """Return how a model is called in figures and tables.

    >>> label("vgg19_bn"), label("vgg19_bn_mini"), label("resnet18_small+fog")
    ('VGG-19+BN', 'VGG-19+BN-like', 'ResNet-18-like + Fog')
    """
    told = _told(model)
    with_corruption = f" + {corruption_label(told['corruption'])}"
    return (
        NAMES.get(told["paper"], told["paper"])
        + ("-like" if told["small"] else "")
        + (with_corruption if told["corruption"] else "")
    )


def _told(model: str) -> dict[str, str]:
    found = _RELATIVE.match(model)
    nothing = {"paper": model, "small": "", "corruption": ""}
    return nothing if found is None else found.groupdict(default="")


def corruption_label(name: str) -> str:
    """Return how a corruption is called in figures and tables.

    >>> corruption_label("jpeg_compression"), corruption_label("gaussian_noise")
    ('JPEG', 'Gaussian noise')
    """
    short = {"jpeg_compression": "JPEG", "elastic_transform": "Elastic"}
    name = name.rpartition(":")[2]  # of a corruption of one's own, the function
    return short.get(name, name.replace("_", " ").capitalize())


def svg(figure: Figure) -> str:
    """Return a figure as the text of an SVG file: text stays text, the ground is transparent.

    Pictures in it are JPEG where that is smaller than PNG and hides nothing behind them.
    """
    file = io.StringIO()
    _settle(figure)
    with house():
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return _PNG.sub(_lighter, file.getvalue())


def _lighter(embedded: re.Match[str]) -> str:
    """Return an embedded picture as JPEG if it is opaque and gets smaller, else as it was."""
    content = base64.b64decode(embedded.group(1))
    picture = Image.open(io.BytesIO(content)).convert("RGBA")
    lowest, _ = cast("tuple[int, int]", picture.getchannel("A").getextrema())
    file = io.BytesIO()
    picture.convert("RGB").save(file, "JPEG", quality=90, subsampling=0)
    if lowest < 255 or file.tell() >= len(content):
        return embedded.group()
    return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode("ascii")


def png(figure: Figure) -> bytes:
    """Return a figure as the bytes of a PNG file, on white."""
    file = io.BytesIO()
    _settle(figure)
    with house():
        figure.savefig(file, format="png", facecolor="white", metadata={"Software": None})
    return file.getvalue()


def _settle(figure: Figure) -> None:
    """Lay a figure out once: done again at each drawing, it would move things by a hair."""
    if figure.get_layout_engine() is not None:
        with house():
            figure.draw_without_rendering()
        figure.set_layout_engine("none")
