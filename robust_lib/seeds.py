"""Keyed randomness: a draw depends on its purpose, never on when or where it is made.

Every random number is drawn from a generator whose key is a digest of (seed, item, purpose, ...).
The same item therefore gets the same draw in any batch, order, process or resumed run.
"""

import hashlib

import numpy as np


def key(*parts: object) -> int:
    """Return the 64-bit key of a sequence of names and numbers.

    The parts are joined with their types, so ("a", "bc") and ("ab", "c") differ.

    >>> key(0, "bell/twemoji", "pose") == key(0, "bell/twemoji", "pose")
    True
    >>> key(0, "a") == key("0", "a")
    False
    """
    text = "\x1f".join(f"{type(part).__name__}:{part}" for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def generator(*parts: object) -> np.random.Generator:
    """Return NumPy's counter-based Philox generator, keyed by the parts."""
    return np.random.Generator(np.random.Philox(key=key(*parts)))
