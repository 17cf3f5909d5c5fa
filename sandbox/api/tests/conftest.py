"""The sandbox the tests share."""
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from client import Api, Running  # noqa: E402


@pytest.fixture(scope="session")
def running() -> Iterator[Running]:
    """One process for all tests that don't need their own; it must end without complaint."""
    sandbox = Running()
    yield sandbox
    complaints = sandbox.stop()
    assert (sandbox.process.returncode, complaints) == (0, "")


@pytest.fixture
def api(running: Running) -> Api:
    """The shared sandbox, freshly reset."""
    running.api.control("reset", {})
    return running.api


@pytest.fixture
def tags(api: Api) -> dict[str, Any]:
    """The fixtures by label."""
    return api.control("fixtures")
