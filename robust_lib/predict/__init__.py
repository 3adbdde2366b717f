"""Images are shown to models, once: predictions and their store."""
