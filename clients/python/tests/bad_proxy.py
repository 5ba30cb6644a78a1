"""A proxy that cuts its connections at random, from the same seed at the same places."""

from __future__ import annotations

import random
import socket
import threading
from contextlib import suppress
from urllib.parse import urlsplit


class BadProxy:
    """Cuts each connection after some bytes of the answers, or before any, until it has cut `enough`."""

    def __init__(self, url: str, seed: int, enough: int) -> None:
        parts = urlsplit(url)
        self._target = (parts.hostname or "", parts.port or 80)
        self._random = random.Random(seed)
        self._enough = enough
        self.cuts = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        with client, socket.create_connection(self._target) as server:
            threading.Thread(target=self._pump, args=(client, server), daemon=True).start()
            with suppress(OSError):
                self._pass(server, client)
            # The other thread still reads from them, so closing them would end nothing.
            for one in (client, server):
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def _pass(self, server: socket.socket, client: socket.socket) -> None:
        budget = self._random.choice((0, 100, 700, 1500, 4000, 20000))
        while part := server.recv(self._random.choice((1, 7, 100, 65536))):
            if self.cuts < self._enough and len(part) > budget:
                self.cuts += 1
                client.sendall(part[:budget])
                return
            budget -= len(part)
            client.sendall(part)

    @staticmethod
    def _pump(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while part := source.recv(65536):
                target.sendall(part)
            # The client hung up, so the server must know.
            target.shutdown(socket.SHUT_RDWR)
