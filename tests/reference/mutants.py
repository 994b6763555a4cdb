#!/usr/bin/env python3
"""Three deliberate faults in the aligner; the differential test must catch each.

The tree is copied to target/mutants/tree, one fault is put in by exact replacements that must
match once, the harness is built there and differential.py must report mismatches, in small and in large
documents. The unchanged copy must pass first. usage: mutants.py [--corpora 300] [--seed 1]
Exit status: 0 all caught, 1 one survived, 2 could not be run.
"""

import argparse
import contextlib
import io
import os
import re
import shutil
import subprocess
import sys

import differential
import reference
from native import ROOT, CannotRun, example_path

WORK = ROOT / "target" / "mutants"
TREE = WORK / "tree"
ALIGNER = "src/align/nervaluate.rs"

# name → [(text of the aligner, text of the mutant), …]; each is put into both of its ways, the plain
# walk and the index for large documents.
MUTANTS = {
    "exclusive ends": [
        (
            "g.start <= g.end && p.start <= p.end && g.start <= p.end && p.start <= g.end",
            "g.start < g.end && p.start < p.end && g.start < p.end && p.start < g.end",
        ),
        ("self.overlaps.first(p.start, p.end)", "self.overlaps.first(p.start, p.end - 1)"),
        (
            "self.overlaps.build(gold);",
            "let shorter: Vec<Item> = gold.iter().map(|g| Item { end: g.end - 1, ..*g }).collect();"
            " self.overlaps.build(&shorter);",
        ),
    ],
    "used consulted for exact matches": [
        (
            "near.iter().position(|g| g.value() == p.value())",
            "near.iter().position(|g| g.value() == p.value()).filter(|&at| !used[at])",
        ),
        (
            "is_some_and(|g| (g.0, g.1, g.2) == p.value())",
            "is_some_and(|g| (g.0, g.1, g.2) == p.value() && !self.used[g.3 as usize])",
        ),
    ],
    "gold walked backwards": [
        ("near.iter().enumerate().find_map(", "near.iter().enumerate().rev().find_map("),
        (
            "self.look_up(gold, pred, out);",
            "let reversed: Vec<Item> = gold.iter().rev().copied().collect();"
            " self.look_up(&reversed, pred, out); self.used.reverse();",
        ),
    ],
}


def copy_tree():
    """The files that cargo needs, without history and products."""
    shutil.rmtree(TREE, ignore_errors=True)
    TREE.mkdir(parents=True)
    # New times of change: cargo would take an older source for one that it has built.
    for name in ("Cargo.lock", "rust-toolchain.toml", "README.md"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, TREE / name)
    for name in ("src", "examples"):
        shutil.copytree(ROOT / name, TREE / name, copy_function=shutil.copy)
    # Without what only tests need, and without targets that are not copied.
    manifest = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    unwanted = r"(?ms)^\[(?:dev-dependencies|\[(?:bench|test)\])\].*?(?=^\[|\Z)"
    (TREE / "Cargo.toml").write_text(re.sub(unwanted, "", manifest), encoding="utf-8")


def mutate(source, replacements):
    """The source with each text, found exactly once, replaced."""
    for old, new in replacements:
        found = source.count(old)
        if found != 1:
            raise CannotRun(f"{ALIGNER}: the text of a mutant occurs {found} times:\n{old}")
        source = source.replace(old, new)
    return source


# The copies are built for a short build, not for speed.
QUICK = {
    "CARGO_PROFILE_RELEASE_LTO": "off",
    "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
    "CARGO_PROFILE_RELEASE_OPT_LEVEL": "1",
    "CARGO_PROFILE_RELEASE_INCREMENTAL": "true",
}


def build():
    """Builds the harness of the copy; its path."""
    command = ["cargo", "build", "--release", "--quiet", "--example", "batch"]
    environment = {**os.environ, **QUICK, "CARGO_TARGET_DIR": str(WORK / "target")}
    done = subprocess.run(command, cwd=TREE, env=environment, capture_output=True, check=False)
    if done.returncode != 0:
        raise CannotRun(f"the copy does not build:\n{done.stderr.decode()[-3000:]}")
    return example_path("batch", WORK / "target")


def outcome(options):
    """Builds, runs the differential test quietly; its status and what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = differential.run(build(), options.corpora, options.seed)
    return status, printed.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    reference.check_versions()
    survived = []
    try:
        copy_tree()
        original = (TREE / ALIGNER).read_text(encoding="utf-8")
        status, printed = outcome(options)
        if status != 0:
            print(printed)
            raise CannotRun("the unchanged aligner already differs")
        for name, replacements in MUTANTS.items():
            changed = mutate(original, replacements)
            (TREE / ALIGNER).write_text(changed, encoding="utf-8")
            status, printed = outcome(options)
            lines = printed.splitlines()
            caught = any(line.startswith("MISMATCH") for line in lines)
            if status == 1 and caught and ", 0 of " not in lines[-1]:
                print(f"  caught: {name} ({lines[-1]})")
            else:
                survived.append(name)
                print(f"  SURVIVED: {name}")
    except CannotRun as problem:
        print(problem, file=sys.stderr)
        return 2
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
