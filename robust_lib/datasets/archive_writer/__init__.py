"""An ImageNet-C written from any folder of images, resumable, by many processes."""
