"""logrules as a tool of agents: asked by a real client over a real process, below one folder only, in bounded answers."""

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from logrules.cli.main import main
from logrules.model.errors import LogrulesError
from logrules.model.version import __version__
from logrules.ruleset.load import load_pack
from logrules.tools.mcp.tools import MAX_DIAGNOSES, MAX_LINE_CHARS, MAX_RULES, Tools

# Not imported where tests are only collected: that takes a second.
pytestmark = pytest.mark.skipif(find_spec("mcp") is None, reason="needs mcp")

OOM = "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. " + "x" * 5_000


@pytest.fixture
def root(tmp_path) -> Path:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/train.log").write_text(f"step 1 loss 0.5\nstep 2 loss 0.4\n{OOM}\n")
    (tmp_path / "runs/other.log").write_text("step 1\n")
    (tmp_path / "secret.log").write_text("password\n")
    (tmp_path / "runs/link.log").symlink_to(tmp_path / "secret.log")
    (tmp_path / "runs/sub").mkdir()
    (tmp_path / "runs/sub/out.log").symlink_to(tmp_path / "secret.log")
    return tmp_path / "runs"


def ask(root: Path, *calls: tuple[str, dict[str, object]]) -> tuple[list[str], list[object]]:
    """The names of the tools that a real client sees, and what its calls come to."""
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async def talk():
        words = ["-m", "logrules", "mcp", "--root", str(root)]
        # Unasked it would have another cache, and compile the shipped rules for itself.
        server = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            assert (await session.initialize()).server_info.version == __version__
            tools = (await session.list_tools()).tools
            assert all(tool.annotations.read_only_hint for tool in tools)
            return [tool.name for tool in tools], [await session.call_tool(name, given) for name, given in calls]

    return asyncio.run(asyncio.wait_for(talk(), 60))


@pytest.mark.integration
def test_a_client_can_ask_everything(root):
    names, (diagnosed, timeline, rules, explained, outside, both, *unknown) = ask(
        root,
        ("diagnose", {"path": "train.log"}),
        ("timeline", {"path": "train.log"}),
        ("rules", {"query": "nccl"}),
        ("explain", {"name": "cuda-oom"}),
        ("diagnose", {"path": "../secret.log"}),
        ("diagnose", {"path": ["train.log", "other.log"]}),
        ("diagnose", {"paths": "train.log", "path": "train.log"}),
        ("rules", {"q": "nccl"}),
    )
    assert sorted(names) == ["diagnose", "explain", "rules", "timeline"]
    found = json.loads(diagnosed.content[0].text)
    assert found["status"] == "failed"
    assert found["diagnoses"][0]["cause"] == "cuda-oom"
    assert found["diagnoses"][0]["ranks"] == [1]
    assert json.loads(timeline.content[0].text)["spans"]
    assert json.loads(rules.content[0].text)["rules"]
    assert "out of memory" in explained.content[0].text.lower()
    assert outside.is_error
    assert "outside the folder" in outside.content[0].text
    assert json.loads(both.content[0].text)["lines"] == found["lines"] + 1
    assert [(one.is_error, "has no argument" in one.content[0].text) for one in unknown] == [(True, True)] * 2


_CALL = '{{"jsonrpc": "2.0", "id": {}, "method": "tools/call", "params": {{"name": "{}"}}}}'
_PING = '{{"jsonrpc": "2.0", "id": {}, "method": "ping"}}'


def sent(text: str) -> tuple[list[object], list[object]]:
    """What a server takes from these lines, by id, and its answers to what is no message (id and code)."""
    from logrules.tools.mcp.wire import Wire

    given, writes = os.pipe()
    reads, answered = os.pipe()

    async def talk():
        return [item.message.id async for item in Wire(given, answered)]

    def write():
        with os.fdopen(writes, "wb") as client:
            client.write(text.encode())

    # A pipe holds less than the longest message.
    threading.Thread(target=write).start()
    taken = asyncio.run(asyncio.wait_for(talk(), 30))
    os.close(given)
    os.close(answered)
    with os.fdopen(reads) as answers:
        found = map(json.loads, answers)
        return taken, [(one["id"], one["error"]["code"]) for one in found]


