"""`python -m robust_lib` is the command."""

import subprocess
import sys


def test_it_lists_what_the_command_can():
    done = subprocess.run(
        [sys.executable, "-m", "robust_lib", "--help"], capture_output=True, text=True, check=True
    )
    assert "Execute a notebook" in done.stdout
