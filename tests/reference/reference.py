"""The references: what nervaluate 0.1.8 and scikit-learn 1.9.1 say about a corpus.

A document is a dict {"text": str, "tokens": [str] (for "file"), "gold": spans, "pred": spans};
a span is a (start, end, label) triple in code points, end exclusive. Nothing here knows clinscore.
"""

import logging
import math
import re
import struct
import warnings
from importlib import metadata

import numpy as np
from nervaluate import Evaluator
from sklearn.metrics import (
    accuracy_score,
    classification_report,
    cohen_kappa_score,
    precision_recall_fscore_support,
)

EXPECTED_VERSIONS = {"nervaluate": "0.1.8", "scikit-learn": "1.9.1"}

# nervaluate configures the root logger on import.
logging.getLogger().setLevel(logging.WARNING)
logging.getLogger("nervaluate").setLevel(logging.WARNING)

WORD = re.compile(r"\w+(?:[-_]\w+)*|\S")
NOT_SPACE = re.compile(r"\S+")
OUTSIDE = "O"
HEADERS = ("precision", "recall", "f1-score", "support")


def check_versions():
    """Ends the run when another version of a reference is installed."""
    for name, expected in EXPECTED_VERSIONS.items():
        found = metadata.version(name)
        if found != expected:
            raise SystemExit(f"{name} {expected} expected, found {found}")


def versions():
    """The names and versions of the references, as goldens record them."""
    return dict(EXPECTED_VERSIONS)


# ---- spans ---------------------------------------------------------------------------------


def nervaluate_report(documents, labels):
    """{"overall": …, "per_tag": …} of nervaluate's Evaluator."""
    sides = [
        [[{"start": s, "end": e, "label": label} for s, e, label in d[side]] for d in documents]
        for side in ("gold", "pred")
    ]
    overall, per_tag = Evaluator(sides[0], sides[1], tags=list(labels)).evaluate()
    return {"overall": overall, "per_tag": per_tag}


# ---- tokens --------------------------------------------------------------------------------


def token_ranges(document, tokens):
    """(start, end) of every token: "words", "whitespace", "file" (the document's own), or "given"."""
    if tokens == "given":
        return document["ranges"]
    text = document["text"]
    if tokens == "words":
        return [m.span() for m in WORD.finditer(text)]
    if tokens == "whitespace":
        return whitespace_ranges(text)
    ranges, position = [], 0
    for token in document["tokens"]:
        start = text.index(token, position)
        position = start + len(token)
        ranges.append((start, position))
    return ranges


def whitespace_ranges(text):
    """The runs that str.split() returns, with their places."""
    ranges, position = [], 0
    for piece in text.split():
        start = text.index(piece, position)
        position = start + len(piece)
        ranges.append((start, position))
    return ranges


def paint(length, spans):
    """One label per character; later spans overwrite earlier ones; clipped to the text."""
    painted = [OUTSIDE] * length
    for start, end, label in spans:
        start, end = max(start, 0), min(end, length)
        if start < end:
            painted[start:end] = [label] * (end - start)
    return painted


def token_label(characters):
    """(label, tied): the most frequent label, a tie going to the one that occurs first."""
    if not characters:
        return OUTSIDE, False
    first = characters[0]
    if characters.count(first) == len(characters):
        return first, False
    counts = {}
    for label in characters:
        counts[label] = counts.get(label, 0) + 1
    most = max(counts.values())
    tied = [label for label, count in counts.items() if count == most]
    return tied[0], len(tied) > 1


def token_labels(documents, tokens):
    """(gold labels, predicted labels, ties {"gold", "pred"}) over all documents."""
    labels = {"gold": [], "pred": []}
    ties = {"gold": 0, "pred": 0}
    for document in documents:
        ranges = token_ranges(document, tokens)
        for side, out in labels.items():
            painted = paint(len(document["text"]), document[side])
            for start, end in ranges:
                label, tied = token_label(painted[start:end])
                out.append(label)
                ties[side] += tied
    return labels["gold"], labels["pred"], ties


def coded(y_true, y_pred, labels):
    """The labels as numbers in the order of the names: the same report, sooner."""
    names = sorted({*y_true, *y_pred, *labels})
    codes = {name: code for code, name in enumerate(names)}

    def encode(values):
        return np.fromiter((codes[value] for value in values), np.int64, len(values))

    return encode(y_true), encode(y_pred), [codes[label] for label in labels]


