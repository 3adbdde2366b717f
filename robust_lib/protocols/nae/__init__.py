"""The chapters on natural adversarial examples: construction, ImageNet-A, ImageNet-O, calibration."""
