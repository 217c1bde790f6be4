"""`logrules mcp`: logrules as a read-only tool of agents, over standard input and output."""

import argparse
from pathlib import Path

from logrules.cli.shared_options import add_pack_options, chosen_pack, named
from logrules.model.errors import LogrulesError
from logrules.tools.extras import MCP, needed

ABOUT = "serve diagnoses to agents (Model Context Protocol)"
_EXAMPLES = """examples:
  logrules mcp --root /data/runs        serve logs below /data/runs, and nothing else
  claude mcp add logrules -- logrules mcp --root /data/runs

Needs the extra: pip install 'logrules[mcp]'"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "--root",
        type=named,
        default=".",
        metavar="DIR",
        help="only logs in this folder may be read (default: the current folder)",
    )
    add_pack_options(parser)


def run(options: argparse.Namespace) -> int:
    """Serve until the client goes."""
    root = Path(options.root)
    if not root.is_dir():
        raise LogrulesError(f"{options.root}: no such folder")
    with needed(MCP, "logrules mcp"):
        from logrules.tools.mcp.server import serve
    serve(root.resolve(), chosen_pack(options, language="zh"))
    return 0
