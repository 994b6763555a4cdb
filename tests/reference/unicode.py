#!/usr/bin/env python3
"""Every code point's class by Python's re against clinscore's word pattern.

The harness examples/charclass prints its Unicode version, then "number class" per code point:
W (\\w), S (white space), O (other), and U where its tables have the code point unassigned.
Exit status: 0 equal, 1 a class differs, 2 could not be run.
"""

import re
import subprocess
import sys
import unicodedata

from native import CannotRun, example_path

WORD = re.compile(r"\w")
SPACE = re.compile(r"\s")


def class_of(character):
    if WORD.match(character):
        return "W"
    return "S" if SPACE.match(character) else "O"


def version_of(text):
    numbers = re.findall(r"\d+", text)
    return tuple(int(n) for n in numbers[:2])


def main():
    try:
        done = subprocess.run([example_path("charclass")], capture_output=True, check=False)
    except CannotRun as problem:
        print(problem, file=sys.stderr)
        return 2
    lines = done.stdout.decode().splitlines()
    if done.returncode != 0 or not lines:
        print(f"charclass ended with {done.returncode}: {done.stderr.decode()}", file=sys.stderr)
        return 2
    print(f"  clinscore's Unicode version: {lines[0]}; Python's: {unicodedata.unidata_version}")
    compared, unassigned, differ = 0, 0, []
    seen = set()
    for line in lines[1:]:
        number, ours = line.split()
        character = chr(int(number))
        seen.add(character)
        if unicodedata.category(character) == "Cn" or ours == "U":
            unassigned += 1
            continue
        compared += 1
        if ours != class_of(character):
            differ.append(f"U+{ord(character):04X} {unicodedata.name(character, '?')}: "
                          f"clinscore {ours}, Python {class_of(character)}")  # fmt: skip
    missing = 0x110000 - 0x800 - len(seen)
    if missing > 0:
        print(f"  {missing} code points are missing from charclass")
        return 1
    print(f"  {compared:,} code points compared, {unassigned:,} unassigned in one version")
    for line in differ[:20]:
        print(f"  DIFFERS {line}")
    if differ:
        print(f"  {len(differ)} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
