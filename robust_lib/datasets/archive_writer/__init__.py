"""An ImageNet-C written from any folder of pictures, resumable, by many processes."""
