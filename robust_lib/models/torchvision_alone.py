"""Import of torchvision without torch's compiler, which is rarely needed."""

import sys
from types import ModuleType

_COMPILER, _ASKED = "torch._dynamo", "torch._dynamo.utils"


def import_torchvision() -> None:
    """Import torchvision without the compiler, whose import takes very long.

    One of torchvision's operators checks whether it is being compiled, for which its module imports
    the compiler in its first line. While torchvision is imported, a stand-in takes the compiler's
    place; it imports the compiler only when it is used.
    """
    if {"torchvision", _COMPILER} & sys.modules.keys():
        return
    import torch  # noqa: F401 - before the stand-in, whose name is below torch's

    package, asked = ModuleType(_COMPILER), ModuleType(_ASKED)
    asked.__dict__["is_compile_supported"] = _is_compile_supported
    sys.modules |= {_COMPILER: package, _ASKED: asked}
    try:
        import torchvision  # noqa: F401
    finally:
        for name in (_COMPILER, _ASKED):
            del sys.modules[name]


def _is_compile_supported(device: str) -> bool:
    from torch._dynamo.utils import is_compile_supported

    return bool(is_compile_supported(device))
