"""How sure a diagnosis is, in words and counts: the only place that turns the number into words."""

from logrules.model.report import Diagnosis, Text

# From this certainty on it is told in these words.
_WORDS = (
    (0.9, Text("almost certain", "几乎可以确定")),
    (0.75, Text("likely", "很可能")),
    (0.5, Text("possible", "有可能")),
    (0.0, Text("a guess", "仅为猜测")),
)
# Of fewer labelled logs than these the strongest word is not said, and no count: it would speak for chance.
_MIN_LOGS = 5
_RIGHT = Text("right in {right} of {of} labelled logs", "在 {of} 份标注日志中判断正确 {right} 份")
_LITTLE_MEASURED = Text("little measured", "实测很少")
_NOT_MEASURED = Text("not measured", "尚无实测")


def certainty_in_words(one: Diagnosis, language: str) -> str:
    """Word and counts: "likely (right in 11 of 12 labelled logs)", "possible (little measured)"."""
    words = _WORDS if one.measured[1] >= _MIN_LOGS else _WORDS[1:]
    word = next((word for least, word in words if one.confidence >= least), _WORDS[-1][1])
    if language == "zh":
        return f"{word.zh}（{_record_in_words(one, language)}）"
    return f"{word.en} ({_record_in_words(one, language)})"


def _record_in_words(one: Diagnosis, language: str) -> str:
    """In how many labelled logs the rule was right when it came first, where these are enough to say something."""
    right, seen = one.measured
    if seen < _MIN_LOGS:
        return (_LITTLE_MEASURED if seen else _NOT_MEASURED).of(language)
    return _RIGHT.of(language).format(right=right, of=seen)
