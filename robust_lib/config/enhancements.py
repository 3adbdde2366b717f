"""The enhancements of [inc, sec. 3.4 and 3.5] that a model's row can name."""

from typing import Annotated, Any, Literal

from pydantic import Field

from robust_lib.config.strict_yaml import Record


class Wrapper(Record):
    """The step between images and a network, with the settings of `models.wrappers`."""

    name: Literal["ten_crop", "centre_crop", "clahe", "nlm_denoise"]
    arguments: dict[str, Any] = Field(default_factory=dict)


class Stability(Record):
    """The settings of the second loss term in stability training.

    Args:
        noise: largest value of the uniform noise, a fraction of the full range of levels.
        weight: weight of the noisy images' loss relative to the clean images' classification loss.
    """

    noise: Annotated[float, Field(gt=0, le=1)]
    weight: Annotated[float, Field(ge=0)]
