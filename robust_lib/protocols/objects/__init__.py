"""Natural adversarial objects: how well detectors do on them, and in which ways they fail."""
