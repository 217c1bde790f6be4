"""logrules as a tool of agents: asked by a real client over a real process, below one folder only, in bounded answers."""

import asyncio
import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

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


def test_what_is_no_message_is_answered_with_an_error():
    """A lone half of a UTF-16 pair is no UTF-8: the SDK passed over it, and its sender waited without end."""
    from mcp.shared._context_streams import create_context_streams
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    from logrules.tools.mcp.unreadable import AnsweredStream

    async def talk(lines: list[str]):
        given, messages = create_context_streams(9)
        answers, answered = create_context_streams(9)
        for line in lines:
            try:
                await given.send(SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False)))
            except ValueError as fault:
                await given.send(fault)
        given.close()
        async with AnsweredStream(messages, answers) as readable:
            read = [item.message.id async for item in readable]
        answers.close()
        async with answered:
            return read, [(item.message.id, item.message.error.code) async for item in answered]

    call = '{{"jsonrpc": "2.0", "id": {}, "method": "tools/call", "params": {{"name": "{}"}}}}'
    lines = [
        call.format(1, "\\ud800"),
        call.format('"a\\udfff"', "x"),
        call.format(3, "x"),
        "[]",
        '{"id": 7}',
        '{"id": 8',
    ]
    answered = [(1, -32700), (None, -32700), (None, -32600), (7, -32600), (None, -32700)]
    assert asyncio.run(talk(lines)) == ([3], answered)


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
