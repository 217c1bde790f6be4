"""`logrules completion`: a script that completes verbs, options and their choices in a shell."""

import argparse
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from logrules.model.errors import LogrulesError

ABOUT = "print a shell completion script"
_EXAMPLES = """examples:
  logrules completion bash > ~/.local/share/bash-completion/completions/logrules
  source <(logrules completion zsh)     in ~/.zshrc, after compinit
  logrules completion fish > ~/.config/fish/completions/logrules.fish"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.epilog = _EXAMPLES
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="your shell")


def run(options: argparse.Namespace) -> int:
    """Print the script."""
    print(_SCRIPTS[options.shell](_parsers()), end="")
    return 0


def _parsers() -> dict[str, argparse.ArgumentParser]:
    """Every verb that is installed and can be loaded, with its options."""
    from logrules.cli.extension import installed_verbs, verb
    from logrules.cli.main import VERBS

    modules = {name: module for name, (module, _) in VERBS.items()}
    found: dict[str, argparse.ArgumentParser] = {}
    for name, module in {**installed_verbs(), **modules}.items():
        parser = argparse.ArgumentParser(prog=f"logrules {name}")
        with suppress(LogrulesError, AttributeError):
            verb(name, module).add_options(parser)
            found[name] = parser
    return dict(sorted(found.items()))


def _options(parser: argparse.ArgumentParser) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Each option, what may follow it where that is one of a few words, and what it is for."""
    for action in parser._actions:  # noqa: SLF001 (argparse has no other way to ask)
        choices = tuple(map(str, action.choices)) if action.choices is not None else ()
        for name in action.option_strings:
            yield name, choices, (action.help or "").replace("%%", "%")


def _bash(parsers: Mapping[str, argparse.ArgumentParser]) -> str:
    """A function that looks up the verb and the word before: words of ours, else files."""
    lines = [
        "_logrules() {",
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=",
        "  COMPREPLY=()",
        f'  if [ "$COMP_CWORD" -eq 1 ]; then words="{" ".join(parsers)} --help --version"',
        '  else case "${COMP_WORDS[1]} $before" in',
    ]
    for verb, parser in parsers.items():
        lines += [
            f'    "{verb} {name}") words="{" ".join(choices)}" ;;' for name, choices, _ in _options(parser) if choices
        ]
    lines += ['    *) case "$word${COMP_WORDS[1]}" in']
    lines += [
        f'      -*{verb}) words="{" ".join(name for name, _, _ in _options(parser))}" ;;'
        for verb, parser in parsers.items()
    ]
    lines += [
        "    esac ;;",
        "  esac; fi",
        '  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$word"))',
        '  else COMPREPLY=($(compgen -f -- "$word")); fi',
        "}",
        "complete -o filenames -F _logrules logrules",
    ]
    return "\n".join(lines) + "\n"


def _zsh(parsers: Mapping[str, argparse.ArgumentParser]) -> str:
    """The function of bash, which zsh can call."""
    return "autoload -U +X bashcompinit && bashcompinit\n" + _bash(parsers)


def _fish(parsers: Mapping[str, argparse.ArgumentParser]) -> str:
    """A line an option."""
    lines = [f"complete -c logrules -n __fish_use_subcommand -f -a '{' '.join(parsers)}'"]
    for verb, parser in parsers.items():
        for name, choices, about in _options(parser):
            flag = f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
            values = f" -x -a '{' '.join(choices)}'" if choices else ""
            said = about.replace("\\", "\\\\").replace("'", "\\'")
            lines.append(f"complete -c logrules -n '__fish_seen_subcommand_from {verb}' {flag}{values} -d '{said}'")
    return "\n".join(lines) + "\n"


_SCRIPTS: Mapping[str, Callable[[Mapping[str, argparse.ArgumentParser]], str]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}
