#!/usr/bin/env python3
"""Makes a prediction out of a gold corpus, with every kind of fault in it, by a seed.

usage: perturb.py GOLD OUT [--format jsonl|pubtator|brat] [--seed 1]

Spans are kept, shifted at either end or both, relabelled, dropped, given twice, joined by an
overlapping one or replaced by a touching one; spurious ones are added; a tenth of the documents
has its spans in another order. Labels are the gold's own, offsets stay inside the text.
"""

import argparse
import random

import corpus_files


def perturb(documents, seed):
    """Documents with the same ids and texts and the spans of a made-up system."""
    rng = random.Random(f"perturb {seed}")
    labels = sorted({label for d in documents for _, _, label in d["spans"]})
    return [
        {**document, "spans": _spans(rng, document["text"], document["spans"], labels)}
        for document in documents
    ]


def _spans(rng, text, gold, labels):
    size = len(text)
    spans = []

    def add(start, end, label):
        start, end = max(0, start), min(size, end)
        if start < end:
            spans.append((start, end, label))

    for start, end, label in gold:
        other = rng.choice([name for name in labels if name != label] or labels)
        kind = rng.random()
        shift = rng.choice([-3, -2, -1, 1, 2, 3])
        if kind < 0.10:
            continue  # dropped
        if kind < 0.17:
            add(start, end, other)
        elif kind < 0.23:
            add(start + shift, end, label)
        elif kind < 0.29:
            add(start, end + shift, label)
        elif kind < 0.34:
            add(start + shift, end + shift, label)
        elif kind < 0.39:
            add(start + shift, end, other)
        elif kind < 0.43:  # twice
            add(start, end, label)
            add(start, end, rng.choice([label, other]))
        elif kind < 0.48:  # an overlapping one before or after it
            pieces = [(start, end, label), (start - 4, start + 2, rng.choice([label, other]))]
            for piece in rng.sample(pieces, 2):
                add(*piece)
        elif kind < 0.51:  # touches it
            add(end, end + rng.randint(1, 6), label)
        else:
            add(start, end, label)
    for _ in range(round(len(gold) * 0.15) + rng.randint(0, 1)):
        start = rng.randrange(max(1, size))
        add(start, start + rng.randint(1, 20), rng.choice(labels))
    if rng.random() < 0.1:
        rng.shuffle(spans)
    return spans


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gold")
    parser.add_argument("out")
    parser.add_argument("--format", choices=["jsonl", "pubtator", "brat"], default="jsonl")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    read = getattr(corpus_files, f"read_{options.format}")
    documents = perturb(read(options.gold), options.seed)
    if options.format == "pubtator":
        titles = corpus_files.pubtator_titles(options.gold)
        corpus_files.write_pubtator(options.out, documents, titles)
    else:
        getattr(corpus_files, f"write_{options.format}")(options.out, documents)


if __name__ == "__main__":
    main()
