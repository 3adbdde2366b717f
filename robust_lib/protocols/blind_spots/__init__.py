"""Blind spots of a training set: where its images are rarer than other images [nao, sec. 4.3]."""
