"""Values of the contract's cases: what stands in braces, and what an answer must be like."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

NAME = re.compile(r"\{\{|\{([a-z]\w*(?:\.\w+)*)\}")


class Memory:
    """What a case saved, and what `$same` remembers."""

    def __init__(self, **saved: Any) -> None:
        self.saved: dict[str, Any] = saved
        self.same: dict[str, Any] = {}

    def fill(self, value: Any) -> Any:
        """Replaces `{name.field.0}` in every string."""
        if isinstance(value, str):
            whole = NAME.fullmatch(value)
            if whole and whole[1]:
                return self._find(whole[1])
            return NAME.sub(lambda found: str(self._find(found[1])) if found[1] else "{", value)
        if isinstance(value, dict):
            return {name: self.fill(inner) for name, inner in value.items()}
        return [self.fill(inner) for inner in value] if isinstance(value, list) else value

    def _find(self, path: str) -> Any:
        first, *rest = path.split(".")
        found = self.saved[first]
        for name in rest:
            found = found[int(name)] if isinstance(found, list) else found[name]
        return found


MISSING = object()


def difference(expected: Any, actual: Any, memory: Memory, at: str = "it") -> str | None:
    """Says how a value is not as expected; None when it is."""
    matcher = next(iter(expected), "") if isinstance(expected, dict) and len(expected) == 1 else ""
    if matcher.startswith("$"):
        return _differs_from(matcher, expected[matcher], actual, memory, at)
    if actual is MISSING:
        return f"{at} is not there"
    if isinstance(expected, dict):
        if not isinstance(actual, Mapping):
            return f"{at} is {actual!r}, not an object"
        found = (difference(want, actual.get(name, MISSING), memory, f"{at}.{name}") for name, want in expected.items())
        return next((one for one in found if one), None)
    if isinstance(expected, list):
        if not isinstance(actual, list) or len(actual) != len(expected):
            return f"{at} is {actual!r}, not {len(expected)} items"
        pairs = zip(expected, actual)
        found = (difference(want, one, memory, f"{at}.{i}") for i, (want, one) in enumerate(pairs))
        return next((one for one in found if one), None)
    is_equal = actual == expected and isinstance(actual, bool) == isinstance(expected, bool)
    return None if is_equal else f"{at} is {actual!r}, not {expected!r}"


TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (dict,),
    "null": (type(None),),
}


def _differs_from(matcher: str, want: Any, actual: Any, memory: Memory, at: str) -> str | None:
    if matcher == "$same":
        is_so = actual is not MISSING and memory.same.setdefault(want, actual) == actual
    elif matcher == "$absent":
        is_so = actual is MISSING
    elif matcher == "$not":
        is_so = difference(want, actual, memory) is not None
    elif matcher == "$type":
        is_so = isinstance(actual, TYPES[want]) and (want == "boolean" or not isinstance(actual, bool))
    elif matcher == "$pattern":
        is_so = isinstance(actual, str) and re.search(want, actual) is not None
    elif matcher == "$length":
        is_so = isinstance(actual, (list, tuple)) and len(actual) == want
    elif matcher == "$has":
        is_so = isinstance(actual, list) and any(difference(want, one, memory) is None for one in actual)
    else:
        raise ValueError(f"no matcher {matcher}")
    return None if is_so else f"{at} is {'not there' if actual is MISSING else repr(actual)}: {matcher} {want!r}"
