import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from relay import network
from relay.stage import ADDRESSES, Relay, missing_programs


@pytest.fixture(scope="module")
def relay() -> Iterator[Relay]:
    """A relay that all tests of a file use; each has people of its own."""
    if reason := network.why_not():
        pytest.skip(reason)
    missing = missing_programs()
    assert not missing, f"not installed: {missing}; run scripts/bootstrap test"
    # Not pytest's own folder, which other users, such as Postfix's, cannot enter.
    with (
        tempfile.TemporaryDirectory(prefix="lanyard-relay-") as folder,
        network.private_network(*ADDRESSES),
        Relay(Path(folder)) as running,
    ):
        yield running
