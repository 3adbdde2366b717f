"""ImageNet-Vid-Robust's protocol: accuracy and mAP on the worst of the frames near an anchor."""
