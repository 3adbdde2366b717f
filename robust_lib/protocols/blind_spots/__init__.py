"""Blind spots of a training set: where its pictures are rare beside all others [nao, sec. 4.3]."""
