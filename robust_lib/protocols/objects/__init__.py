"""Natural Adversarial Objects: detectors' mAP on them, and how detectors fail."""
