"""A way to a server that can be cut: what is sent then arrives nowhere, and nothing is closed."""

import socket
import threading
from contextlib import contextmanager, suppress


class Proxy:
    """Passes bytes between its port and a server's, until it is cut."""

    def __init__(self, port):
        self._target, self._is_cut = port, False
        self._server, self._ends = socket.create_server(("127.0.0.1", 0)), []
        self.port = self._server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        """Let all connections lead nowhere."""
        self._is_cut = True

    def reset(self):
        """Close all connections; new ones work."""
        for end in self._ends:
            _close(end)
        self._ends, self._is_cut = [], False

    def close(self):
        """Close everything."""
        _close(self._server)
        self.reset()

    def _accept(self):
        with suppress(OSError):
            while True:
                near = self._server.accept()[0]
                far = socket.create_connection(("127.0.0.1", self._target))
                self._ends += [near, far]
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=self._pass, args=pair, daemon=True).start()

    def _pass(self, source, target):
        with suppress(OSError):
            while data := source.recv(65536):
                if not self._is_cut:
                    target.sendall(data)
            if not self._is_cut:
                target.shutdown(socket.SHUT_WR)


def _close(end):
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


@contextmanager
def proxy(port):
    """A proxy for a local port."""
    made = Proxy(port)
    try:
        yield made
    finally:
        made.close()
