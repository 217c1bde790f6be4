"""How sure a diagnosis is: a small model fitted on labelled logs, never a number written by hand.

The parameters are data (rules/certainty.yaml), fitted by ``bench/fit_certainty.py`` and measured with whole sources of
logs left out. A rule's own record on labelled logs is shown beside it but is not a feature: on left-out sources, the
fit without it was better calibrated.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from math import exp

from logrules.inference.hypothesis import Ranked
from logrules.ruleset.tables import CertaintyModel

_FULL_RIVALS = 3


def features(ranked: Sequence[Ranked], place: int, reactions: frozenset[str]) -> Mapping[str, float]:
    """The features of the certainty of the diagnosis at ``place``, each from 0 to 1.

    ``reactions`` are the tiers whose causes may be logged before what brought them about.
    """
    one = ranked[place]
    hypothesis = one.hypothesis
    if hypothesis.supposed or hypothesis.worded:
        # It uses the lines of another, or only guesses what they mean: how specific those are says nothing about it.
        # What stands in front of silence is what its log says last to be waiting for, or doing.
        return {"supposed": 1.0, "in_front": float(place == 0 and hypothesis.supposed)}
    others = (other.hypothesis for other in ranked if other is not one)
    rivals = (it for it in others if it.severity is hypothesis.severity and not (it.survived or it.supposed))
    return {
        "bias": 1.0,
        "later": float(place > 0),
        "reaction": float(hypothesis.rule.tier in reactions),
        "rivals": len(list(islice(rivals, _FULL_RIVALS))) / _FULL_RIVALS,
    }


def certainty(model: CertaintyModel, found: Mapping[str, float]) -> float:
    """How likely the diagnosis names the root cause, from 0 to 1."""
    score = sum(model.weights.get(name, 0.0) * value for name, value in found.items())
    return round(1.0 / (1.0 + exp(-max(-30.0, min(30.0, score)))), 3)
