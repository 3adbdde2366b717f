"""The miniature world: pictures composed of real, open-licensed icon art, alike everywhere."""
