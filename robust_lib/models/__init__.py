"""Models: each name, file, function or torch module becomes a `Classifier`."""
