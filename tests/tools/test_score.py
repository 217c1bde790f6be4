"""What speaks for a secret and against it is one sum."""

import pytest

from logrules.tools.bundle.score import Name, Relation, is_secret, score


@pytest.mark.parametrize(
    ("name", "place", "value", "is_one"),
    [
        (Name.PASSWORD, Relation.SET, "tulips", True),
        (Name.PASSWORD, Relation.SET, "482913", True),
        (Name.PASSWORD, Relation.SET, "missing", False),
        (Name.PASSWORD, Relation.SET, "ab", False),
        (Name.PASSWORD, Relation.SAID, "rotating", False),
        (Name.PASSWORD, Relation.SAID, "tulip-field", True),
        (Name.PASSWORD, Relation.APART, "policy", False),
        (Name.PASSWORD, Relation.APART, "tulipfield42", True),
        (Name.KEY, Relation.SET, "tulips", True),
        (Name.KEY, Relation.SET, "4829", False),
        (Name.KEY, Relation.IN_PROSE, "dq7Rk2Vx", False),
        (Name.KEY, Relation.FAR, "dq7Rk2Vx", True),
        (Name.KEY, Relation.IN_PROSE, "3fa8c01b22d43fa8c01b22d4", False),
        (Name.ISSUED, Relation.SET, "tulipfield42", True),
        (Name.ISSUED, Relation.SET, "per-layer", False),
        (Name.HINT, Relation.SET, "tulipfield42", False),
        (Name.HINT, Relation.SET, "dq7Rk2Vx9", True),
        (Name.RESOURCE, Relation.SET, "hub-login", False),
        (Name.ANY_KEY, Relation.SET, "3fa8c01b22d43fa8c01b22d4", False),
        (Name.NONE, Relation.ALONE, "dq7Rk2Vx9Wm4TzLp8Yc5Nb6Hs1Gd", True),
        (Name.NONE, Relation.ALONE, "cudaLaunchKernelExC_v11060_ptsz", False),
        (Name.HARMLESS, Relation.SET, "dq7Rk2Vx9Wm4TzLp8Yc5Nb6Hs1Gd", False),
    ],
)
def test_a_name_a_place_and_a_look_decide_together(name, place, value, is_one):
    assert is_secret(name, place, value) == is_one


def test_each_more_telling_look_has_more_points():
    looks = (
        "482913",
        "tulips",
        "tulip-field",
        "tulipfield42",
        "a4$c",
        "dq7Rk2Vx9",
        "dq7Rk2Vx9Wm4T",
        "dq7Rk2Vx9Wm4TzLp8",
    )
    points = [score(Name.NONE, Relation.ALONE, value) for value in looks]
    assert points == sorted(points)
