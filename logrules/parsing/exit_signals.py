"""Signals by name, by number and by the words of strsignal(3), the same on every machine that reads a log."""

# Linux numbers; those that a job ends by. The words are those of glibc, first, and of other C libraries.
_SIGNALS: tuple[tuple[str, int, tuple[str, ...]], ...] = (
    ("SIGHUP", 1, ("hangup",)),
    ("SIGINT", 2, ("interrupt",)),
    ("SIGQUIT", 3, ("quit",)),
    ("SIGILL", 4, ("illegal instruction",)),
    ("SIGTRAP", 5, ("trace/breakpoint trap", "trace trap")),
    ("SIGABRT", 6, ("aborted", "abort trap", "abort")),
    ("SIGBUS", 7, ("bus error",)),
    ("SIGFPE", 8, ("floating point exception", "floating-point exception", "arithmetic exception")),
    ("SIGKILL", 9, ("killed",)),
    ("SIGUSR1", 10, ("user defined signal 1",)),
    ("SIGSEGV", 11, ("segmentation fault", "segmentation violation", "segfault")),
    ("SIGUSR2", 12, ("user defined signal 2",)),
    ("SIGPIPE", 13, ("broken pipe",)),
    ("SIGALRM", 14, ("alarm clock",)),
    ("SIGTERM", 15, ("terminated",)),
    ("SIGXCPU", 24, ("cpu time limit exceeded",)),
    ("SIGXFSZ", 25, ("file size limit exceeded",)),
    ("SIGSYS", 31, ("bad system call",)),
)
_NAMES = {number: name for name, number, _ in _SIGNALS}
_NUMBERS = {word: number for name, number, words in _SIGNALS for word in (name.lower(), name[3:].lower(), *words)}
# A process that shells report with 128 + n died by signal n; real-time signals end at 64.
_SHELL_OFFSET = 128
_LAST_SIGNAL = 64
_STATUS_VALUES = 256
# Windows ends a process with a status of its kernel (NTSTATUS), printed with a sign or without: the signal that it is.
_WINDOWS = {
    0xC0000005: 11,  # access violation
    0xC000001D: 4,  # illegal instruction
    0xC0000094: 8,  # division of whole numbers by zero
    0xC00000FD: 11,  # stack overflow
    0xC000013A: 2,  # Ctrl-C
    0xC0000374: 6,  # damaged heap, found by the allocator
    0xC0000409: 6,  # abort() and failed checks of the C library
}
_WINDOWS_BITS = 0xFFFFFFFF
# Signals whose negative number in a byte can hardly be a status that a program chose, as 255 and 254 are.
_WRAPPED = frozenset((6, 7, 8, 9, 11, 15))


def signal_name(number: int) -> str | None:
    """The name of a signal's number, or None for one that ends no job."""
    return _NAMES.get(number)


def signal_number(text: str) -> int | None:
    """The number of a signal told as ``9``, ``SIGKILL``, ``KILL`` or ``Killed``, or None."""
    text = text.strip().rstrip(".").lower()
    if text.isdecimal():
        number = int(text[:4])
        return number if 0 < number <= _LAST_SIGNAL else None
    return _NUMBERS.get(text)


def normal_code(code: int) -> int:
    """An exit status as its meaning: minus the signal's number where a process died by one, also for 128 + n.

    Statuses of launchers that wrap a negative number into a byte (247 for -9) are undone.
    """
    if (number := _WINDOWS.get(code & _WINDOWS_BITS)) is not None:
        return -number
    if code < 0:
        return code
    if _SHELL_OFFSET < code <= _SHELL_OFFSET + _LAST_SIGNAL and code - _SHELL_OFFSET in _NAMES:
        return _SHELL_OFFSET - code
    if _STATUS_VALUES - code in _WRAPPED:
        return code - _STATUS_VALUES
    return code
