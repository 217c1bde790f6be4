"""Which places check what the code around them hands in, or the framework's own state, by their words.

For these the vocabulary has no cause of their own: ``python-exception``, the answer for what a program's own code got
wrong, is what a reader would say of them as well. What could be a setting, a file or a version is not among them.
"""

import re

_TENSORS = (
    r"\b[Ss]hapes?\b",
    r"\b[Dd]imensions?\b|\bdims?\b|\bndim\b|\bnumel\b|\b\d-?(?:[Dd]|dimensional)\b",
    r"[Cc]ontiguous|\b[Ss]trided?s?\b",
    r"\b[Tt]ensors?\b[^.]{0,80}\b(?:must|should|expects?|need|same|have|were|got)\b",
    r"\b(?:must|should|to) be (?:an? |on )?(?:the )?(?:same )?\w* ?(?:tensors?|devices?|GPU)\b",
    r"\b(?:same|different|identical) (?:dtype|type|device|size|length|number)",
    r"\b[Ee]xpect(?:s|ed)? (?:an? |the )?(?:\w+ ){0,3}(?:tensors?|ndarray|array|np\.\w+)\b",
    r"\b(?:[Ss]izes?|[Nn]umber of \w+|[Ll]engths?|batch)\b.{0,60}\b(?:mismatch\w*|match|equal|differs?|rather)\b",
    r"\bout of (?:range|bounds)\b|\bInvalid dim\b",
    r"\b(?:one|two|three|four)-dimensional\b|\brow-major\b|\bmust be (?:a )?matri\w+|\bsparsity pattern\b",
    r"\b(?:must|needs? to|should|has to) be (?:in )?(?:u?int|b?float|fp|bf)\d+\b|\b(?:cu_)?seqlens\b",
    r"\bdtypes?\b[^.]{0,60}\b(?:must|should|needs?|expects?|got|match|instead)\b|\blen\([\w.]+\) ?(?:must|should|=)",
)
_ARGUMENTS = (
    r"\b(?:must|should|has to|needs to) be (?:an? |of type |either )?(?:instance|list|tuple|dict|callable|ndarray)\b",
    r"\b(?:must|should|has to|needs to) be (?:an? |of type )?(?:torch\.\w+|nn\.Module|np\.\w+)\b",
    r"\b(?:[Ii]ncorrect|[Ii]nvalid|[Uu]nexpected) (?:\w+ ){0,2}(?:type|object|instance)\b",
    r"\bgot type\b|\bis not (?:subscriptable|callable)\b",
    r"\b[Ee]xpected .{1,60}\b(?:got|but found|received) ",
    r"\bexpects? (?:py_obj|a callable|an? (?:list|bool|int|integer|string|float))\b",
    r"\b(?:is not|should not be) a sequence\b|\bUnion\[|\bto pickle\b|\bis not a scalar\b",
    r"\btakes a single tensor\b|\bhas to be dense\b|\bon complex tensors\b",
    r"\b[Nn]o (?:devices?|tensors?)(?:\(s\))? (?:specified|provided)\b",
    r"\bexactly one of\b|\bInvalid (?:src|dst|source|destination) rank\b",
)
_STATE = (
    r"\bunreachable\b|\b[Ss]hould(?: not|n't| never) (?:have )?(?:happen|reach|be called)\b|\bimpossible\b",
    r"\b(?:file|open) an issue\b|\b[Pp]lease (?:report|file)\b|\b[Ii]nternal [Ee]rror\b|[Cc]oding error|TO DEVELOPER",
    r"\balready (?:been )?(?:initiali[sz]ed|started|registered|running|done)\b|\bhas been registered\b",
    r"\b(?:not|never)(?: been| yet)? (?:initiali[sz]ed|started|activated|materiali[sz]ed|built)\b",
    r"\bCall \S+\(\) (?:first|instead|before)\b|\bOnly (?:readers?|writers?) can\b",
    r"\bmust be called\b|\bcannot be called\b|\bRwLock\b.{0,60}\bpoisoned\b",
    r"\bRRefs?\b|\bautograd context\b",
    r"\bGroup \S+ is (?:not found|destroyed)\b|\bcommunicator is created to work on\b",
)
_OF_CODE = re.compile("|".join((*_TENSORS, *_ARGUMENTS, *_STATE)))


def is_of_code(message: str) -> bool:
    """Whether the words are about what code handed in or about the framework's own state."""
    return _OF_CODE.search(message) is not None
