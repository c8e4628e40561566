"""Ports that nobody else takes, for servers that tests stop and start again."""

import random
import socket

HOST = "127.0.0.1"


def reserved_port() -> socket.socket:
    """A socket that keeps a port for a server, even while the server is down.

    Nobody else can bind the port. The server can, since both allow reuse and this socket does not
    listen. The system uses ports from 32768 on for connections, and Ray those below 20000.
    """
    for port in random.SystemRandom().sample(range(20_000, 32_768), 100):
        keeper = socket.socket()
        try:
            keeper.bind((HOST, port))
        except OSError:
            keeper.close()
            continue
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        return keeper
    raise OSError("no port from 20000 to 32767 is free")
