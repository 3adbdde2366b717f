"""What the pages of Natural Adversarial Examples share: galleries, pairs, thirds."""
