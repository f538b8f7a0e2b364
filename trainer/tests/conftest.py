"""Fixtures, and the rule that tests marked `torch` run where it is installed."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fake_server import FakeServer

TORCH_LIBRARIES = ("torch", "transformers", "peft", "trl", "datasets")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs torch where it is missing."""
    missing = [name for name in TORCH_LIBRARIES if importlib.util.find_spec(name) is None]
    if not missing:
        return
    skip = pytest.mark.skip(reason=f"not installed: {', '.join(missing)}")
    for item in items:
        if item.get_closest_marker("torch"):
            item.add_marker(skip)


@pytest.fixture
def server() -> Iterator[FakeServer]:
    """A protocol server; no test may leave a violation behind."""
    fake = FakeServer()
    yield fake
    fake.close()
    assert fake.violations == []


@pytest.fixture(scope="session")
def demo_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny base model."""
    from drydock_trainer.demo.model import make_demo_model

    folder = tmp_path_factory.mktemp("demo-model")
    make_demo_model(folder)
    return folder
