#!/usr/bin/env python3
"""Random corpora through clinscore's native harness, every value against the references.

usage: differential.py [--corpora 3000] [--seed 1] [--batch PATH]
Exit status: 0 all equal, 1 a value differs or an outcome is too rare, 2 could not be run.
"""

import argparse
import json
import multiprocessing
import sys

import reference
from corpora import make_case
from native import CannotRun, example_path, run_batch

OUTCOMES = {
    "exact": "I",
    "spurious": "II",
    "missed": "III",
    "other_label": "IV",
    "overlap": "V",
    "overlap_other_label": "VI",
}


def outcomes_of(overall):
    """The six outcomes, worked out from nervaluate's four modes alone."""
    strict, ent_type = overall["strict"], overall["ent_type"]
    exact, partial = overall["exact"], overall["partial"]
    overlap = ent_type["correct"] - strict["correct"]
    return {
        "exact": strict["correct"],
        "spurious": strict["spurious"],
        "missed": strict["missed"],
        "other_label": exact["correct"] - strict["correct"],
        "overlap": overlap,
        "overlap_other_label": partial["partial"] - overlap,
    }


# Larger documents take another way through the aligner; both must be reached.
LARGE = 48


def is_large(case):
    """Whether a document has more scored gold spans than the aligner walks one by one."""
    labels = set(case["labels"])
    return any(sum(s[2] in labels for s in d["gold"]) > LARGE for d in case["documents"])


def refer(case):
    """What the references say about a case, in the harness's shape."""
    spans = reference.nervaluate_report(case["documents"], case["labels"])
    out = {"nervaluate": spans, "outcomes": outcomes_of(spans["overall"]), "sklearn": None}
    if "tokens" in case:
        out |= reference.token_report(case["documents"], case["labels"], case["tokens"])
    return out


def compare(comparison, ours, expected):
    """Adds every difference between the harness's output and the references."""
    if "error" in ours:
        comparison.differences.append(f"error: {ours['error']}")
        return
    comparison.exact("nervaluate", ours.get("nervaluate"), expected["nervaluate"])
    comparison.exact("outcomes", ours.get("outcomes"), expected["outcomes"])
    if expected["sklearn"] is None:
        comparison.exact("sklearn", ours.get("sklearn"), None)
        return
    comparison.sklearn("sklearn", ours.get("sklearn"), expected["sklearn"])
    comparison.exact("ties", ours.get("ties"), expected["ties"])
    comparison.near("accuracy", "accuracy", ours.get("accuracy"), expected["accuracy"], 4)
    comparison.near("kappa", "kappa", ours.get("kappa"), expected["kappa"], 4, 1e-15)


def differences(ours, expected):
    comparison = reference.Comparison()
    compare(comparison, ours, expected)
    return comparison.differences


def smaller(case):
    """The case without one document, or without some spans in a row: many at first, then one."""
    documents = case["documents"]
    for i, document in enumerate(documents):
        others = documents[:i], documents[i + 1 :]
        if len(documents) > 1:
            yield {**case, "documents": others[0] + others[1]}
        for side in ("gold", "pred"):
            size = len(document[side])
            while size > 0:
                for j in range(0, len(document[side]), size):
                    spans = document[side][:j] + document[side][j + size :]
                    yield {**case, "documents": [*others[0], {**document, side: spans}, *others[1]]}
                size //= 2


def shrink(batch, case, rounds=60):
    """A smaller case that still differs."""
    for _ in range(rounds):
        candidates = list(smaller(case))
        if not candidates:
            break
        for candidate, ours in zip(candidates, run_batch(batch, candidates), strict=True):
            if differences(ours, refer(candidate)):
                case = candidate
                break
        else:
            break
    return case


def show(batch, seed, index, case, found):
    """Prints a case that differs, and a smaller one."""
    print(f"MISMATCH: seed {seed}, corpus {index}, {len(found)} values differ, the first:")
    for line in found[:6]:
        print(f"  {line}")
    small = shrink(batch, case)
    (ours,) = run_batch(batch, [small])
    print("smallest corpus that still differs:")
    print(json.dumps(small, ensure_ascii=False, indent=None))
    for line in differences(ours, refer(small))[:6]:
        print(f"  {line}")


def run(batch, count, seed):
    """Compares `count` corpora; returns the exit status."""
    print(f"{count:,} corpora, seed {seed}, numbers 0 to {count - 1:,}")
    cases = [make_case(seed, index) for index in range(count)]
    outputs = run_batch(batch, cases)
    total = reference.Comparison()
    outcomes = dict.fromkeys(OUTCOMES, 0)
    tokens, ties, first = 0, 0, None
    large, different, different_large = 0, 0, 0
    with multiprocessing.Pool() as pool:
        references = pool.imap(refer, cases, chunksize=16)
        for index, (ours, expected) in enumerate(zip(outputs, references, strict=True)):
            before = len(total.differences)
            compare(total, ours, expected)
            for name in OUTCOMES:
                outcomes[name] += expected["outcomes"][name]
            tokens += expected.get("tokens", 0)
            ties += sum(expected.get("ties", {}).values())
            large += is_large(cases[index])
            if len(total.differences) > before:
                different += 1
                different_large += is_large(cases[index])
                first = first or (index, total.differences[before:])
    for name, number in OUTCOMES.items():
        print(f"  outcome {number:>3} {name:<20} {outcomes[name]:>8,}")
    print(f"  tokens {tokens:,}, ties {ties:,}; {large:,} corpora with more than {LARGE} gold spans")
    if first:
        show(batch, seed, first[0], cases[first[0]], first[1])
        print(f"{different:,} of {count:,} corpora differ, {different_large:,} of {large:,} large ones")
        return 1
    rare = [name for name, n in outcomes.items() if n < 1000]
    if count >= 2000 and rare:
        print(f"too rare (fewer than 1,000): {', '.join(rare)}")
        return 1
    print(f"equal: {total.summary()}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", help="the harness; default: the release build of this checkout")
    options = parser.parse_args()
    reference.check_versions()
    try:
        batch = options.batch or example_path("batch")
        return run(batch, options.corpora, options.seed)
    except CannotRun as problem:
        print(problem, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
