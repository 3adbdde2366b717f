"""Slow, obvious oracles of the 19 corruptions, one picture at a time.

Written from the benchmark's constants and orders of operation with the libraries that it used
(NumPy, Pillow, scikit-image, SciPy, OpenCV), loops where it loops. A picture is uint8
(224, 224, 3); random draws are arguments; the result is what the benchmark would store: uint8,
truncated.
"""

import io

import cv2
import numpy as np
from PIL import Image
from scipy.ndimage import map_coordinates
from scipy.ndimage import zoom as scipy_zoom
from skimage.color import hsv2rgb, rgb2hsv
from skimage.filters import gaussian as skimage_gaussian


def stored(levels):
    """float 0..255 -> uint8 by truncation, as the benchmark saves."""
    return np.uint8(np.clip(levels, 0, 255))


def gaussian_noise(picture, severity, normals):
    sigma = [0.08, 0.12, 0.18, 0.26, 0.38][severity - 1]
    return stored(np.clip(picture / 255.0 + sigma * normals, 0, 1) * 255)


def shot_noise(picture, severity, counts):
    rate = [60, 25, 12, 5, 3][severity - 1]
    return stored(np.clip(counts / float(rate), 0, 1) * 255)


def impulse_noise(picture, severity, flip, salt):
    amount = [0.03, 0.06, 0.09, 0.17, 0.27][severity - 1]
    out = picture / 255.0
    flipped, salted = flip <= amount, salt <= 0.5
    out[flipped & salted] = 1
    out[flipped & ~salted] = 0
    return stored(np.clip(out, 0, 1) * 255)


def speckle_noise(picture, severity, normals):
    sigma = [0.15, 0.2, 0.35, 0.45, 0.6][severity - 1]
    x = picture / 255.0
    return stored(np.clip(x + x * sigma * normals, 0, 1) * 255)


def smooth(x, sigma):
    return skimage_gaussian(x, sigma=sigma, channel_axis=-1)


def gaussian_blur(picture, severity):
    sigma = [1, 2, 3, 4, 6][severity - 1]
    return stored(np.clip(smooth(picture / 255.0, sigma), 0, 1) * 255)


def glass_blur(picture, severity, walk):
    """`walk[round, h, w]` is (dx, dy)."""
    sigma, reach, rounds = [(0.7, 1, 2), (0.9, 2, 1), (1, 2, 3), (1.1, 3, 2), (1.5, 4, 2)][
        severity - 1
    ]
    x = np.uint8(smooth(picture / 255.0, sigma) * 255)
    for i in range(rounds):
        for h in range(224 - reach, reach, -1):
            for w in range(224 - reach, reach, -1):
                dx, dy = walk[i, h, w]
                # Two views of one array: this assignment copies, it does not swap.
                x[h, w], x[h + dy, w + dx] = x[h + dy, w + dx], x[h, w]
    return stored(np.clip(smooth(x / 255.0, sigma), 0, 1) * 255)


def disk(radius, alias_sigma):
    reach, side = (8, 3) if radius <= 8 else (radius, 5)
    steps = np.arange(-reach, reach + 1)
    x, y = np.meshgrid(steps, steps)
    kernel = np.array(x**2 + y**2 <= radius**2, dtype=np.float32)
    kernel /= kernel.sum()
    return cv2.GaussianBlur(kernel, ksize=(side, side), sigmaX=alias_sigma)


def defocus_blur(picture, severity):
    kernel = disk(*[(3, 0.1), (4, 0.5), (6, 0.5), (8, 0.5), (10, 0.5)][severity - 1])
    x = picture / 255.0
    planes = [cv2.filter2D(x[:, :, channel], -1, kernel) for channel in range(3)]
    return stored(np.clip(np.stack(planes, axis=-1), 0, 1) * 255)


def motion(x, radius, sigma, angle):
    """ImageMagick's motion blur: tap by tap, edges clamped."""
    taps = 2 * radius + 1
    weights = np.exp(-(np.arange(taps) ** 2) / (2 * sigma**2))
    weights /= weights.sum()
    height, width = x.shape[:2]
    total = np.zeros(x.shape)
    for i in range(taps):
        dx = int(np.ceil(i * np.cos(np.deg2rad(angle)) - 0.5))
        dy = int(np.ceil(i * np.sin(np.deg2rad(angle)) - 0.5))
        rows = np.clip(np.arange(height) + dy, 0, height - 1)
        columns = np.clip(np.arange(width) + dx, 0, width - 1)
        total += weights[i] * x[rows][:, columns]
    return total


