"""What speaks for a secret and against it is one sum."""

import pytest

from logrules.tools.bundle.score import Name, Place, is_secret, score


@pytest.mark.parametrize(
    ("name", "place", "value", "is_one"),
    [
        (Name.PASSWORD, Place.SET, "tulips", True),
        (Name.PASSWORD, Place.SET, "482913", True),
        (Name.PASSWORD, Place.SET, "missing", False),
        (Name.PASSWORD, Place.SET, "ab", False),
        (Name.PASSWORD, Place.SAID, "rotating", False),
        (Name.PASSWORD, Place.SAID, "tulip-field", True),
        (Name.PASSWORD, Place.APART, "policy", False),
        (Name.PASSWORD, Place.APART, "tulipfield42", True),
        (Name.KEY, Place.SET, "tulips", True),
        (Name.KEY, Place.SET, "4829", False),
        (Name.KEY, Place.IN_PROSE, "dq7Rk2Vx", False),
        (Name.KEY, Place.FAR, "dq7Rk2Vx", True),
        (Name.KEY, Place.IN_PROSE, "3fa8c01b22d43fa8c01b22d4", False),
        (Name.ISSUED, Place.SET, "tulipfield42", True),
        (Name.ISSUED, Place.SET, "per-layer", False),
        (Name.HINT, Place.SET, "tulipfield42", False),
        (Name.HINT, Place.SET, "dq7Rk2Vx9", True),
        (Name.RESOURCE, Place.SET, "hub-login", False),
        (Name.ANY_KEY, Place.SET, "3fa8c01b22d43fa8c01b22d4", False),
        (Name.NONE, Place.ALONE, "dq7Rk2Vx9Wm4TzLp8Yc5Nb6Hs1Gd", True),
        (Name.NONE, Place.ALONE, "cudaLaunchKernelExC_v11060_ptsz", False),
        (Name.HARMLESS, Place.SET, "dq7Rk2Vx9Wm4TzLp8Yc5Nb6Hs1Gd", False),
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
    points = [score(Name.NONE, Place.ALONE, value) for value in looks]
    assert points == sorted(points)
