#!/usr/bin/env python3
"""Random documents with concepts, and their scores by sets and scikit-learn 1.9.1: tests/fixtures/concepts/sets.jsonl.

Spans match where document, bounds and label are equal; what matches one to one among several in one place is found by
trying every assignment. Values of sets are `precision_recall_fscore_support` over membership in the union of both
sides, accuracy is `accuracy_score`. usage: concepts.py [--check] (pip install -r requirements.txt)
"""

import importlib.metadata
import itertools
import json
import random
import sys
from pathlib import Path

import numpy as np
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

OUT = Path(__file__).resolve().parents[1] / "fixtures" / "concepts" / "sets.jsonl"
CORPORA = 60
TEXT = "abcdefgh"
# What is written, and the concepts that it says.
WRITTEN = {
    "C1": {"C1"},
    " C2 ": {"C2"},
    "C1;C2": {"C1", "C2"},
    "C2|C1": {"C1", "C2"},
    "C1, C3": {"C1", "C3"},
    "C3+C1": {"C1", "C3"},
    "MESH:C1": {"MESH:C1"},
    "c|SUB|G|12|A": {"c|SUB|G|12|A"},
    "-1": set(),
    "0": set(),
    "-": set(),
    "C1;0": {"C1"},
}


def side(rng):
    """A document's spans: start, end, label, values."""
    spans = []
    for _ in range(rng.randint(0, 6)):
        start = rng.randint(0, 4)
        values = rng.choices(list(WRITTEN), k=rng.choice([0, 1, 1, 1, 2]))
        spans.append([start, start + rng.randint(1, 3), rng.choice(["drug", "condition"]), values])
    return spans


def annotated(spans):
    """(place and label, concepts) of spans with concepts."""
    found = [((start, end, label), frozenset().union(*[WRITTEN[v] for v in values])) for start, end, label, values in spans]
    return [(key, concepts) for key, concepts in found if concepts]


def matched(gold, pred):
    """Pairs of concept sets of matched spans, as many equal as can be."""
    pairs = []
    for key in sorted({key for key, _ in gold} & {key for key, _ in pred}):
        golds = [concepts for other, concepts in gold if other == key]
        preds = [concepts for other, concepts in pred if other == key]
        few, many, turned = (golds, preds, False) if len(golds) <= len(preds) else (preds, golds, True)
        best = max(
            (list(zip(few, choice, strict=True)) for choice in itertools.permutations(many, len(few))),
            key=lambda choice: sum(a == b for a, b in choice),
        )
        pairs += [(key[2], b, a) if turned else (key[2], a, b) for a, b in best]
    return pairs


def number(value):
    return None if np.isnan(value) else float(value)


def of_sets(gold, pred):
    """correct, predicted, gold, precision, recall, F1."""
    union = sorted(gold | pred)
    if union:
        truth, said = ([member in of for member in union] for of in (gold, pred))
        p, r, f, _ = precision_recall_fscore_support(truth, said, average="binary", zero_division=np.nan)
    else:
        p = r = f = np.nan
    return [len(gold & pred), len(pred), len(gold), number(p), number(r), number(f)]


def accuracy(pairs):
    """matched, correct, accuracy."""
    names = [(" ".join(sorted(a)), " ".join(sorted(b))) for _, a, b in pairs]
    share = accuracy_score([a for a, _ in names], [b for _, b in names]) if names else None
    return [len(names), sum(a == b for a, b in names), share]


def score(documents):
    sides = {"gold": [], "pred": []}
    pairs = []
    for at, document in enumerate(documents):
        found = {name: annotated(document[name]) for name in sides}
        for name, list_ in sides.items():
            list_ += [(at, key, concepts) for key, concepts in found[name]]
        pairs += matched(found["gold"], found["pred"])

    def spans(name, label=None):
        return {(at, *key, c) for at, key, cs in sides[name] for c in cs if label in (None, key[2])}

    def whole(name, label=None):
        return {(at, c) for at, key, cs in sides[name] for c in cs if label in (None, key[2])}

    def all_of(label=None):
        return {
            "accuracy": accuracy([pair for pair in pairs if label in (None, pair[0])]),
            "spans": of_sets(spans("gold", label), spans("pred", label)),
            "documents": of_sets(whole("gold", label), whole("pred", label)),
        }

    if not sides["gold"] or not sides["pred"]:
        return None
    labels = sorted({key[2] for list_ in sides.values() for _, key, _ in list_})
    counts = [len(sides["gold"]), len(sides["pred"])]
    return {"counts": counts, "overall": all_of(), "per_label": {label: all_of(label) for label in labels}}


def main():
    assert importlib.metadata.version("scikit-learn") == "1.9.1"
    rng = random.Random(21)
    lines = []
    for _ in range(CORPORA):
        documents = [{"gold": side(rng), "pred": side(rng)} for _ in range(rng.randint(1, 4))]
        for document in documents:
            # Half of the predictions are gold's spans, some with other concepts.
            if rng.random() < 0.7:
                document["pred"] += [s if rng.random() < 0.6 else [*s[:3], ["C1"]] for s in document["gold"]]
                rng.shuffle(document["pred"])
        lines.append(json.dumps({"documents": documents, "expected": score(documents)}))
    text = "\n".join(lines) + "\n"
    if "--check" in sys.argv:
        if OUT.read_text() != text:
            sys.exit(f"{OUT} is not what scikit-learn gives")
    else:
        OUT.parent.mkdir(parents=True, exist_ok=True)
        OUT.write_text(text)


if __name__ == "__main__":
    main()
