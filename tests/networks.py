"""Namespaces of networks, one for each worker, joined by a bridge: as if they were machines of their own."""

import os
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager

LOOPBACK = "127.0.0.1"


class Loopback:
    """What stands for them where they cannot be made: that takes root and iproute2."""

    host = LOOPBACK

    @contextmanager
    def place(self, number):
        """Give what begins the command of a worker, and its host."""
        yield (), self.host


class Bridge:
    """Joins this machine and the namespaces; its addresses are of those that are kept free for benchmarks."""

    def __init__(self):
        number = os.getpid()
        self._name, self._first_bytes = f"pf{number}", f"198.{18 + number % 2}.{number // 2 % 256}"
        self.host = f"{self._first_bytes}.1"

    @contextmanager
    def made(self):
        with undone(f"link delete {self._name}", after=f"link add {self._name} type bridge"):
            ip(f"address add {self.host}/24 dev {self._name}")
            ip(f"link set {self._name} up")
            yield self

    @contextmanager
    def place(self, number):
        """Make a namespace, and give what begins the command of a worker there, and its host."""
        name, host = f"{self._name}-{number}", f"{self._first_bytes}.{number + 2}"
        with undone(f"netns delete {name}", after=f"netns add {name}"):
            ip(f"link add {name} master {self._name} type veth peer name eth0 netns {name}")
            ip(f"link set {name} up")
            ip(f"-netns {name} address add {host}/24 dev eth0")
            ip(f"-netns {name} link set eth0 up")
            yield ("ip", "netns", "exec", name), host


@contextmanager
def undone(command, after):
    ip(after)
    try:
        yield
    finally:
        ip(command)


def ip(command):
    subprocess.run(["ip", *command.split()], check=True, capture_output=True)


@contextmanager
def network():
    """Give namespaces where they can be made and reach this machine, else the loopback."""
    with ExitStack() as stack:
        try:
            found = stack.enter_context(Bridge().made())
            with found.place(0) as (inside, _), socket.create_server((found.host, 0)) as server:
                connect = f"import socket; socket.create_connection({server.getsockname()}, 5)"
                subprocess.run([*inside, sys.executable, "-c", connect], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            stack.close()
            found = Loopback()
        yield found
