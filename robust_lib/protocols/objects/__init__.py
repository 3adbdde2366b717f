"""Natural adversarial objects: detectors' mAP on them, and how they fail."""
