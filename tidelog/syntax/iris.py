"""Resolving a relative IRI against a base, as RFC 3986, section 5.2, has it (for every scheme, which urllib has not)."""

from __future__ import annotations

import re

_PARTS = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)


def is_absolute(iri: str) -> bool:
    return _split(iri)[0] is not None


def resolve(base: str, reference: str) -> str:
    """What `reference` names where `base` is the base.

    >>> resolve("http://example.org/a/b", "../c#d")
    'http://example.org/c#d'
    """
    scheme, authority, path, query, fragment = _split(reference)
    if scheme is not None:
        return reference
    b_scheme, b_authority, b_path, b_query, _ = _split(base)
    if authority is None:
        authority = b_authority
        if not path:
            path, query = b_path, (query if query is not None else b_query)
        elif not path.startswith("/"):
            path = _without_dots(_merge(b_authority, b_path, path))
        else:
            path = _without_dots(path)
    return _unsplit(b_scheme, authority, path, query, fragment)


def _split(iri: str) -> tuple[str | None, str | None, str, str | None, str | None]:
    match = _PARTS.fullmatch(iri)
    assert match is not None  # every string matches: the last three parts take any character
    return match[1], match[2], match[3], match[4], match[5]


def _merge(authority: str | None, base: str, path: str) -> str:
    return f"/{path}" if authority is not None and not base else base[: base.rfind("/") + 1] + path


def _without_dots(path: str) -> str:
    kept: list[str] = []
    parts = path.split("/")
    for part in parts:
        if part == "..":
            if len(kept) > 1 or (kept and kept[0]):
                kept.pop()
        elif part != ".":
            kept.append(part)
    if parts[-1] in (".", ".."):
        kept.append("")
    return "/".join(kept)


def _unsplit(scheme: str | None, authority: str | None, path: str, query: str | None, fragment: str | None) -> str:
    text = f"{scheme}:" if scheme is not None else ""
    text += f"//{authority}" if authority is not None else ""
    text += path
    text += f"?{query}" if query is not None else ""
    return text + (f"#{fragment}" if fragment is not None else "")
