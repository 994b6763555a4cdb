#!/usr/bin/env python3
"""Random tag sequences as seqeval 1.2.2 reads them: tests/fixtures/formats/conll/seqeval.jsonl.

Lenient is `get_entities` (its default mode), strict is `Entities` under the scheme. BILOU is put to the default
mode as IOBES, which it knows. usage: tags.py [--check] (pip install seqeval==1.2.2)
"""

import importlib.metadata
import json
import random
import sys
from pathlib import Path

from seqeval import scheme as schemes
from seqeval.metrics.sequence_labeling import get_entities

OUT = Path(__file__).resolve().parents[1] / "fixtures" / "formats" / "conll" / "seqeval.jsonl"
PREFIXES = {"IOB1": "IOB", "IOB2": "IOB", "IOE1": "IOE", "IOE2": "IOE", "IOBES": "IOBES", "BILOU": "BILOU"}
SEQUENCES = 160


def tag(rng, prefixes, labels, suffix):
    prefix = rng.choice(prefixes)
    if prefix == "O" or labels == [""]:
        return prefix
    label = rng.choice(labels)
    return f"{label}-{prefix}" if suffix else f"{prefix}-{label}"


def main():
    assert importlib.metadata.version("seqeval") == "1.2.2"
    rng = random.Random(20)
    lines = []
    for name, prefixes in PREFIXES.items():
        for number in range(SEQUENCES):
            labels = [["a"], ["a", "b"], ["a", "PROC-1", "c_d"], [""]][number % 4]
            suffix = number % 8 == 6
            tags = [tag(rng, prefixes, labels, suffix) for _ in range(rng.randint(1, 12))]
            known = tags
            if name == "BILOU":
                swap = {"L": "E", "U": "S"}

                def iobes(t):
                    if suffix and "-" in t:
                        return t[:-1] + swap.get(t[-1], t[-1])
                    return swap.get(t[0], t[0]) + t[1:]

                known = [iobes(t) for t in tags]
            lenient = [[start, end + 1, label] for label, start, end in get_entities(known, suffix=suffix)]
            tokens = schemes.Tokens(tags, getattr(schemes, name), suffix=suffix)
            strict = [[entity.start, entity.end, entity.tag] for entity in tokens.entities]
            lines.append(json.dumps({"scheme": name, "tags": tags, "lenient": lenient, "strict": strict}))
    text = "\n".join(lines) + "\n"
    if "--check" in sys.argv:
        if OUT.read_text() != text:
            sys.exit(f"{OUT} is not what seqeval gives")
    else:
        OUT.write_text(text)


if __name__ == "__main__":
    main()
