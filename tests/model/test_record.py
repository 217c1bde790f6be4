"""Records: dataclasses in all that anybody sees of them, frozen or not."""

import copy
import pickle
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, asdict, dataclass, fields, is_dataclass
from dataclasses import replace as dataclass_replace
from typing import ClassVar

import pytest

from logrules.model.record import field, keyed_record, mutable_record, record, replace


@record
class Point:
    """Two numbers."""

    x: int
    y: int = 2


@record
class Named(Point):
    """And a name."""

    kind: ClassVar[str] = "named"
    name: str = "origin"
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def shout(self) -> str:
        """The name, loud."""
        return self.name.upper()


@record
class Empty:
    """Nothing at all."""


@record
class One:
    """A single field."""

    only: object


@dataclass(frozen=True, slots=True)
class Ordinary:
    """What `dataclasses` makes of the fields of `Point`."""

    x: int
    y: int = 2


@keyed_record
class Form:
    """A text, which has a default."""

    text: str = ""


@keyed_record
class NamedForm(Form):
    """And a name, which has none."""

    name: str
    near: tuple[str, ...] = ()


@mutable_record
class Tally:
    """A count that grows, and whose it is."""

    of: str
    count: int = 0
    lines: list[int] = field(default_factory=list)


def test_fields_are_given_by_place_by_name_or_by_default():
    assert (Point(1).y, Point(1, 3).y, Point(y=4, x=0).y) == (2, 4 - 1, 4)
    assert Named(1).shout == "ORIGIN"
    assert (Named.kind, Named(1).kind) == ("named", "named")
    assert Named(1).facts == {}
    assert Named(1).facts is not Named(1).facts


@pytest.mark.parametrize(("given", "named"), [((), {}), ((1, 2, 3), {}), ((1,), {"z": 1}), ((1,), {"x": 1})])
def test_what_is_missing_or_unknown_is_refused(given, named):
    with pytest.raises(TypeError):
        Point(*given, **named)


def test_what_is_refused_is_said_with_the_names_of_class_and_field():
    with pytest.raises(TypeError, match=r"Point\.__init__\(\) missing 1 required positional argument: 'x'"):
        Point()
    with pytest.raises(TypeError, match=r"Point\.__init__\(\) got an unexpected keyword argument 'z'"):
        replace(Point(1), z=3)


def test_equality_and_hash_go_by_class_and_values():
    assert Point(1) == Point(1, 2)
    assert hash(Point(1)) == hash(Point(1, 2)) == hash(Ordinary(1))
    assert Point(1) != Point(2)
    assert Point(1) != Ordinary(1)
    assert Named(1) != Point(1)
    assert (Empty(), One("a")) == (Empty(), One("a"))
    assert len({One("a"), One("a"), One("b"), Empty(), Empty()}) == 3


@pytest.mark.parametrize("value", [Point(1), Named(3, name="a")])
def test_it_cannot_be_changed(value):
    with pytest.raises(FrozenInstanceError):
        value.x = 5
    with pytest.raises(FrozenInstanceError):
        del value.x
    with pytest.raises(FrozenInstanceError):
        value.new = 5
    assert not hasattr(value, "__dict__")


@pytest.mark.parametrize("value", [Point(1), Named(3, 4, "a", {"b": "c"}), Empty(), One(None)])
def test_it_is_copied_and_sent(value):
    assert copy.deepcopy(value) == value
    assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301 (our own)


def test_tools_for_dataclasses_know_it():
    assert is_dataclass(Point)
    assert [one.name for one in fields(Named)] == ["x", "y", "name", "facts"]
    assert fields(Named)[3].default_factory is dict
    assert (fields(Point)[1].type, fields(Point)[1].default) == (int, 2)
    assert asdict(Named(1, facts={"a": "b"})) == {"x": 1, "y": 2, "name": "origin", "facts": {"a": "b"}}
    assert dataclass_replace(Point(1), y=7) == replace(Point(1), y=7) == Point(1, 7)
    assert repr(Point(1)) == repr(Ordinary(1)).replace("Ordinary", "Point")
    match Point(1, 5):
        case Point(1, y):
            assert y == 5


def test_a_mutable_record_changes_and_has_no_hash():
    tally = Tally("rank 0")
    tally.count += 2
    tally.lines.append(7)
    assert tally == Tally("rank 0", 2, [7])
    assert Tally("rank 0") != tally
    assert repr(tally) == "Tally(of='rank 0', count=2, lines=[7])"
    assert copy.deepcopy(tally) == pickle.loads(pickle.dumps(tally)) == tally  # noqa: S301 (our own)
    with pytest.raises(TypeError, match="unhashable"):
        hash(tally)
    with pytest.raises(AttributeError):
        tally.new = 1


def test_of_a_keyed_record_fields_without_a_default_may_stand_behind_others():
    known = NamedForm(name="a")
    assert (known.text, known.name, known.near) == ("", "a", ())
    assert replace(known, text="b") == NamedForm(name="a", text="b") != known
    assert copy.deepcopy(known) == pickle.loads(pickle.dumps(known)) == known  # noqa: S301 (our own)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'name'"):
        NamedForm(text="b")
