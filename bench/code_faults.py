"""Which places check what the code around them hands in, or the framework's own state, by their words.

For these the vocabulary has no cause of their own: ``python-exception``, the answer for what a program's own code got
wrong, is what a reader would say of them as well. What could be a setting, a file or a version is not among them.
"""

import re

_PARTS = (
    r"(?:rows?|columns?|width|heads?|slots?|indices|index|pages?|blocks?|buffers?|offsets?|pointers?|tokens?|cursor"
    r"|bucket|chunk|microbatch|stage|handle)"
)
_SAID = r"[^.]{1,120}?"
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
# The same in more words of newer releases: rows and slots, objects and requests, the order of calls.
_ROWS = (
    r"!=|\b\w+ mismatch\b|\b[Mm]ismatch(?:ed)? (?:in|between|of)\b",
    r"\b(?:count|rows?|dtypes?|hash|keys?) (?:\w+ ){0,3}(?:disagrees?|differs?)\b",
    rf"\b{_PARTS}\b.{{0,60}}\b(?:exceeds?|outside|expects?|holds?|must|needed|overflow|missing|unset|incomplete)\b",
    rf"\b{_PARTS}\b.{{0,60}}\b(?:too (?:small|short|large|narrow)|invalid|empty|duplicate|without)\b",
    rf"\b{_PARTS}\b.{{0,60}}\bnot (?:allocated|registered|owned?|aligned|prepared|bound|saved|assigned|even)\b",
    r"\baligned\b|\balignment\b|\b[KM]-major\b|\bchannel-last\b|\bin-?place\b|\baliasing\b|\bUnsupported layout\b",
    r"\b(?:hidden_states|logits|input_ids|inputs_embeds|pixel_values|position_ids)\b",
    r"\b(?:seq_?lens?|token_ids?|topk_\w+|block_ids)\b",
    r"\b(?:invalid|unsupported) (?:input|call) for\b|\b[Ee]mpty (?:bucket|list|attention|batch)\b|\bcannot be empty\b",
)
_OBJECTS = (
    r"\bsubclass(?:es)?\b|\bdecorat(?:ed?|ing|or)\b|\bcallable\b|\bTreeSpec\b|\bpytree\b|\b__\w+__\b|\bvalid length\b",
    r"\bunexpected (?:keyword|positional|kwargs|args)\b|\bUnexpected keyword\b|\b[Mm]issing required argument\b",
    rf"\b(?:[Ee]xpect(?:s|ed|ing)?|must (?:return|be)|should be) {_SAID}[,;] (?:but )?(?:got|found|it returned)\b",
    r"\bYou (?:have to|cannot|must) specify (?:either |both )?\w*(?:input|pixel|embeds)\w*",
    r"\bnot part of group\b|\binvalid (?:root|peer)\b",
    # One request of an engine, and what came with it.
    r"\b[Rr]equests?\b.{0,30}\b(?:IDs?|id|disconnected|cancelled|aborted)\b|\bper request\b|\bat least one request\b",
    r"\b(?:images?|videos?|audio|vision|multimodal)\b.{0,60}\b(?:supported|requires?|provided|must|missing|mixed|only)\b",
    r"\bModel \S+ is not for \w|\btool calls?\b|\bmessages?\b.{0,40}\b(?:role|per)\b|\bUnsupported role\b",
)
_ORDER = (
    r"\bto (?:not )?be (?:not )?None\b|\b(?:is|are|got) (?:not )?None\b|\bnullptr\b|\bNULL\b|\bis null\b",
    r"\bcalled (?:before|without|after|when|twice|on a)\b|\bhas (?:already )?been called\b",
    r"\bMust call\b|\bcall \w+ first\b|\b(?:before|without) (?:first )?(?:calling|running|finishing|receiving)\b",
    r"\b(?:before|without) (?:executing|an? active|allocating|set_\w+)\b|\btwice\b|\bmore than once\b|\bstale\b",
    r"\b[Ii]nvariant\b|\bun(?:consumed|joined|handled)\b|\bhas not been (?:bound|prepared|consolidated)\b",
    r"\bis (?:already )?(?:closed|queued|pinned|built)\b|\bto be in states?\b|\bfrom state \w+\b",
    r"\bhas been (?:destroyed|released|freed|mutated|invalidated)\b",
    r"\b[Dd]uplicate (?:\w+ )?(?:request|lease|room|ID|key)\b",
    r"\bgraph (?:piece|replay)\b|\bbefore (?:CUDA )?graph capture\b|\bcaptured (?:bounds|bucket)\b",
)
_OF_CODE = re.compile("|".join((*_TENSORS, *_ARGUMENTS, *_STATE, *_ROWS, *_OBJECTS, *_ORDER)))


def is_of_code(message: str) -> bool:
    """Whether the words are about what code handed in or about the framework's own state."""
    return _OF_CODE.search(message) is not None
