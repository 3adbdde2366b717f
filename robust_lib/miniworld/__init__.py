"""The miniature world: pictures composed of real, open-licensed icon art, the same on every machine."""
