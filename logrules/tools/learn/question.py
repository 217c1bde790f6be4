"""The question that only a person can answer before a draft becomes a rule."""

from logrules.tools.learn.failure_group import FailureGroup

_NAMED = 3


def question_of(group: FailureGroup) -> str:
    """One question, on one line, of printable letters."""
    first = group.telling[0]
    may_be = ", ".join(group.may_be[:_NAMED])
    kind = first.type.rpartition(".")[2]
    frame = group.jobs[0].summary.frame
    if first.component is not None:
        said = f"What makes {first.component} raise {kind} here: {may_be or 'a setting, a version or the data'}?"
    elif kind and frame:
        said = f"Is {kind} in {frame} a mistake of that code, or of what it was given ({may_be or 'settings or data'})?"
    elif kind:
        said = f"Which cause of `logrules explain --causes` lets this {kind} come ({may_be or 'none is likelier'})?"
    else:
        said = "Does this line end the job, or only tell of it? Name the cause (`logrules explain --causes`)."
    return "".join(letter if letter.isprintable() else " " for letter in said)
