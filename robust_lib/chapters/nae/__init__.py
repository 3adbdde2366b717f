"""What the chapters of Natural Adversarial Examples share."""
