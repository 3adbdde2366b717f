"""Models: a name, a file, a function or a torch module becomes a `Classifier`."""

from robust_lib.models.torch_models import load as load
