#!/usr/bin/env python3
"""Every comparison with the references, in order.

Builds the native harness; tokenizers and the real corpora need dist/ (npm run build) and node. usage: run.py [--corpora N] [--seed N] [--skip STEP …]
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from native import ROOT

HERE = Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", default="3000")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--skip", action="append", default=[])
    options = parser.parse_args()
    steps = {
        "goldens": ("Goldens are what the references give", "goldens.py", "--check"),
        "concepts": ("Concepts: goldens are what scikit-learn gives", "concepts.py", "--check"),
        "tags": ("Tags: goldens are what seqeval gives", "tags.py", "--check"),
        "unicode": ("Word pattern: every code point against Python's", "unicode.py"),
        "differential": (
            "Random corpora against nervaluate and scikit-learn", "differential.py",
            "--corpora", options.corpora, "--seed", options.seed,
        ),
        "answers": (
            "Generated text by the benchmark's rules against Python's re and ast", "answers.py",
            "--cases", options.corpora, "--seed", options.seed,
        ),
        "tokenizers": (
            "Tokens of tokenizer.json files against the tokenizers package", "tokenizer_json.py",
            "--seed", options.seed,
        ),
        "mutants": ("Faults in the aligner are caught", "mutants.py"),
        "real": ("Real corpora through the command line", "real.py"),
        "ncer": ("The NCER benchmark from its native files", "ncer.py", "--seed", options.seed),
    }  # fmt: skip
    command = ["cargo", "build", "--release", "--quiet"]
    command += ["--example", "batch", "--example", "charclass", "--example", "answers"]
    if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
        return 1
    failed = []
    for name, (heading, script, *arguments) in steps.items():
        if name in options.skip:
            print(f"== {heading}: left out")
            continue
        print(f"== {heading}", flush=True)
        started = time.monotonic()
        command = [sys.executable, str(HERE / script), *arguments]
        done = subprocess.run(command, check=False)
        print(f"   {time.monotonic() - started:.1f} s", flush=True)
        if done.returncode != 0:
            failed.append(name)
    if failed:
        print(f"FAILED: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
