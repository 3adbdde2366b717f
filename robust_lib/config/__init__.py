"""Records of data sets, models and profiles, read strictly from data_manifests/."""
