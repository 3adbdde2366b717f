"""Maps of embeddings: fifty principal components, then two dimensions by UMAP [nao, sec. 4.3].

A map shows which images are neighbours, and little else: distances between groups and their sizes
mean nothing. If umap-learn is not installed, the map shows the first two principal components.
"""

import importlib.util
import sys
import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from robust_lib.errors import InputError
from robust_lib.metrics.density_ratio import nearest

EPOCHS = 200
"""Of UMAP's optimisation: what it takes itself for large sets; small ones would take 500."""

FEW = 4096
"""Points from which UMAP looks for neighbours without measuring all distances."""

Vectors = Float[np.ndarray, "images size"]
Places = Float[np.ndarray, "_ 2"]


@dataclass(frozen=True, eq=False)
class Components:
    """The principal components of a set of images.

    Attributes:
        explained: share of the variance that they explain.
    """

    explained: float
    _pca: Any

    def of(self, vectors: Vectors) -> Float[np.ndarray, "images components"]:
        """Return the coordinates of images in these components, the largest component first."""
        found: np.ndarray = self._pca.transform(vectors.astype(np.float64))
        return found


def principal_components(vectors: Vectors, size: int = 50) -> Components:
    """Return the principal components of images.

    Args:
        vectors: embeddings, one row per image.
        size: number of components; fewer if there are fewer dimensions or images.

    Raises:
        InputError: fewer than two images, or no direction requested.
    """
    if len(vectors) < 2 or size < 1:
        raise InputError(
            f"Expected at least two images and one component, but got {len(vectors)} and {size}."
        )
    from sklearn.decomposition import PCA  # half a second, which other chapters need not wait for

    # By the covariance: as exact as need be, and a hundred thousand pictures take no room.
    pca = PCA(min(size, *vectors.shape), svd_solver="covariance_eigh")
    pca.fit(vectors.astype(np.float64))
    return Components(float(pca.explained_variance_ratio_.sum()), pca)


@dataclass(frozen=True, eq=False)
class Map:
    """Images in the plane."""

    places: Places
    method: str
    _fitted: Any
    _measured: Vectors | None = None  # by distances from these points, or else by coordinates

    def place(self, points: Vectors, own: Int[np.ndarray, " _"] | None = None) -> Places:
        """Return the positions of further images, without changing the map.

        Args:
            own: index of each image that is already on the map; -1 for the others.
        """
        known = np.full(len(points), -1) if own is None else own
        found = np.zeros((len(points), 2))
        found[known >= 0] = self.places[known[known >= 0]]
        if (known < 0).any():
            new = points[known < 0]
            given = new if self._measured is None else _distances(new, self._measured)
            with _quiet():
                found[known < 0] = self._fitted.transform(given)
        return found


def fit_map(points: Vectors, *, neighbours: int | None = 15, seed: int = 0) -> Map:
    """Return a map of images, which is the same at each call.

    Args:
        points: principal components of their embeddings.
        neighbours: number of neighbours for UMAP; more show the global structure, fewer the local
            one. None: the first two principal components instead of UMAP.

    Raises:
        InputError: fewer than two neighbours, or not more images than neighbours.
    """
    if neighbours is None or not has_umap():
        from sklearn.decomposition import PCA

        pca = PCA(2, svd_solver="covariance_eigh").fit(points)
        return Map(pca.transform(points), "first two principal components", pca)
    if not 2 <= neighbours < len(points):
        raise InputError(
            f"Expected from 2 to {len(points) - 1} neighbours for a map of {len(points)} images, "
            f"but got {neighbours}."
        )
    with _quiet():
        umap = _umap()
        # Of few points UMAP takes all distances, one by one; a matrix product is sooner.
        measured = points if len(points) < FEW else None
        # One thread: with several, the order of additions would move every picture.
        fitted = umap.UMAP(
            metric="euclidean" if measured is None else "precomputed",
            n_neighbors=neighbours,
            n_epochs=EPOCHS,
            random_state=seed,
            transform_seed=seed,
            n_jobs=1,
        )
        given = points if measured is None else _distances(points, measured)
        places = fitted.fit_transform(given)
    method = f"UMAP, {neighbours} neighbours, seed {seed}"
    return Map(places.astype(np.float64), method, fitted, measured)


def has_umap() -> bool:
    """Return whether umap-learn is installed."""
    return importlib.util.find_spec("umap") is not None


def _umap() -> Any:
    """Return umap, whose compiled functions are kept beside it, as Python keeps its own byte code.

    Otherwise each process compiles them anew, which takes longer than most maps.
    """
    if "umap" not in sys.modules:
        from numba.core import decorators

        plain = decorators.jit
        decorators.jit = partial(plain, cache=True)  # type: ignore[assignment]
        try:
            import umap  # noqa: F401  # seconds
        finally:
            decorators.jit = plain
    return sys.modules["umap"]


def kept_neighbours(one: Vectors, other: Float[np.ndarray, "images others"], k: int = 15) -> float:
    """Return the mean share of k nearest neighbours that images have in both embeddings.

    By chance, it is k divided by the number of images.

    Args:
        one: images on a map, or their principal components.

    Raises:
        InputError: the numbers of images differ.
    """
    if len(one) != len(other):
        raise InputError(
            f"Expected two embeddings of the same images, but got {len(one)} and {len(other)}."
        )
    own = np.arange(len(one))
    first, second = nearest(one, one, k, own), nearest(other, other, k, own)
    return float((first[:, :, None] == second[:, None]).any(2).mean())


def _distances(
    points: Vectors, others: Float[np.ndarray, "others size"]
) -> Float[np.ndarray, "images others"]:
    from sklearn.metrics import pairwise_distances

    found: np.ndarray = pairwise_distances(points, others).astype(np.float32)
    return found


def _quiet() -> warnings.catch_warnings:
    """Return a context in which UMAP and what compiles it may warn of themselves."""
    return warnings.catch_warnings(action="ignore")
