"""Options of engines: the lines in which engines list them, and the values that they allow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kogoma.lab.engines.options import (
    Button,
    Check,
    Combo,
    Filename,
    Option,
    Spin,
    String,
    find_option,
    parse_feature,
    parse_option,
    read_value,
)
from kogoma.usi_engine.options import OPTIONS

pytestmark = pytest.mark.quick

LINES = {
    "name Threads type spin default 1 min 1 max 256": Spin("Threads", 1, 1, 256),
    "name Two Words type spin max 9 min -9": Spin("Two Words", None, -9, 9),
    "name A type spin default 5 min 9 max 1": String("A", "5 min 9 max 1"),
    "name A type spin default 5": String("A", "5"),
    "name A type spin default x min 0.5 max 1": String("A", "x min 0.5 max 1"),
    "name Ponder type check default true": Check("Ponder", True),
    "name Ponder type check": Check("Ponder", None),
    "name Style type combo default very solid var very solid var risky": Combo(
        "Style", "very solid", ("very solid", "risky")
    ),
    "name Style type combo var a var b default b": Combo("Style", "b", ("a", "b")),
    "name Style type combo var  var a var a": Combo("Style", None, ("a",)),
    "name Style type combo default x": String("Style", "x"),
    "name Clear Hash type button": Button("Clear Hash"),
    "name Book type string default <empty>": String("Book", "<empty>"),
    "name Book type string": String("Book", None),
    "name Book type string default": String("Book", ""),
    "name Eval type filename default my files/min max": Filename("Eval", "my files/min max"),
    "name Odd type slider default 3 min 1 max 5": String("Odd", "3 min 1 max 5"),
    "name Odd": String("Odd", None),
    "name Odd type": String("Odd type", None),
    "name": None,
}
FEATURES = {
    "Threads -spin 1 1 256": Spin("Threads", 1, 1, 256),
    "Two Words -slider 0 -5 5": Spin("Two Words", 0, -5, 5),
    "Threads -spin 1 8 2": String("Threads", "1 8 2"),
    "Threads -spin": String("Threads", ""),
    "Ponder -check 1": Check("Ponder", True),
    "Ponder -check": Check("Ponder", None),
    "Style -combo solid /// *very risky /// odd": Combo("Style", "very risky", ("solid", "very risky", "odd")),
    "Style -combo a///b": Combo("Style", None, ("a", "b")),
    "Style -combo": String("Style", ""),
    "Clear -button": Button("Clear"),
    "Save all -save": Button("Save all"),
    "Reset -reset": Button("Reset"),
    "Name -string what is this": String("Name", "what is this"),
    "Book -file /a b/c": Filename("Book", "/a b/c"),
    "Tables -path /a": Filename("Tables", "/a"),
    "Odd -unknown 1": String("Odd -unknown 1", None),
    "Odd": String("Odd", None),
    " ": None,
}


@pytest.mark.parametrize("line", LINES)
def test_an_option_line(line: str) -> None:
    assert parse_option(f"option {line}") == LINES[line]


@pytest.mark.parametrize("text", FEATURES)
def test_an_option_of_xboard(text: str) -> None:
    assert parse_feature(text) == FEATURES[text]


@pytest.mark.parametrize("option", OPTIONS.values(), ids=str)
def test_our_own_option_lines_are_read_again(option: Option) -> None:
    found = parse_option(str(option))
    assert type(found) is type(option) and str(found) == str(option)


WORDS = ("name", "type", "default", "min", "max", "var", "spin", "check", "combo", "button", "-spin", "-combo", "///")
TEXTS = st.lists(st.sampled_from(WORDS) | st.integers().map(str) | st.text(max_size=5), max_size=12).map(" ".join)


@pytest.mark.long
@given(TEXTS, TEXTS)
def test_any_line_gives_an_option_that_can_be_shown_and_set(line: str, value: str) -> None:
    for option in (parse_option(f"option name {line}"), parse_feature(line)):
        if option is not None:
            assert option.name and option.name == option.name.strip()
            assert option.name in str(option) and str(option.refused(value))
            try:
                found = option.read(value)
            except ValueError:
                assert not isinstance(option, String) or not value.isprintable()
            else:
                assert read_value({option.name: option}, option.name, value)[1] in (found, value)


def test_values_are_read_and_refused() -> None:
    options = {
        option.name: option
        for option in (
            Spin("Hash", 1, 1, 64),
            Check("Ponder", None),
            Combo("Style", "Solid", ("Solid", "solid", "Risky")),
            Button("Clear"),
            String("Any", ""),
            Spin("hash", 1, 1, 8),
        )
    }
    for name, text, value in (
        ("Hash", "64", 64),
        ("hash", "+8", 8),
        ("HASH", "9", 9),
        ("ponder", "TRUE", True),
        ("Ponder", "0", False),
        ("style", "risky", "Risky"),
        ("style", "solid", "solid"),
        ("style", "SOLID", "Solid"),
        ("Clear", "", ""),
        ("Any", "a b ", "a b "),
    ):
        proper, found = read_value(options, name, text)
        assert (find_option(options, name), found) == (options[proper], value) and type(found) is type(value)
    for name, text, told in (
        ("Hash", "abc", "the option Hash must be a whole number from 1 to 64, not 'abc'"),
        ("hash", "9", "the option hash must be a whole number from 1 to 8, not '9'"),
        ("Ponder", "maybe", "the option Ponder must be true or false, not 'maybe'"),
        ("Style", "none", "the option Style must be one of Solid, solid, Risky, not 'none'"),
        ("Clear", "1", "the option Clear must be without a value, not '1'"),
        ("Any", "a\nquit", "the option Any must be text in one line, not 'a\\nquit'"),
        ("Thread", "1", "there is no option 'Thread'; the options are Hash, Ponder, Style, Clear, Any, hash"),
    ):
        with pytest.raises(ValueError) as error:
            read_value(options, name, text)
        assert str(error.value) == told
    with pytest.raises(ValueError, match="the engine lists no options"):
        read_value({}, "Hash", "1")
