"""A book that is executed once, and copies of it that a test may break."""

from tests.book.conftest import executed, project, tiny

__all__ = ["executed", "project", "tiny"]
