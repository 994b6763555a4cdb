"""Loads two JSON Lines files and scores them with nervaluate 0.1.8; prints milliseconds."""

import json
import sys
import time

from nervaluate import Evaluator


def load(path):
    with open(path, encoding="utf-8") as lines:
        return {record["id"]: record["entities"] for record in map(json.loads, lines)}


start = time.perf_counter()
gold, pred = load(sys.argv[1]), load(sys.argv[2])
labels = sorted({span["label"] for side in (gold, pred) for spans in side.values() for span in spans})
Evaluator([gold[i] for i in gold], [pred.get(i, []) for i in gold], tags=labels).evaluate()
print((time.perf_counter() - start) * 1000)
