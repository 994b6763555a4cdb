#!/usr/bin/env python3
"""Real corpora through the command line, against the references.

Each corpus is scored against a perturbed copy of itself in its own format, and against what is
published about it. usage: real.py [--d20k-only | --no-d20k]
Exit status: 0 all equal, 1 a value differs, 2 could not be run.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import corpus_files
import reference
from native import CACHE, CannotRun, run_cli, shared_folder, skip
from perturb import perturb

NCBI = dict.fromkeys(
    ["SpecificDisease", "DiseaseClass", "Modifier", "CompositeMention"], "condition"
)
BIORED = {
    "DiseaseOrPhenotypicFeature": "condition",
    "ChemicalEntity": "drug",
    "GeneOrGeneProduct": "gene",
    "SequenceVariant": "gene variant",
}
D20K_LABELS = ["condition", "drug", "measurement", "procedure"]
D20K_ENT_TYPE = {
    "correct": 307556,
    "incorrect": 32098,
    "partial": 0,
    "missed": 50637,
    "spurious": 36988,
    "f1": 0.8020413777996253,
}
D20K_MICRO_F1 = 0.779256132623723

failed = []


def check(what, ours, expected):
    """One published value."""
    if ours != expected:
        failed.append(what)
        print(f"  FAILED {what}: clinscore {ours!r}, expected {expected!r}")


def pair(gold, pred, label_map=None):
    """Documents as the references want them; a gold document without prediction has no spans."""

    def mapped(spans):
        if label_map is None:
            return spans
        return [(s, e, label_map[label]) for s, e, label in spans if label in label_map]

    predicted = {d["id"]: d["spans"] for d in pred}
    return [
        {"text": d["text"], "gold": mapped(d["spans"]), "pred": mapped(predicted.get(d["id"], []))}
        for d in gold
    ]


def compare(name, documents, labels, arguments, tokens=("words", "whitespace")):
    """Span and token reports of the command line against the references, every value."""
    comparison = reference.Comparison()
    ours = run_cli("score", *arguments, "--output", "nervaluate")
    comparison.exact("nervaluate", ours, reference.nervaluate_report(documents, labels))
    reports, last = {}, None
    for kind in tokens:
        y_true, y_pred, ties = reference.token_labels(documents, kind)
        if last is None or last[0] != (y_true, y_pred):
            last = (y_true, y_pred), reference.sklearn_report(y_true, y_pred, labels)
        reports[kind] = run_cli("score", *arguments, "--output", "sklearn", "--tokens", kind)
        comparison.sklearn(f"sklearn {kind}", reports[kind], last[1])
    if comparison.differences:
        failed.append(name)
        print(f"  FAILED {name}: {len(comparison.differences)} values differ, the first:")
        for line in comparison.differences[:6]:
            print(f"    {line}")
    else:
        overall = ours["overall"]["ent_type"]
        print(f"  {name}: {comparison.summary()}; ent_type F1 {overall['f1']}")
    return ours, reports


def pubtator(data, folder):
    """NCBI and BIORED: against themselves, and against a perturbed copy."""
    sets = {
        "NCBI": (data / "ncbi-disease" / "NCBItestset_corpus.txt", NCBI),
        "BIORED": (data / "biored" / "Test.PubTator", BIORED),
    }
    scores = {}
    for name, (path, label_map) in sets.items():
        labels = list(dict.fromkeys(label_map.values()))
        gold = corpus_files.read_pubtator(path)
        made = perturb(gold, 1)
        written = folder / f"{name}.PubTator"
        corpus_files.write_pubtator(written, made, corpus_files.pubtator_titles(path))
        common = ("--dataset", name, "--gold", path, "--pred")
        scores[name], _ = compare(
            f"{name} against itself", pair(gold, gold, label_map), labels, (*common, path)
        )
        compare(
            f"{name} against a perturbed copy", pair(gold, made, label_map), labels,
            (*common, written),
        )  # fmt: skip
    for mode, row in scores["NCBI"]["overall"].items():
        check(f"NCBI {mode} possible", row["possible"], 960)
        check(f"NCBI {mode} F1", row["f1"], 1)
    check("BIORED possible", scores["BIORED"]["overall"]["strict"]["possible"], 3092)
    for label, count in zip(BIORED.values(), (917, 754, 1180, 241), strict=True):
        possible = scores["BIORED"]["per_tag"][label]["strict"]["possible"]
        check(f"BIORED {label} possible", possible, count)


def brat(data, folder):
    """ChEMU: against the system that comes with it, and against a perturbed copy."""
    gold = corpus_files.read_brat(data / "chemu" / "gold")
    system = corpus_files.read_brat(data / "chemu" / "system")
    made = perturb(gold, 1)
    corpus_files.write_brat(folder / "chemu", made)
    check("ChEMU gold spans", sum(len(d["spans"]) for d in gold), 770)
    check("ChEMU predicted spans", sum(len(d["spans"]) for d in system), 767)

    def score(name, predicted, path):
        labels = sorted({span[2] for d in gold + predicted for span in d["spans"]})
        arguments = ("--gold", data / "chemu" / "gold", "--pred", path)
        return compare(name, pair(gold, predicted), labels, arguments)[0]

    ours = score("ChEMU against its system", system, data / "chemu" / "system")
    check("ChEMU strict correct", ours["overall"]["strict"]["correct"], 761)
    score("ChEMU against a perturbed copy", made, folder / "chemu")


def d20k(shared):
    """The large invented corpus of the speed bars."""
    folder = CACHE / "d20k"
    if not (folder / "pred.jsonl").exists():
        tool = shared / "tools" / "gen_corpus.py"
        subprocess.run([sys.executable, tool, folder, "--docs", "20000"], check=True)
    gold = corpus_files.read_jsonl(folder / "gold.jsonl")
    made = corpus_files.read_jsonl(folder / "pred.jsonl")
    arguments = ("--gold", folder / "gold.jsonl", "--pred", folder / "pred.jsonl")
    ours, reports = compare("d20k", pair(gold, made), D20K_LABELS, arguments)
    for key, value in D20K_ENT_TYPE.items():
        check(f"d20k ent_type {key}", ours["overall"]["ent_type"][key], value)
    micro = reports["whitespace"]["micro avg"]["f1-score"]
    if reference.ulps(micro, D20K_MICRO_F1) > 2:
        check("d20k token micro F1", micro, D20K_MICRO_F1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--d20k-only", action="store_true")
    parser.add_argument("--no-d20k", action="store_true")
    options = parser.parse_args()
    reference.check_versions()
    try:
        shared = shared_folder()
        if shared is None:
            skip("real corpora", "Put them beside the checkout or set CLINSCORE_SHARED.")
            return 0
        with tempfile.TemporaryDirectory(prefix="clinscore-") as temporary:
            if not options.d20k_only:
                pubtator(shared / "data", Path(temporary))
                brat(shared / "data", Path(temporary))
            if not options.no_d20k:
                d20k(shared)
    except CannotRun as problem:
        print(problem, file=sys.stderr)
        return 2
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
