"""The book's package: where it lies, and that the library knows nothing of it."""

import subprocess
import sys

from robust_book import PACKAGE


def test_the_package_lies_among_the_pages():
    assert (PACKAGE / "page.py").is_file()


def test_every_name_of_the_library_is_there_without_the_book():
    code = """
import sys
sys.modules["robust_book"] = None  # as if it were not installed
from robust_lib import *
print(*sorted(name for name in sys.modules if name.startswith("robust_book")))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["robust_book"]
