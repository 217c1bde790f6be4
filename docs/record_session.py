"""Writes integrations/agents.md: a session of the official MCP client with `logrules mcp`, over a folder of 64 ranks.

`python docs/record_session.py`. The folder is made here: all ranks step, rank 17 dies of a full GPU, the others wait
for it until NCCL gives up. The agent's part is written down here (which question follows from which answer); what the
server says is recorded as it came, with long lists cut.
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

_PAGE = Path(__file__).parent / "integrations" / "agents.md"
_RANKS, _DEAD, _STEPS = 64, 17, 20
_MAX_CHARS = 1_600
_KEPT = {
    "diagnose": ("status", "phase", "lines", "diagnoses", "more_diagnoses", "versions"),
    "diagnosis": ("cause", "title", "phase", "confidence", "restart", "ranks", "hosts", "evidence"),
}
_HEAD = """# Agents

    pip install 'logrules[mcp]'
    claude mcp add logrules -- logrules mcp --root /data/runs

`logrules mcp` is a Model Context Protocol server. It is read-only, reads logs below `--root` and nothing else, and limits the size of its answers. `path` is a log, a folder or a list of up to 64 of them. An unknown argument is an error that lists the known ones. Every answer of `diagnose` has the versions of logrules and of its rules.

The same is available as resources: `logrules://reports/PATH` is the report on a log or a folder, `logrules://rules` lists the rules, `logrules://rules/NAME` is the card of a rule, a cause or a phase, `logrules://versions` has the versions.

## A session

Recorded with the protocol's official client by `docs/record_session.py`: a folder with the logs of 64 ranks, of which one died and 63 waited for it. The user asks: *run 42 died in the night, why?*
"""
_STEPS_SAID = (
    ("The agent asks for the folder as a whole.", "diagnose", {"path": "42"}),
    (
        "It has the cause and the rank. It looks up what the cause means before it proposes anything.",
        "explain",
        {"name": "{cause}"},
    ),
    ("It looks at that rank alone: was this its first trouble?", "diagnose", {"path": "42/rank{rank}.log"}),
)


def write_run(folder: Path) -> None:
    """The logs of the run."""
    folder.mkdir(parents=True)
    for rank in range(_RANKS):
        lines = [f"2026-03-01 02:{step:02d}:00,000 [rank{rank}]: INFO step {step} loss 0.5" for step in range(_STEPS)]
        if rank == _DEAD:
            lines += [
                f"[rank{rank}]: Traceback (most recent call last):",
                f'[rank{rank}]:   File "/work/train.py", line 88, in train_step',
                f"[rank{rank}]:     loss.backward()",
                f"2026-03-01 02:20:01,000 [rank{rank}]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
            ]
        else:
            lines.append(
                f"[rank{rank}]:[E301 02:50:02.{rank:09d} ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught collective "
                f"operation timeout: WorkNCCL(SeqNum={_STEPS}, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, "
                "Timeout(ms)=1800000) ran for 1800012 milliseconds before timing out."
            )
        (folder / f"rank{rank}.log").write_text("\n".join(lines) + "\n", encoding="utf-8")


def shortened(answer: Any) -> Any:
    """An answer of `diagnose` with what a reader of the page needs of it."""
    found = {name: answer[name] for name in _KEPT["diagnose"]}
    found["diagnoses"] = [
        {name: one[name] for name in _KEPT["diagnosis"]}
        | {
            "evidence": [line["text"] for line in one["evidence"][:2]],
            "consequences": [other["title"] for other in one["consequences"]],
        }
        for one in answer["diagnoses"][:1]
    ]
    found["more_diagnoses"] += max(0, len(answer["diagnoses"]) - 1)
    return found


async def session(root: Path) -> str:
    """The page's part that was recorded."""
    server = StdioServerParameters(command=sys.executable, args=["-m", "logrules", "mcp", "--root", str(root)])
    said = []
    async with stdio_client(server) as (read, write), ClientSession(read, write) as client:
        await client.initialize()
        said.append("Tools: " + ", ".join(f"`{tool.name}`" for tool in (await client.list_tools()).tools) + ".\n")
        resources = [one.uri for one in (await client.list_resources()).resources]
        resources += [one.uri_template for one in (await client.list_resource_templates()).resource_templates]
        said.append("Resources: " + ", ".join(f"`{one}`" for one in resources) + ".\n")
        known: dict[str, Any] = {}
        for why, tool, given in _STEPS_SAID:
            filled = {name: value.format(**known) for name, value in given.items()}
            answer = (await client.call_tool(tool, filled)).content[0].text
            if tool == "diagnose":
                plain = json.loads(answer)
                first = plain["diagnoses"][0]
                known = known or {"cause": first["cause"], "rank": first["ranks"][0]}
                answer = json.dumps(shortened(plain), indent=1, ensure_ascii=False)
            cut = answer if len(answer) <= _MAX_CHARS else answer[:_MAX_CHARS].rsplit("\n", 1)[0] + "\n…"
            said.append(f"**{why}**\n\n```text\n{tool} {json.dumps(filled)}\n```\n\n```text\n{cut}\n```\n")
        address = f"logrules://rules/{known['cause']}"
        card = (await client.read_resource(address)).contents[0].text
        said.append(
            "**The user wants to read what the agent read: it links the resource.**\n\n"
            f"```text\n{address}\n```\n\n```text\n{card.splitlines()[0]}\n…\n```\n"
        )
        wrong = await client.call_tool("diagnose", {"path": "42", "rank": known["rank"]})
        said.append(
            "**An unknown argument is refused, not ignored.**\n\n```text\n"
            f"diagnose {json.dumps({'path': '42', 'rank': known['rank']})}\n```\n\n"
            f"```text\n{wrong.content[0].text}\n```\n"
        )
        said.append(
            f"The agent answers: rank {known['rank']} died first, of `{known['cause']}`; the time-outs of the other "
            f"{_RANKS - 1} ranks half an hour later only follow from it. It quotes the line, and proposes the first fix "
            "that only looks before one that changes the run.\n"
        )
    return "\n".join(said)


def main() -> None:
    """Make the run, record, write."""
    with tempfile.TemporaryDirectory() as folder:
        write_run(Path(folder) / "42")
        recorded = asyncio.run(asyncio.wait_for(session(Path(folder)), 300))
    _PAGE.write_text(f"{_HEAD}\n{recorded}", encoding="utf-8")


if __name__ == "__main__":
    main()