def motion_blur(picture, severity, angle):
    radius, sigma = [(10, 3), (15, 5), (15, 8), (15, 12), (20, 15)][severity - 1]
    # ImageMagick's answer is an 8-bit picture, rounded.
    return stored(np.round(motion(picture.astype(float), radius, sigma, angle)))


def clipped_zoom(x, factor):
    side = x.shape[0]
    cut = int(np.ceil(side / factor))
    top = (side - cut) // 2
    large = scipy_zoom(x[top : top + cut, top : top + cut], (factor, factor, 1), order=1)
    trim = (large.shape[0] - side) // 2
    return large[trim : trim + side, trim : trim + side]


def zoom_blur(picture, severity):
    factors = [
        np.arange(1, 1.11, 0.01),
        np.arange(1, 1.16, 0.01),
        np.arange(1, 1.21, 0.02),
        np.arange(1, 1.26, 0.02),
        np.arange(1, 1.31, 0.03),
    ][severity - 1]
    x = (picture / 255.0).astype(np.float32)
    total = np.zeros_like(x)
    for factor in factors:
        total += clipped_zoom(x, factor)
    return stored(np.clip((x + total) / (len(factors) + 1), 0, 1) * 255)


def snow(picture, severity, normals, angle):
    mean, spread, factor, threshold, radius, sigma, share = [
        (0.1, 0.3, 3, 0.5, 10, 4, 0.8),
        (0.2, 0.3, 2, 0.5, 12, 4, 0.7),
        (0.55, 0.3, 4, 0.9, 12, 8, 0.7),
        (0.55, 0.3, 4.5, 0.85, 12, 8, 0.65),
        (0.55, 0.3, 2.5, 0.85, 12, 12, 0.55),
    ][severity - 1]
    x = np.array(picture, dtype=np.float32) / 255.0
    layer = clipped_zoom((mean + spread * normals)[..., np.newaxis], factor)
    layer[layer < threshold] = 0
    layer = np.uint8(np.clip(layer.squeeze(), 0, 1) * 255)
    layer = np.round(motion(layer.astype(float), radius, sigma, angle)) / 255.0
    layer = layer[..., np.newaxis]
    grey = cv2.cvtColor(x, cv2.COLOR_RGB2GRAY).reshape(224, 224, 1)
    x = share * x + (1 - share) * np.maximum(x, grey * 1.5 + 0.5)
    return stored(np.clip(x + layer + np.rot90(layer, k=2), 0, 1) * 255)


def frost(picture, severity, texture, top, left):
    """`texture` is one of the first five pictures, RGB."""
    own, other = [(1, 0.4), (0.8, 0.6), (0.7, 0.7), (0.65, 0.7), (0.6, 0.75)][severity - 1]
    ice = texture[top : top + 224, left : left + 224]
    return stored(np.clip(own * np.array(picture) + other * ice, 0, 255))


def plasma(wobbles, decay):
    """Diamond-square, point by point; `wobbles` are uniform in [-1, 1), one a point."""
    side = len(wobbles)
    heights = np.zeros((side, side))
    step, amplitude = side, 100.0
    while step >= 2:
        half = step // 2
        grid = range(0, side, step)

        def mean(points, row, column, amplitude=amplitude):
            total = sum(heights[y % side, x % side] for y, x in points)
            heights[row, column] = total / 4 + amplitude * amplitude * wobbles[row, column]

        for y in grid:
            for x in grid:
                corners = [(y, x), (y + step, x), (y, x + step), (y + step, x + step)]
                mean(corners, y + half, x + half)
        for y in grid:
            for x in grid:
                mean(
                    [(y + half, x + half), (y - half, x + half), (y, x), (y, x + step)], y, x + half
                )
                mean(
                    [(y + half, x + half), (y + half, x - half), (y, x), (y + step, x)], y + half, x
                )
        step, amplitude = half, amplitude / decay
    heights -= heights.min()
    return heights / heights.max()


def fog(picture, severity, wobbles):
    strength, decay = [(1.5, 2), (2, 2), (2.5, 1.7), (2.5, 1.5), (3, 1.4)][severity - 1]
    x = picture / 255.0
    brightest = x.max()
    x = x + strength * plasma(wobbles, decay)[:224, :224][..., np.newaxis]
    return stored(np.clip(x * brightest / (brightest + strength), 0, 1) * 255)


def brightness(picture, severity):
    x = rgb2hsv(picture / 255.0)
    x[:, :, 2] = np.clip(x[:, :, 2] + [0.1, 0.2, 0.3, 0.4, 0.5][severity - 1], 0, 1)
    return stored(np.clip(hsv2rgb(x), 0, 1) * 255)


