"""A small web server with the faults of real ones, and a small project of manifests."""

import pytest
import yaml

from tests.served import Site


@pytest.fixture
def site():
    site = Site()
    yield site
    site.close()


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with an empty folder of manifests; returns a function that adds one."""
    root = tmp_path / "project"
    (root / "data_manifests" / "datasets").mkdir(parents=True)
    classes = root / "data_manifests" / "classes"
    classes.mkdir()
    (classes / "lists.yaml").write_text("pair: {title: Two classes, source: made for tests}\n")
    (classes / "pair.csv").write_text("index,wnid,name\n0,n01440764,tench\n1,n01443537,goldfish\n")
    monkeypatch.setenv("ROBUST_ROOT", str(root))
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path / "data"))

    def add(name: str, **keys: object) -> None:
        kind = "image_folder" if "folders" in keys else "unlabelled"
        plain = {"title": name, "kind": kind, "layout": "as tests have it"}
        plain |= {"name": name, "licence": "none", "access": "open"}
        path = root / "data_manifests" / "datasets" / f"{name}.yaml"
        path.write_text(yaml.safe_dump(plain | keys))

    return add