def test_what_is_no_message_is_answered_with_an_error():
    """A lone half of a UTF-16 pair is no UTF-8: the SDK passed over it, and its sender waited without end."""
    lines = [
        _CALL.format(1, "\\ud800"),
        _CALL.format('"a\\udfff"', "x"),
        _CALL.format(3, "x"),
        "[]",
        "",
        '{"id": 7}',
        '{"jsonrpc": "2.0", "id": 9, "method": 5}',
        '{"id": 8',
    ]
    answered = [(1, -32700), (None, -32700), (None, -32600), (7, -32600), (9, -32600), (None, -32700)]
    assert sent("\n".join(lines)) == ([3], answered)


@pytest.mark.parametrize("name", ["null", "1.5", "true", "[1]", '{"a": 1}'])
def test_a_request_whose_id_is_none_is_no_notification(name):
    """The SDK took it for one, and its sender waited without end."""
    assert sent(_PING.format(name) + "\n" + _PING.format(2)) == ([2], [(None, -32600)])


@pytest.mark.parametrize("name", ["5", '"five"'])
@pytest.mark.parametrize(
    "form", ['{{"jsonrpc": "2.0", "id": {0}, "x": "{1}"}}', '{{"x": "{1}", "id": {0}}}', '{{"x": "{1}"']
)
def test_a_message_without_end_is_answered_and_not_kept(name, form):
    """50 MB of an argument took 245 MB, and a list of 10 million paths 1.1 GB."""
    wanted = json.loads(name) if form.endswith("}}") else None
    assert sent(form.format(name, "y" * 2_000_000) + "\n" + _PING.format(2)) == ([2], [(wanted, -32600)])