def saturate(picture, severity):
    factor, offset = [(0.3, 0), (0.1, 0), (2, 0), (5, 0.1), (20, 0.2)][severity - 1]
    x = rgb2hsv(picture / 255.0)
    x[:, :, 1] = np.clip(x[:, :, 1] * factor + offset, 0, 1)
    return stored(np.clip(hsv2rgb(x), 0, 1) * 255)


def contrast(picture, severity):
    share = [0.4, 0.3, 0.2, 0.1, 0.05][severity - 1]
    x = picture / 255.0
    means = np.mean(x, axis=(0, 1), keepdims=True)
    return stored(np.clip((x - means) * share + means, 0, 1) * 255)


def pixelate(picture, severity):
    side = int(224 * [0.6, 0.5, 0.4, 0.3, 0.25][severity - 1])
    small = Image.fromarray(picture).resize((side, side), Image.Resampling.BOX)
    return np.asarray(small.resize((224, 224), Image.Resampling.BOX))


def jpeg_compression(picture, severity):
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "JPEG", quality=[25, 18, 15, 10, 7][severity - 1])
    return np.asarray(Image.open(file))


def elastic_transform(picture, severity, jitter, field_x, field_y):
    """`jitter` (3, 2) and the fields are uniform in [-1, 1)."""
    alpha, sigma, reach = [
        (244 * 2, 244 * 0.7, 244 * 0.1),
        (244 * 2, 244 * 0.08, 244 * 0.2),
        (244 * 0.05, 244 * 0.01, 244 * 0.02),
        (244 * 0.07, 244 * 0.01, 244 * 0.02),
        (244 * 0.12, 244 * 0.01, 244 * 0.02),
    ][severity - 1]
    x = np.array(picture, dtype=np.float32) / 255.0
    centre, arm = np.float32((224, 224)) // 2, 224 // 3
    before = np.float32([centre + arm, [centre[0] + arm, centre[1] - arm], centre - arm])
    after = before + (reach * jitter).astype(np.float32)
    matrix = cv2.getAffineTransform(before, after)
    x = cv2.warpAffine(x, matrix, (224, 224), borderMode=cv2.BORDER_REFLECT_101)
    moves = [
        (skimage_gaussian(field, sigma, mode="reflect", truncate=3) * alpha).astype(np.float32)
        for field in (field_x, field_y)
    ]
    columns, rows, channels = np.meshgrid(np.arange(224), np.arange(224), np.arange(3))
    places = (rows + moves[1][..., np.newaxis], columns + moves[0][..., np.newaxis], channels)
    places = [place.reshape(-1, 1) for place in places]
    out = map_coordinates(x, places, order=1, mode="reflect").reshape(x.shape)
    return stored(np.clip(out, 0, 1) * 255)


def spatter(picture, severity, normals):
    mean, spread, sigma, threshold, strength, mud = [
        (0.65, 0.3, 4, 0.69, 0.6, 0),
        (0.65, 0.3, 3, 0.68, 0.6, 0),
        (0.65, 0.3, 2, 0.68, 0.5, 0),
        (0.65, 0.3, 1, 0.65, 1.5, 1),
        (0.67, 0.4, 1, 0.65, 1.5, 1),
    ][severity - 1]
    x = np.array(picture, dtype=np.float32) / 255.0
    layer = skimage_gaussian(mean + spread * normals, sigma=sigma)
    layer[layer < threshold] = 0
    if mud:
        mask = skimage_gaussian(np.where(layer > threshold, 1, 0).astype(np.float32), strength)
        mask[mask < 0.8] = 0
        mask = mask[..., np.newaxis]
        brown = np.array([63 / 255.0, 42 / 255.0, 20 / 255.0])
        return stored(np.clip(x * (1 - mask) + brown * mask, 0, 1) * 255)
    layer = (layer * 255).astype(np.uint8)
    relief = 255 - cv2.Canny(layer, 50, 150)
    relief = cv2.distanceTransform(relief, cv2.DIST_L2, 5)
    _, relief = cv2.threshold(relief, 20, 20, cv2.THRESH_TRUNC)
    relief = cv2.equalizeHist(cv2.blur(relief, (3, 3)).astype(np.uint8))
    relief = cv2.filter2D(relief, cv2.CV_8U, np.array([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]]))
    relief = cv2.blur(relief, (3, 3)).astype(np.float32)
    mask = layer * relief
    mask = (mask / mask.max() * strength)[..., np.newaxis]
    turquoise = np.array([175 / 255.0, 238 / 255.0, 238 / 255.0])
    return stored(np.clip(x + mask * turquoise, 0, 1) * 255)
