"""Low-level statistics of one picture as described, pixel by pixel and frequency by frequency."""

import cmath
import math


def grey(picture):
    return [[sum(int(c) for c in pixel) / 3 / 255 for pixel in row] for row in picture]


def slope_between(values, place):
    """The difference to both neighbours, or to the only one at an edge."""
    before, after = max(place - 1, 0), min(place + 1, len(values) - 1)
    return (values[after] - values[before]) / (after - before)


def statistics(picture):
    rows = grey(picture)
    height, width = len(rows), len(rows[0])
    pixels = [value for row in rows for value in row]
    mean = sum(pixels) / len(pixels)
    contrast = math.sqrt(sum((value - mean) ** 2 for value in pixels) / len(pixels))
    lengths = []
    for y in range(height):
        for x in range(width):
            across = slope_between(rows[y], x)
            down = slope_between([row[x] for row in rows], y)
            lengths.append(math.sqrt(across**2 + down**2))
    return mean, contrast, sum(lengths) / len(lengths), spectrum_slope(rows)


def spectrum_slope(rows):
    height, width = len(rows), len(rows[0])
    fade = [
        [
            (math.sin(math.pi * (y + 0.5) / height) * math.sin(math.pi * (x + 0.5) / width)) ** 2
            for x in range(width)
        ]
        for y in range(height)
    ]
    places = [(y, x) for y in range(height) for x in range(width)]
    total = sum(fade[y][x] for y, x in places)
    mean = sum(rows[y][x] * fade[y][x] for y, x in places) / total
    floor = sum(fade[y][x] ** 2 for y, x in places) / 12 / 255**2
    side = min(height, width)
    rings = {ring: [] for ring in range(1, side // 2 + 1)}
    for v in range(-(height // 2), height - height // 2):
        for u in range(-(width // 2), width - width // 2):
            ring = round(math.hypot(v / height, u / width) * side)
            if ring in rings:
                wave = sum(
                    (rows[y][x] - mean)
                    * fade[y][x]
                    * cmath.exp(-2j * math.pi * (v * y / height + u * x / width))
                    for y, x in places
                )
                rings[ring].append(abs(wave) ** 2 + floor)
    points = [(math.log(ring), math.log(sum(p) / len(p))) for ring, p in rings.items()]
    x_mean = sum(x for x, _ in points) / len(points)
    y_mean = sum(y for _, y in points) / len(points)
    return sum((x - x_mean) * (y - y_mean) for x, y in points) / sum(
        (x - x_mean) ** 2 for x, _ in points
    )
