"""Text that we hold already, as a saved log."""

from logrules.model.stream import Block, End


class MemorySource:
    """A log of this name and text; no file has it."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self._data: bytes | None = text.encode(errors="replace")

    def read(self, until: float | None) -> Block | End:  # noqa: ARG002 (saved input never waits)
        """The whole text, then the end."""
        data, self._data = self._data, None
        return Block(self.name, 0, data) if data else End()
