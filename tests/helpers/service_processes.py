"""`maxin serve` as a process."""

from contextlib import contextmanager

from tests.helpers.processes import maxin_process


@contextmanager
def service_process(folder, store, port, *flags):
    """Serve a store on a port; within it, the service takes requests."""
    words = ("serve", str(store), "--port", str(port), "--confidence", "none", *flags)
    with maxin_process(*words, folder=folder) as process:
        assert process.stdout.readline().startswith("serving ")
        yield process
