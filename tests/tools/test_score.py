"""What speaks for a secret and against it is one sum."""

import pytest

from logrules.tools.bundle.redact import Redactor
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
        (Name.KEY, Relation.SET, "4829", True),
        (Name.KEY, Relation.SET, "4", False),
        (Name.PASSWORD, Relation.QUOTED, "4829", True),
        (Name.KEY, Relation.IN_PROSE, "dq7Rk2Vx", False),
        (Name.KEY, Relation.FAR, "dq7Rk2Vx", True),
        (Name.KEY, Relation.IN_PROSE, "3fa8c01b22d43fa8c01b22d4", False),
        (Name.ISSUED, Relation.SET, "tulipfield42", True),
        (Name.ISSUED, Relation.SET, "per-layer", False),
        (Name.HINT, Relation.SET, "tulipfield42", False),
        (Name.HINT, Relation.SET, "dq7Rk2Vx9", True),
        (Name.RESOURCE, Relation.SET, "hub-login", False),
        (Name.RESOURCE, Relation.SET, "hub-login-dq7rk2vx9", False),
        (Name.RESOURCE, Relation.SET, "HubLogin", False),
        (Name.RESOURCE, Relation.SET, "t0lip5&fields", True),
        (Name.RESOURCE, Relation.OF_SOMEBODY, "t0lip5&fields", True),
        (Name.RESOURCE, Relation.BESIDE, "t0lip5&fields", True),
        (Name.RESOURCE, Relation.APART, "dq7Rk2Vx9Wm4", True),
        (Name.RESOURCE, Relation.SAID, "dq7Rk2Vx9Wm4", True),
        (Name.BARE, Relation.SET, "t0lip5&fields", True),
        (Name.BARE, Relation.SET, "tulip&fields7", False),
        (Name.ISSUED, Relation.SAID, "Tulips2024!", True),
        (Name.SIGNATURE, Relation.SET, "Tulips2024!", True),
        (Name.KEY, Relation.SET, "-dq7Rk2Vx9Wm4-TzLp8Y", True),
        (Name.KEY, Relation.SET, "--learning-rate", False),
        (Name.KEY, Relation.SET, "-x", False),
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
        "t0lip5&fields",
        "dq7Rk2Vx9Wm4T",
        "dq7Rk2Vx9Wm4TzLp8",
    )
    points = [score(Name.NONE, Relation.ALONE, value) for value in looks]
    assert points == sorted(points)


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("secret=t0lip5&fields", "t0lip5&fields"),
        ("token: t0lip5&fields", "t0lip5&fields"),
        ("<secret>tulip@f13ld</secret>", "tulip@f13ld"),
        ("the secret for root is T0lip5!field", "T0lip5!field"),
        ("using credentials (tulip@f13ld)", "tulip@f13ld"),
        ("secret DqHrk7RkxVxB", "DqHrk7RkxVxB"),
        ("using secret (DqHrk7RkxVxB)", "DqHrk7RkxVxB"),
        ("credential: -Dq7Rk2Vx9KexE6GX81i4", "-Dq7Rk2Vx9KexE6GX81i4"),
        ("pwd=[QXWPNFDWFWGM]", "QXWPNFDWFWGM"),
        ("auth=[RqHuxv6RkD]", "RqHuxv6RkD"),
        ("my DB_PW was set to Tulips2024!", "Tulips2024!"),
        ("my wandb_key was set to gqIRTLHRIs", "gqIRTLHRIs"),
        ("DB_PW Tulips2024!", "Tulips2024!"),
        ('"client_secret": "4829"', "4829"),
        ("密钥: 4829", "4829"),
        ("signature = 'T0lip5!field'", "T0lip5!field"),
    ],
)
def test_a_value_beside_its_name_goes_whole(line, secret):
    before, _, behind = line.partition(secret)
    clean = Redactor().redact({"log": line})[0]["log"]
    assert clean.startswith(f"{before}[redacted: ")
    assert clean.endswith(f"]{behind}")


@pytest.mark.parametrize(
    "line",
    [
        "secret: hub-login",
        "imagePullSecret: hub-login-7f9k2x",
        "credentials: GoogleCredentials",
        "the secret is mounted!",
        "auth=[basic, digest]",
        "FLOPs per token: 4.829157e+06",
        "token=[batch]",
        "access_key: 4",
        "api_key --learning-rate 3",
    ],
)
def test_the_name_of_a_resource_a_list_and_an_option_stay(line):
    assert Redactor().redact({"log": line})[0]["log"] == line
