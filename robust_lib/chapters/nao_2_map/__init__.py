"""mAP on natural adversarial objects, with and without foreign objects [nao, sec. 4.1]."""
