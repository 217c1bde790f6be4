"""A file of the user's put into its new form."""

from pathlib import Path

from logrules.model.errors import LogrulesError
from logrules.output.atomic_write import replace_file


def rewrite(path: Path, content: bytes) -> None:
    """Put the new content in the place of the old. Raises LogrulesError; the file is then as it was."""
    try:
        replace_file(path, content)
    except OSError as fault:
        raise LogrulesError(f"{path}: cannot be written ({(fault.strerror or str(fault)).lower()})") from None
