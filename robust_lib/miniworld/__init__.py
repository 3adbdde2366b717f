"""The miniature world: images composed of open-licensed icon art, identical on all machines."""
