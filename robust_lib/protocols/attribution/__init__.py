"""What a detector's prediction depends on: background, pixels, patches [nao, sec. 4.4 to 4.6]."""
