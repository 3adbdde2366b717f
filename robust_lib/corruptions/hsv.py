"""Hue, saturation and value in double precision, in scikit-image's order of operations.

Many results are whole 8-bit levels in exact arithmetic, and the benchmark truncates; so the last
bit of each operation matters, and with it the precision and the order. So does division: a GPU
multiplies by the reciprocal of a number, but divides by a tensor.
"""

import torch
from jaxtyping import Bool, Float64

Channel = Float64[torch.Tensor, "n h w"]
Colours = Float64[torch.Tensor, "n 3 h w"]


def from_rgb(colours: Colours) -> tuple[Channel, Channel, Channel]:
    """Return hue, saturation and value, each in [0, 1]; grey has hue and saturation 0."""
    red, green, blue = colours.unbind(1)
    value = colours.amax(1)
    spread = value - colours.amin(1)
    divisor = spread.masked_fill(spread == 0, 1)  # grey: every difference is 0 as well
    # Where two channels are equally bright the later one wins.
    hue = (green - blue).div_(divisor)
    hue = torch.where(green == value, (blue - red).div_(divisor).add_(2), hue)
    hue = torch.where(blue == value, (red - green).div_(divisor).add_(4), hue)
    hue = hue.div_(hue.new_tensor(6))
    hue = torch.where(hue < 0, hue + 1, hue).masked_fill_(spread == 0, 0)
    return hue, spread / value.masked_fill(value == 0, 1), value


def to_rgb(hue: Channel, saturation: Channel, value: Channel) -> Colours:
    """Return the RGB colours for hue, saturation and value."""
    turn = hue * 6
    sector = turn.floor()
    part = turn.sub_(sector)
    sector = sector.to(torch.int8)
    low = value * (1 - saturation)
    rising = value * (1 - (1 - part) * saturation)
    falling = value * (1 - part * saturation)
    middle = torch.where((sector & 1).bool(), falling, rising)
    # Each channel is brightest in two neighbouring sectors and darkest in the two opposite ones;
    # hue 1 is sector 6, the same as sector 0.
    ends = (sector == 0) | (sector >= 5)
    red = _channel(ends, (sector == 2) | (sector == 3), value, low, middle)
    green = _channel(
        (sector == 1) | (sector == 2), (sector == 4) | (sector == 5), value, low, middle
    )
    blue = _channel(
        (sector == 3) | (sector == 4), (sector <= 1) | (sector == 6), value, low, middle
    )
    return torch.stack([red, green, blue], dim=1)


def _channel(
    brightest: Bool[torch.Tensor, "n h w"],
    darkest: Bool[torch.Tensor, "n h w"],
    value: Channel,
    low: Channel,
    middle: Channel,
) -> Channel:
    return torch.where(brightest, value, torch.where(darkest, low, middle))
