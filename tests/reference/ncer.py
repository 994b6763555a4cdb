#!/usr/bin/env python3
"""The NCER benchmark from its native files: a pipeline of our own against clinscore.

Loaders after the benchmark's rules, made-up systems by a seed, nervaluate and scikit-learn, the
results file: every value, each dataset alone and all together. usage: ncer.py [--seed 1] [--dataset NAME …]
Exit status: 0 all equal, 1 a value differs, 2 could not be run.
"""

import argparse
import json
import multiprocessing
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

import ncer_corpora
import ncer_predictions
import reference
from native import CannotRun, cli_text, run_api, shared_folder, skip

# Metric → (the reference, where it has the F1 of all labels).
METRICS = {
    "SpanBasedWithPartialOverlap": ("nervaluate", "ent_type"),
    "SpanBasedWithExactOverlap": ("nervaluate", "strict"),
    "TokenBasedWithMacroAverage": ("sklearn", "macro avg"),
    "TokenBasedWithMicroAverage": ("sklearn", "micro avg"),
    "TokenBasedWithWeightedAverage": ("sklearn", "weighted avg"),
}

failed = []


def fail(what, lines):
    """What differs, and the first of the differences."""
    failed.append(what)
    print(f"  FAILED {what}: {len(lines)} values differ, the first:")
    for line in lines[:6]:
        print(f"    {line}")


def check(what, found, expected):
    """One published value."""
    if found != expected:
        fail(what, [f"{found!r}, expected {expected!r}"])


# ---- the reference -------------------------------------------------------------------------


def load(dataset, data):
    """Gold that counts, checked against the published counts."""
    gold, seen = ncer_corpora.load(dataset, data)
    documents, types = ncer_corpora.PUBLISHED[dataset]
    clinical = ncer_corpora.mapped(gold, ncer_corpora.MAPS[dataset])
    check(f"{dataset} documents by our loader", len(gold), documents)
    check(
        f"{dataset} gold spans by our loader",
        Counter(label for d in clinical for _, _, label in d["spans"]),
        types,
    )
    if dataset == "CHIA":
        found = {name: seen[name] for name in ncer_corpora.PUBLISHED_CHIA}
        check("CHIA mentions by our loader", found, ncer_corpora.PUBLISHED_CHIA)
    return gold


def refer(task):
    """What the references say of one system on one dataset."""
    dataset, gold, predictions, label_map = task
    predicted = {d["id"]: d["spans"] for d in ncer_corpora.mapped(predictions, label_map)}
    documents = [
        {"text": d["text"], "gold": d["spans"], "pred": predicted.get(d["id"], [])}
        for d in ncer_corpora.mapped(gold, ncer_corpora.MAPS[dataset])
    ]
    types = ncer_corpora.types_of(dataset)
    spans = reference.nervaluate_report(documents, types)
    return {"nervaluate": spans, **reference.token_report(documents, types, "words")}


def results_file(by_dataset):
    """The benchmark's results file of one system: dataset → its reference values."""
    out = {}
    for metric, (source, name) in METRICS.items():
        datasets, types = {}, {}
        for dataset, values in by_dataset.items():
            if source == "nervaluate":
                f1 = values[source]["overall"][name]["f1"]
                per_type = {t: v[name]["f1"] for t, v in values[source]["per_tag"].items()}
            else:
                f1 = values[source][name]["f1-score"]
                names = ncer_corpora.types_of(dataset)
                per_type = {t: values[source][t]["f1-score"] for t in names}
            datasets[dataset.lower()] = {"f1": round(f1 * 100, 2)}
            for t, value in per_type.items():
                types.setdefault(t, []).append(value)
        types = {t: {"f1": round(sum(v) / len(v) * 100, 2)} for t, v in types.items()}
        out[metric] = {"dataset_results": datasets, "clinical_type_results": types}
    return out


# ---- the comparison ------------------------------------------------------------------------


