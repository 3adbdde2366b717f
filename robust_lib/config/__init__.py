"""What varies, read strictly from data_manifests/."""
