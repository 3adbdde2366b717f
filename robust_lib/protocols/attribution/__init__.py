"""What a detector's answer hangs on: background, pixels, patches [nao, sec. 4.4 to 4.6]."""
