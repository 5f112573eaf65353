#!/usr/bin/env python3
"""Fails on an include that runs against the arrows of the project's rooms.

    tools -> models -> api/include <- backends -> kernels <- tools
    api/src -> api/include,  tests/conformance -> api/include

A back end sees of the API only plugin/, models see all but plugin/.
Usage: check_includes.py <root of the project>
"""

import pathlib
import re
import sys

SUFFIXES = {".h", ".hpp", ".c", ".cpp", ".cl", ".cu"}
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')

# Of each room, the rooms that it may include beside itself.
ARROWS = {
    "api/include": [],
    "api/include/backplane/plugin": [],
    "api/src": ["api/include", "api/include/backplane/plugin"],
    "backends": ["api/include/backplane/plugin", "kernels", "backends/card"],
    "kernels": [],
    "models": ["api/include"],
    "tools": ["models", "api/include", "api/include/backplane/plugin", "kernels"],
    "tests/conformance": ["api/include", "api/include/backplane/plugin"],
}
# The public headers stand on the border's structs: an operation is one of them.
ARROWS["api/include"].append("api/include/backplane/plugin")


def room_of(path):
    """The innermost room of a path relative to the root, and None outside of all rooms.

    Back ends are rooms of their own, one for each folder; all may include what cards share.
    """
    text = path.as_posix()
    inside = [room for room in ARROWS if text.startswith(room + "/")]
    if not inside:
        return None
    room = max(inside, key=len)
    return "/".join(path.parts[:2]) if room == "backends" else room


def search_folders(root, source):
    """Where the build may look for what `source` includes, its own room first."""
    for parent in source.parents:
        yield parent
        if parent == root:
            break
    for folder in ("api/include", "api/src", "kernels", "tools/cli"):
        yield root / folder
    yield from sorted(root.glob("backends/*/"))


def resolve(root, source, name):
    """The file of the project that is included; None for one of the system."""
    for folder in search_folders(root, source):
        candidate = folder / name
        if candidate.is_file():
            resolved = candidate.resolve()
            return resolved.relative_to(root) if resolved.is_relative_to(root) else None
    return None


def allowed(source_room, target_room):
    if target_room is None or source_room == target_room:
        return True
    kind = "backends" if source_room.startswith("backends/") else source_room
    return target_room in ARROWS[kind]


def violations(root):
    """Every include against the arrows, as text with file and line, and how many were looked at."""
    found, seen = [], 0
    tops = sorted({room.split("/")[0] for room in ARROWS})
    for source in sorted(path for top in tops for path in (root / top).rglob("*")):
        room = room_of(source.relative_to(root))
        if room is None or source.suffix not in SUFFIXES or not source.is_file():
            continue
        lines = source.read_text(encoding="utf-8", errors="replace").splitlines()
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            if match is None:
                continue
            seen += 1
            target = resolve(root, source, match.group(1))
            if target is None:
                continue
            target_room = room_of(target)
            if not allowed(room, target_room):
                found.append(f"{source.relative_to(root)}:{number}: {room} must not include "
                             f"{target_room} ({match.group(1)})")
    return found, seen


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1]).resolve()
    found, seen = violations(root)
    for text in found:
        print(text)
    if seen == 0:
        sys.exit(f"{root}: no include was found, so nothing was checked")
    print(f"{seen} includes, {len(found)} against the arrows")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