def compare(dataset, systems, expected, outputs):
    """One dataset, all systems in one run."""
    shapes = ("report", "nervaluate", "sklearn")
    whole, spans, tokens = (json.loads(outputs[shape]) for shape in shapes)
    published = ncer_corpora.PUBLISHED[dataset][1]
    comparison = reference.Comparison()
    for row in whole["systems"]:
        name, ours = row["name"], row["tokens"]
        values = expected[name]
        comparison.exact(f"{name} nervaluate", spans[name], values["nervaluate"])
        comparison.sklearn(f"{name} sklearn", tokens[name], values["sklearn"])
        ties = {"gold": ours["gold_ties"], "pred": ours["predicted_ties"]}
        comparison.exact(f"{name} ties", ties, values["ties"])
        comparison.exact(f"{name} tokens", ours["tokens"], values["tokens"])
        for measure in ("accuracy", "kappa"):
            found = ours[measure]["value"]
            comparison.near(measure, f"{name} {measure}", found, values[measure], 4, 1e-15)
        support = {row["label"]: row["support"] for row in row["spans"]["per_label"]}
        comparison.exact(f"{name} gold spans", support, published)
    if comparison.differences:
        fail(dataset, comparison.differences)
        return
    overall = {s.name: expected[s.name]["nervaluate"]["overall"] for s in systems}
    scores = ", ".join(f"{name} {modes['ent_type']['f1']:.4f}" for name, modes in overall.items())
    print(f"  {dataset}: {comparison.summary()}; ent_type F1 {scores}")


def compare_results(what, text, by_system):
    """Results files of several systems, as text."""
    expected = {name: results_file(values) for name, values in by_system.items()}
    if text.strip() == json.dumps(expected):
        print(f"  {what}: {len(expected)} results files are equal")
        return
    found, lines = json.loads(text), []
    for name, metrics in expected.items():
        for metric, results in metrics.items():
            ours = found.get(name, {}).get(metric, {})
            for part, values in results.items():
                for key, value in values.items():
                    one = ours.get(part, {}).get(key)
                    if json.dumps(one) != json.dumps(value):
                        lines.append(f"{name} {metric} {part} {key}: {one!r}, expected {value!r}")
    fail(what, lines or ["the keys or their order"])


def lay_out(folder, dataset, systems, data):
    """gold/DATASET/… and SYSTEM/DATASET/…; the paths of gold and of each system."""
    native = data / ncer_corpora.NATIVE[dataset]
    gold = folder / "gold" / dataset / native.name
    gold.parent.mkdir(parents=True)
    shutil.copyfile(native, gold)
    paths = {}
    for system in systems:
        path = folder / "systems" / system.name / dataset
        path.mkdir(parents=True)
        system.write(path / f"predictions{system.suffix}", system.documents)
        paths[system.name] = path
    return gold, paths


def run(data, folder, datasets, seed):
    """Each dataset by the npm API, then all of them by the command line."""
    config = folder / "systems" / "model" / "config.json"
    config.parent.mkdir(parents=True)
    ncer_predictions.write_config(config)
    maps = {"model": json.loads(config.read_text(encoding="utf-8"))}
    tasks, layout = [], {}
    for dataset in datasets:
        gold = load(dataset, data)
        systems = ncer_predictions.systems(dataset, gold, seed)
        layout[dataset] = systems, *lay_out(folder, dataset, systems, data)
        tasks += [(dataset, gold, system.documents, system.label_map) for system in systems]
    by_system = {}
    with multiprocessing.Pool() as pool:
        expected = pool.imap(refer, tasks)
        for dataset, (systems, gold, paths) in layout.items():
            values = {system.name: next(expected) for system in systems}
            outputs = run_api(
                gold=[gold],
                predictions=[{"name": name, "inputs": [path]} for name, path in paths.items()],
                options={"dataset": dataset, "maps": maps},
                outputs=["report", "nervaluate", "sklearn", "ncer"],
            )
            compare(dataset, systems, values, outputs)
            alone = {name: {dataset: value} for name, value in values.items()}
            compare_results(f"{dataset} results", outputs["ncer"], alone)
            for name, value in values.items():
                by_system.setdefault(name, {})[dataset] = value
    together = [x for name in by_system for x in ("--pred", folder / "systems" / name)]
    text = cli_text(
        "score", "--benchmark", "ncer", "--gold", folder / "gold", *together, "--output", "ncer",
        "--quiet",
    )  # fmt: skip
    compare_results("all datasets together", text, by_system)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dataset", action="append", choices=list(ncer_corpora.NATIVE))
    options = parser.parse_args()
    reference.check_versions()
    try:
        shared = shared_folder()
        if shared is None:
            skip("the benchmark's corpora", "Put them beside the checkout or set CLINSCORE_SHARED.")
            return 0
        datasets = options.dataset or list(ncer_corpora.NATIVE)
        with tempfile.TemporaryDirectory(prefix="clinscore-") as folder:
            run(shared / "data", Path(folder), datasets, options.seed)
    except CannotRun as problem:
        print(problem, file=sys.stderr)
        return 2
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
