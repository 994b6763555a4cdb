#!/usr/bin/env python3
"""Golden outputs of the references for tests/fixtures/spans/NAME/{gold,pred}.jsonl, labels.json.

usage: goldens.py [--check]
Without --check it writes expected.json beside them. The token report uses the word pattern; it is
null when a document has no text. Exit status: 0 fine, 1 a committed file differs.
"""

import argparse
import json
import sys

import corpus_files
import reference
from native import ROOT

FIXTURES = ROOT / "tests" / "fixtures" / "spans"


def expected(folder):
    """What the references say about one fixture."""
    labels = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    gold = corpus_files.read_jsonl(folder / "gold.jsonl")
    pred = {d["id"]: d["spans"] for d in corpus_files.read_jsonl(folder / "pred.jsonl")}
    documents = [
        {"text": d["text"], "gold": d["spans"], "pred": pred.get(d["id"], [])} for d in gold
    ]
    out = {
        "reference": reference.versions(),
        "nervaluate": reference.nervaluate_report(documents, labels),
        "sklearn": None,
    }
    if all(d["text"] is not None for d in documents):
        tokens = reference.token_report(documents, labels, "words")
        out |= {key: tokens[key] for key in ("sklearn", "ties", "accuracy", "kappa")}
    return json.dumps(out, ensure_ascii=False, indent=1) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    reference.check_versions()
    folders = sorted(path.parent for path in FIXTURES.glob("*/labels.json"))
    stale = []
    for folder in folders:
        path, text = folder / "expected.json", expected(folder)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(folder.name)
        if not options.check:
            path.write_text(text, encoding="utf-8", newline="\n")
    if options.check:
        for name in stale:
            print(f"  DIFFERS {name}/expected.json: run goldens.py and review the change")
        print(f"  {len(folders) - len(stale)} of {len(folders)} goldens are what the references give")
        return 1 if stale or not folders else 0
    print(f"  {len(folders)} goldens, {len(stale)} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
