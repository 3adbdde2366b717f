"""Models: a name, a file, a function or a torch module becomes a `Classifier`."""