def sklearn_report(y_true, y_pred, labels):
    """classification_report as a dict, its micro average always called "micro avg"."""
    labels = list(labels)
    if not y_true:
        # scikit-learn refuses an empty input.
        zero = dict.fromkeys(HEADERS, 0.0)
        return {name: dict(zero) for name in [*labels, "micro avg", "macro avg", "weighted avg"]}
    names = labels
    if len(y_true) > 200_000:
        y_true, y_pred, labels = coded(y_true, y_pred, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = classification_report(
            y_true, y_pred, labels=labels, target_names=names, output_dict=True, zero_division=0
        )
        if "micro avg" not in report:
            del report["accuracy"]
            p, r, f, _ = precision_recall_fscore_support(
                y_true, y_pred, labels=labels, average="micro", zero_division=0
            )
            support = report["macro avg"]["support"]
            values = [float(p), float(r), float(f), support]
            report["micro avg"] = dict(zip(HEADERS, values, strict=True))
    return report


def agreement(y_true, y_pred):
    """(accuracy, kappa) over every label and O; None where undefined."""
    if not y_true:
        return None, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        accuracy = float(accuracy_score(y_true, y_pred))
        kappa = float(cohen_kappa_score(y_true, y_pred))
    return accuracy, None if math.isnan(kappa) else kappa


def token_report(documents, labels, tokens):
    """{"sklearn", "ties", "accuracy", "kappa", "tokens"} of the token report; O is never scored."""
    labels = [label for label in labels if label != OUTSIDE]
    y_true, y_pred, ties = token_labels(documents, tokens)
    accuracy, kappa = agreement(y_true, y_pred)
    return {
        "sklearn": sklearn_report(y_true, y_pred, labels),
        "ties": ties,
        "accuracy": accuracy,
        "kappa": kappa,
        "tokens": len(y_true),
    }


# ---- comparison ----------------------------------------------------------------------------


def ulps(a, b):
    """How many representable doubles lie between two finite values."""

    def ordered(x):
        (bits,) = struct.unpack("<q", struct.pack("<d", x))
        return bits if bits >= 0 else -(bits & 0x7FFFFFFFFFFFFFFF)

    return abs(ordered(float(a)) - ordered(float(b)))


class Comparison:
    """Collects differences between clinscore and a reference, and how much was compared."""

    def __init__(self):
        self.values = 0
        self.differences = []
        self.inexact = {}
        self.support_types = 0

    def _differ(self, path, ours, reference):
        self.differences.append(f"{path}: clinscore {ours!r}, reference {reference!r}")

    def same_keys(self, path, ours, reference):
        """True when both are objects with the same keys; a difference otherwise."""
        if not isinstance(ours, dict):
            self._differ(path, ours, f"an object with {sorted(reference)}")
            return False
        if set(ours) != set(reference):
            self._differ(f"{path} keys", sorted(ours), sorted(reference))
            return False
        return True

    def exact(self, path, ours, reference):
        """Equal to the last bit, key sets and integer-or-float type included."""
        if isinstance(reference, dict):
            if self.same_keys(path, ours, reference):
                for key, value in reference.items():
                    self.exact(f"{path}.{key}", ours[key], value)
            return
        self.values += 1
        if type(ours) is not type(reference) or ours != reference:
            self._differ(path, ours, reference)

    def near(self, kind, path, ours, reference, limit, absolute=0.0):
        """Equal within `limit` ulp or `absolute`; None only equals None. `kind` is for the summary."""
        self.values += 1
        if ours is None or reference is None or isinstance(ours, (str, bool, dict, list)):
            if ours is not None or reference is not None:
                self._differ(path, ours, reference)
            return
        distance = ulps(ours, reference)
        if distance == 0:
            return
        apart = abs(ours - reference)
        if distance > limit and apart > absolute:
            self._differ(path, ours, reference)
            return
        count, largest, furthest = self.inexact.get(kind, (0, 0, 0.0))
        if distance <= limit:
            largest = max(largest, distance)
        self.inexact[kind] = count + 1, largest, max(furthest, apart)

    def sklearn(self, path, ours, reference):
        """Per label and supports exactly, averages within 2 ulp."""
        if not self.same_keys(path, ours, reference):
            return
        for name, row in reference.items():
            here = f"{path}[{name!r}]"
            if not self.same_keys(here, ours[name], row):
                continue
            average = name in ("micro avg", "macro avg", "weighted avg")
            for key, value in row.items():
                limit = 2 if average and key != "support" else 0
                self.near("averages", f"{here}.{key}", ours[name][key], value, limit)
                if type(ours[name][key]) is not type(value):
                    self.support_types += 1

    def summary(self):
        """One line about what was compared."""
        line = f"{self.values:,} values"
        if not self.inexact:
            line += ", all equal to the last bit"
        for kind, (count, largest, furthest) in self.inexact.items():
            line += f"; {kind}: {count:,} not to the last bit, at most {largest} ulp or {furthest:.1e}"
        if self.support_types:
            line += f"; {self.support_types:,} of scikit-learn's floats written as integers"
        return line
