"""torchvision is imported without torch's compiler, and its operators do what they do."""

import subprocess
import sys

CODE = """
import sys
from robust_lib.models.torchvision_alone import import_torchvision

import_torchvision()
print("torch._dynamo" in sys.modules)
import torch
from torchvision.ops import roi_align
from torchvision.ops.roi_align import is_compile_supported
picture, boxes = torch.arange(16.0).reshape(1, 1, 4, 4), [torch.tensor([[0.0, 0.0, 4.0, 4.0]])]
print(roi_align(picture, boxes, 1, aligned=True).item())
asked = is_compile_supported("cpu")
from torch._dynamo.utils import is_compile_supported as theirs
print(asked == theirs("cpu"))
"""


def test_the_compiler_is_imported_when_it_is_asked_for_and_not_before():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "7.5", "True"]
