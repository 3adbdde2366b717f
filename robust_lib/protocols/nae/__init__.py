"""The chapters on natural adversarial examples: construction, accuracy, detection, calibration."""
