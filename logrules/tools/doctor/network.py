"""The network between ranks and to the hub: interfaces, the master's port, names."""

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

from logrules.model.report import Text
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
        yield unknown(
            "MASTER_PORT is not set; torchrun takes 29500 unless told otherwise",
            "未设置 MASTER_PORT；torchrun 默认 29500",
        )
        port = "29500"
    if not port.isdigit() or not 0 < int(port) < 1 << 16:
        yield failed(f"MASTER_PORT={port} is no port", f"MASTER_PORT={port} 不是端口号")
        return
    yield _free(int(port))


def _resolved(address: str) -> DoctorFinding:
    try:
        found = sorted({str(info[4][0]) for info in socket.getaddrinfo(address, None)})
    except (OSError, UnicodeError):
        return failed(
            f"MASTER_ADDR={address} does not resolve on this host",
            f"本机无法解析 MASTER_ADDR={address}",
            Text(
                f"getent hosts {address}; give an IP address, or add the name to /etc/hosts on every node",
                f"getent hosts {address}；改用 IP，或在每个节点的 /etc/hosts 中加入该名字",
            ),
        )
    return ok(f"MASTER_ADDR={address} is {', '.join(found)}", f"MASTER_ADDR={address} 解析为 {', '.join(found)}")


def _free(port: int) -> DoctorFinding:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        if hasattr(socket, "SO_REUSEADDR"):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError as fault:
            return failed(
                f"port {port} cannot be taken ({(fault.strerror or '').lower()})",
                f"端口 {port} 无法使用（{fault.strerror}）",
                Text(
                    f"See who listens: ss -ltnp 'sport = :{port}'; or choose another: --master_port 29501",
                    f"查看占用者：ss -ltnp 'sport = :{port}'；或换端口：--master_port 29501",
                ),
            )
    return ok(f"port {port} is free", f"端口 {port} 空闲")


def check_interfaces(machine: Machine) -> Iterator[DoctorFinding]:
    """Whether the interfaces that NCCL and Gloo are told to use exist."""
    names = sorted(name for _, name in socket.if_nameindex())
    told = [
        (key, machine.env[key])
        for key in ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME")
        if machine.env.get(key)
    ]
    if not told:
        yield ok(f"NCCL chooses among {', '.join(names)}", f"NCCL 将自行在 {', '.join(names)} 中选择")
    for key, spec in told:
        matched = matching(spec, names)
        if matched:
            yield ok(f"{key}={spec} fits {', '.join(matched)}", f"{key}={spec} 匹配 {', '.join(matched)}")
        else:
            yield failed(
                f"{key}={spec} fits none of this host's interfaces: {', '.join(names)}",
                f"{key}={spec} 与本机网卡都不匹配：{', '.join(names)}",
                Text(
                    "List them: ip -br addr; the names may differ from node to node",
                    "查看网卡：ip -br addr；各节点的名字可能不同",
                ),
            )


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
        yield ok(
            f"offline by {', '.join(offline)}: only what is cached is used",
            f"{', '.join(offline)} 已设为离线：只使用本地缓存",
        )
        return
    endpoint = machine.env.get("HF_ENDPOINT") or HUB
    proxy = machine.env.get("https_proxy") or machine.env.get("HTTPS_PROXY")
    if proxy:
        yield unknown(
            f"{endpoint} is reached through the proxy {_bare(proxy)}, which was not tried",
            f"{endpoint} 经代理 {_bare(proxy)} 访问，未尝试",
        )
        return
    try:
        parts = urlsplit(endpoint)
        address = (parts.hostname or "", parts.port or (80 if parts.scheme == "http" else 443))
        with socket.create_connection(address, CONNECT_LIMIT_S):
            pass
    except (OSError, ValueError, UnicodeError) as fault:
        yield warning(
            f"{endpoint} cannot be reached ({_reason(fault)})",
            f"{endpoint} 无法访问（{_reason(fault)}）",
            Text(
                "Download beforehand and set HF_HUB_OFFLINE=1, or set HF_ENDPOINT to a mirror",
                "提前下载并设置 HF_HUB_OFFLINE=1，或将 HF_ENDPOINT 指向镜像",
            ),
        )
    else:
        yield ok(f"{endpoint} can be reached", f"{endpoint} 可以访问")


def _bare(url: str) -> str:
    """A URL without its user and password."""
    parts = urlsplit(url)
    return f"{parts.hostname or url}" + (f":{parts.port}" if parts.port else "")


def _reason(fault: Exception) -> str:
    return str(getattr(fault, "strerror", None) or fault).lower()
