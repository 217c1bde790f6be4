"""The network between ranks and to the hub: interfaces, the master's port, names."""

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

from logrules.tools.doctor.doctor_finding import DoctorFinding, failed, ok, unknown, warning
from logrules.tools.doctor.machine import Machine

HUB = "https://huggingface.co"
CONNECT_LIMIT_S = 4.0
_TRUE = {"1", "true", "yes", "on"}


def check_master_port(machine: Machine) -> Iterator[DoctorFinding]:
    """Whether ``MASTER_PORT`` is free on this host, and ``MASTER_ADDR`` resolves."""
    address, port = machine.env.get("MASTER_ADDR"), machine.env.get("MASTER_PORT")
    if address:
        yield _resolved(address)
    if port is None:
        yield unknown("port-unset")
        port = "29500"
    if not port.isdigit() or not 0 < int(port) < 1 << 16:
        yield failed("port-wrong", port=port)
        return
    yield _free(int(port))


def _resolved(address: str) -> DoctorFinding:
    try:
        found = sorted({str(info[4][0]) for info in socket.getaddrinfo(address, None)})
    except (OSError, UnicodeError):
        return failed("address-unknown", address=address)
    return ok("address", address=address, found=", ".join(found))


def _free(port: int) -> DoctorFinding:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        if hasattr(socket, "SO_REUSEADDR"):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError as fault:
            reason = fault.strerror
            return failed("port-taken", port=port, reason=(reason or "").lower(), reason_as_said=reason)
    return ok("port", port=port)


def check_interfaces(machine: Machine) -> Iterator[DoctorFinding]:
    """Whether the interfaces that NCCL and Gloo are told to use exist."""
    names = sorted(name for _, name in socket.if_nameindex())
    told = [
        (key, machine.env[key])
        for key in ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME")
        if machine.env.get(key)
    ]
    if not told:
        yield ok("interfaces-untold", names=", ".join(names))
    for variable, spec in told:
        if matched := matching(spec, names):
            yield ok("interfaces", variable=variable, spec=spec, names=", ".join(matched))
        else:
            yield failed("interfaces-none", variable=variable, spec=spec, names=", ".join(names))


def matching(spec: str, names: list[str]) -> list[str]:
    """The interfaces that a value of ``NCCL_SOCKET_IFNAME`` allows: prefixes, ``=`` exact, ``^`` all but these.

    https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-socket-ifname
    """
    but, exact = spec.startswith("^"), spec.lstrip("^").startswith("=")
    words = [word for word in spec.lstrip("^").lstrip("=").split(",") if word]

    def fits(name: str) -> bool:
        return any(name == word if exact else name.startswith(word) for word in words)

    return [name for name in names if fits(name) != but]


def check_hub(machine: Machine) -> Iterator[DoctorFinding]:
    """Whether the Hub can be reached, or is not meant to be."""
    offline = [
        key
        for key in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE")
        if machine.env.get(key, "").lower() in _TRUE
    ]
    if offline:
        yield ok("hub-offline", variables=", ".join(offline))
        return
    endpoint = machine.env.get("HF_ENDPOINT") or HUB
    proxy = machine.env.get("https_proxy") or machine.env.get("HTTPS_PROXY")
    if proxy:
        yield unknown("hub-by-proxy", endpoint=endpoint, proxy=_bare(proxy))
        return
    try:
        parts = urlsplit(endpoint)
        address = (parts.hostname or "", parts.port or (80 if parts.scheme == "http" else 443))
        with socket.create_connection(address, CONNECT_LIMIT_S):
            pass
    except (OSError, ValueError, UnicodeError) as fault:
        reason = str(getattr(fault, "strerror", None) or fault).lower()
        yield warning("hub-away", endpoint=endpoint, reason=reason)
    else:
        yield ok("hub", endpoint=endpoint)


def _bare(url: str) -> str:
    """A URL without its user and password."""
    parts = urlsplit(url)
    return f"{parts.hostname or url}" + (f":{parts.port}" if parts.port else "")
