"""Natural adversarial examples: accuracy, out-of-distribution detection, and calibration."""