@pytest.fixture
def raw(root) -> Iterator[subprocess.Popen[bytes]]:
    """A server as a process."""
    words = [sys.executable, "-m", "logrules", "mcp", "--root", str(root)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        tell(
            server,
            '{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", '
            '"capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}',
        )
        assert json.loads(server.stdout.readline())["id"] == 0
        tell(server, '{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        yield server
        server.kill()


def tell(server: subprocess.Popen[bytes], *lines: str) -> None:
    server.stdin.write("".join(line + "\n" for line in lines).encode())
    server.stdin.flush()


def call(name: int, tool: str, **given: object) -> str:
    return json.dumps(
        {"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": {"name": tool, "arguments": given}}
    )


def long_log(root: Path) -> None:
    (root / "long.log").write_text("".join(f"[rank{n % 8}]: step {n} RuntimeError: bad {n}\n" for n in range(400_000)))


@pytest.mark.integration
@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
@pytest.mark.parametrize("stream", ["stdin", "stdout"])
def test_a_client_that_goes_in_the_midst_of_a_diagnosis_leaves_no_server(root, raw, stream):
    """It went on until the diagnosis was done; of a client that only closed what it read it saw nothing."""
    long_log(root)
    tell(raw, call(1, "diagnose", path="long.log"))
    time.sleep(0.2)
    getattr(raw, stream).close()
    assert raw.wait(20) == 0
    assert raw.stderr.read() == b""


@pytest.mark.integration
def test_a_cancelled_diagnosis_makes_room_for_the_next(root, raw):
    long_log(root)
    calls = [call(n, "diagnose", path="long.log") for n in range(1, 9)]
    cancels = [
        json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": n}})
        for n in range(1, 9)
    ]
    begun = time.monotonic()
    tell(raw, *calls, *cancels, call(9, "diagnose", path="train.log"))
    assert json.loads(raw.stdout.readline())["id"] == 9
    assert time.monotonic() - begun < 30


@pytest.mark.integration
@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_client_that_reads_nothing_is_not_waited_for_once_it_goes(raw):
    asked = "".join(call(n, "rules") + "\n" for n in range(3_000)).encode()
    os.set_blocking(raw.stdin.fileno(), False)
    written, until = 0, time.monotonic() + 3
    while written < len(asked) and time.monotonic() < until:
        written += raw.stdin.raw.write(asked[written:]) or 0
    assert written < len(asked), "requests are taken in without end"
    raw.stdin.close()
    assert raw.wait(20) == 0
    assert raw.stderr.read() == b""


def test_secrets_and_endless_texts_do_not_reach_an_agent(root):
    token = "hf_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG"
    (root / "token.log").write_text(
        f"step 1\nValueError: no access with {token}; api_key=Xk29dk{token[9:29]} {'x' * 9_000}\n"
    )
    found = json.dumps(Tools(root, load_pack()).diagnose(["token.log"]))
    assert token not in found
    assert "Xk29dk" not in found
    assert "[redacted: Hugging Face token]" in found
    assert "x" * 2_001 not in found


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
def test_links_in_a_loop_end_neither_a_search_nor_a_pattern(root):
    """A folder with one was a fault of ours; of two, `**` made paths without end."""
    (root / "loop").symlink_to("loop")
    for name in ("one", "two", "three"):
        (root / "sub" / name).symlink_to(root)
    tools = Tools(root, load_pack())
    assert tools.diagnose(["."])["status"] == "failed"
    (root / "link.log").unlink()
    (root / "sub/out.log").unlink()
    assert tools.diagnose(["**/*.log"])["lines"] == tools.diagnose([""])["lines"] == 4


@pytest.mark.parametrize("path", ["x" * 3_000, "*" * 2_000, "a/" * 4_000])
def test_a_path_that_no_system_has_is_one_sentence(root, path):
    with pytest.raises(LogrulesError, match="not a usable path"):
        Tools(root, load_pack()).diagnose([path])


def test_no_sentence_tells_where_the_folder_lies(root):
    with pytest.raises(LogrulesError) as fault:
        Tools(root, load_pack()).diagnose(["no-such.log"])
    assert str(root.parent) not in str(fault.value)


@pytest.mark.integration
def test_a_mistake_of_a_client_is_one_line_without_its_values(root):
    _, answers = ask(
        root,
        ("diagnose", {"path": {"a": "secret-value"}}),
        ("diagnose", {"path": "train.log", "language": "fr"}),
        ("n" * 5_000, {}),
    )
    texts = [one.content[0].text for one in answers]
    assert all(one.is_error for one in answers)
    assert [("\n" in text, "secret-value" in text, len(text) < 300) for text in texts] == [(False, False, True)] * 3


def read(root: Path, *addresses: str) -> tuple[list[str], list[str]]:
    """The resources and templates of resources that a client sees, and what reading these comes to."""
    from mcp import Client
    from mcp.shared.exceptions import MCPError

    from logrules.tools.mcp.server import server_of

    async def one(client, address):
        try:
            return (await client.read_resource(address)).contents[0].text
        except MCPError as fault:
            return f"fault: {fault}"

    async def talk():
        async with Client(server_of(Tools(root, load_pack()))) as client:
            listed = [one.uri for one in (await client.list_resources()).resources]
            listed += [one.uri_template for one in (await client.list_resource_templates()).resource_templates]
            return list(map(str, listed)), [await one(client, address) for address in addresses]

    return asyncio.run(asyncio.wait_for(talk(), 60))


def test_reports_and_rules_are_resources(root):
    listed, (versions, rules, card, report, none, outside) = read(
        root,
        "logrules://versions",
        "logrules://rules",
        "logrules://rules/cuda/out-of-memory",
        "logrules://reports/train.log",
        "logrules://rules/no-such",
        "logrules://reports/link.log",
    )
    assert listed == [
        "logrules://versions",
        "logrules://rules",
        "logrules://rules/{+name}",
        "logrules://reports/{+path}",
    ]
    assert json.loads(versions)["logrules"] == __version__
    assert len(json.loads(rules)) == json.loads(versions)["rules"] > MAX_RULES
    assert "out of memory" in card
    found = json.loads(report)
    assert found["diagnoses"][0]["cause"] == "cuda-oom"
    assert found["versions"] == json.loads(versions)
    assert none.startswith("fault: ")
    assert "outside the folder" in outside


@pytest.mark.parametrize("path", ["../secret.log", "/etc/passwd", "link.log", "sub", "\0", "sub/../../secret.log"])
def test_nothing_outside_the_folder_is_read(root, path):
    with pytest.raises(LogrulesError):
        Tools(root, load_pack()).diagnose([path])


@pytest.mark.parametrize("path", ["no-such.log", "sub/none"])
def test_a_path_that_is_not_there_is_one_sentence(root, path):
    with pytest.raises(LogrulesError, match=r"no-such|none"):
        Tools(root, load_pack()).diagnose([path])


def test_answers_are_bounded(root):
    tools = Tools(root, load_pack())
    found = tools.diagnose(["train.log"])
    assert len(found["diagnoses"]) <= MAX_DIAGNOSES
    assert all(len(line["text"]) <= MAX_LINE_CHARS for one in found["diagnoses"] for line in one["evidence"])
    listed = tools.rules()
    assert len(listed["rules"]) == MAX_RULES
    assert listed["more_rules"] > 0


def test_a_name_that_is_none_is_one_sentence(root):
    with pytest.raises(LogrulesError, match="no rule, cause or phase"):
        Tools(root, load_pack()).explain("no-such")


def test_a_folder_that_is_none_is_a_mistake_of_the_user(capsys):
    from logrules.cli.main import main

    assert main(["mcp", "--root", "no/such"]) == 2
    assert "no such folder" in capsys.readouterr().err


def test_dumps_of_the_flight_recorder_are_told(root):
    for rank in range(2):
        entry = {
            "collective_seq_id": 1,
            "profiling_name": "nccl:all_reduce",
            "state": "started",
            "process_group": ["0", "default_pg"],
            "time_created_ns": 1,
            "input_sizes": [[1]],
            "output_sizes": [[1]],
            "frames": [],
        }
        plain = {
            "version": "2.4",
            "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}},
            "pg_status": {},
            "entries": [entry] if rank else [],
        }
        (root / f"nccl_trace_rank_{rank}.json").write_text(json.dumps(plain))
    assert Tools(root, load_pack()).diagnose(["."])["status"] == "failed"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_neither_a_pipe_nor_a_link_to_everything_is_followed(root):
    os.mkfifo(root / "pipe.log")
    (root / "all").symlink_to("/")
    (root / "elsewhere").symlink_to("/usr")
    tools = Tools(root, load_pack())
    with pytest.raises(LogrulesError, match="neither a file nor a folder"):
        tools.diagnose(["pipe.log"])
    with pytest.raises(LogrulesError, match=r"neither a file nor a folder|outside"):
        tools.diagnose(["p*.log"])
    found = tools.diagnose(["."])
    assert found["status"] == "failed"
    assert any("leads out of the folder" in note["note"] for note in found["notes"])


@pytest.mark.parametrize("paths", [[], ["train.log"] * 65])
def test_the_number_of_paths_is_bounded(root, paths):
    with pytest.raises(LogrulesError, match="between 1 and 64"):
        Tools(root, load_pack()).diagnose(paths)


def test_what_a_log_left_unused_is_given_back(monkeypatch):
    from logrules.tools.mcp import memory

    asked: list[tuple[str, int]] = []

    class Library:
        mallopt = staticmethod(lambda what, value: asked.append((f"mallopt {what}", value)))
        malloc_trim = staticmethod(lambda kept: asked.append(("trim", kept)))

    monkeypatch.setattr(memory, "_library", Library)
    memory.spare()
    memory.give_back()
    assert asked == [("mallopt -3", 128 << 10), ("mallopt -8", 1), ("trim", 0)]
    monkeypatch.setattr(memory, "_library", lambda: None)
    memory.spare()
    memory.give_back()
    assert len(asked) == 3


def test_the_c_library_here_can_be_asked_or_is_left_alone():
    from logrules.tools.mcp import memory

    memory._library.cache_clear()
    library = memory._library()
    assert library is None or library.malloc_trim(0) in {0, 1}


@pytest.mark.parametrize("absent", ["anyio", "mcp"])
def test_without_the_extra_it_is_one_sentence(tmp_path, capsys, monkeypatch, absent):
    for name in [name for name in sys.modules if name.startswith("logrules.tools.mcp.")]:
        monkeypatch.delitem(sys.modules, name)
    for name in [absent, *(name for name in sys.modules if name.startswith(f"{absent}."))]:
        monkeypatch.setitem(sys.modules, name, None)
    assert main(["mcp", "--root", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "logrules: logrules mcp needs the MCP SDK: pip install 'logrules[mcp]'\n"
