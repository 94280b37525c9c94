"""The connection to a Dask cluster, and all that is known of how Dask is set up."""

import logging
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, Protocol

from arena.errors import UsageError
from arena.wire.escape import printable

_CONNECT_S = 5.0
"""How long the scheduler may take to answer at first."""

_STOP_S = 2.0
_SHOWN = 200
_ADDRESS = re.compile(r"(tcp|tls)://([^\s/@?#:]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}")


class Client(Protocol):
    """As much as is needed of ``distributed.Client``, most of which has no types."""

    status: str
    """``closed`` once there is no way back to the scheduler."""

    def nthreads(self) -> Mapping[str, int]:
        """Return how many threads each worker has, by its address."""

    def get_executor(self, *, workers: list[str], pure: bool) -> Executor:
        """Return an executor of the ``workers`` alone."""


@contextmanager
def client_of(address: str) -> Iterator[Client]:
    """Yield a client of the scheduler at ``address``, as in ``tcp://HOST:PORT``.

    Behind ``tls://`` certificates and keys are those of Dask's own configuration.

    Raises:
        UsageError: none answers there, or Dask is not installed.
    """
    if not _ADDRESS.fullmatch(address):
        raise UsageError(
            "--on takes the address of a Dask scheduler, as in tcp://HOST:8786, not "
            f"'{printable(address, _SHOWN)}'"
        )
    try:
        # It takes its time, and is not there for everybody.
        dask, distributed = import_module("dask"), import_module("distributed")
    except ImportError:
        raise UsageError(
            "playing on a cluster takes Dask: install arena with its extra dask, here and on the "
            "workers, as in: pip install '.[dask]' in a checkout"
        ) from None
    _quieten()
    dask.config.set(
        {
            "distributed.comm.timeouts.connect": _CONNECT_S,
            # Bots are sent once to a machine, and may be large.
            "distributed.admin.large-graph-warning-threshold": "1 GiB",
        }
    )
    _check_certificates(address, distributed)
    try:
        client = distributed.Client(address, timeout=_CONNECT_S, set_as_default=False)
    except OSError:
        refused = ", or it refuses this certificate" if address.startswith("tls://") else ""
        raise UsageError(
            f"no scheduler answers at {address}{refused}: `dask scheduler` starts one and says its "
            "address"
        ) from None
    except Exception as error:  # noqa: BLE001 - of many types, mostly about certificates
        text = printable(str(error) or type(error).__name__, _SHOWN)
        raise UsageError(f"cannot connect to {address}: {text}") from None
    try:
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=_STOP_S)


def _check_certificates(address: str, distributed: Any) -> None:  # noqa: ANN401 - a module
    """Raise `UsageError` if ``address`` takes certificates and there are none that can be used."""
    if not address.startswith("tls://"):
        return
    try:
        found = distributed.Security().get_connection_args("client").get("ssl_context")
        why = "" if found else ": its configuration (distributed.comm.tls) names none"
    except Exception as error:  # noqa: BLE001 - files that are not there, or are something else
        why = f": {printable(str(error), _SHOWN)}"
    if why:
        raise UsageError(f"tls:// takes a certificate, a key and a CA's certificate of Dask{why}")


def _quieten() -> None:
    """Let arena decide what is said: what Dask logs goes where all else does."""
    for name in list(logging.root.manager.loggerDict):
        if name.split(".")[0] == "distributed":
            logger = logging.getLogger(name)
            logger.handlers.clear()
            logger.propagate = True
            logger.setLevel(logging.NOTSET)
