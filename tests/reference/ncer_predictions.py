"""Made-up systems for the NCER benchmark: their predictions, their labels and their files, by a seed."""

import json
import random
from dataclasses import dataclass

import corpus_files
import ncer_corpora
from perturb import perturb

# Labels that no map knows.
STRANGE = ["anatomy", "Person", "conditions", "O"]


@dataclass
class System:
    """One system on one dataset."""

    name: str
    # With the system's own labels.
    documents: list
    # The system's labels → clinical types.
    label_map: dict
    # Suffix of its file, and what writes it.
    suffix: str
    write: callable


def systems(dataset, gold, seed):
    """The systems of a dataset; `gold` has the corpus' own labels."""
    types = ncer_corpora.types_of(dataset)
    native = ncer_corpora.MAPS[dataset]
    # Without a map of its own a system may use the corpus' labels and the clinical types.
    known = {**native, **{name: name for name in types}}
    own = model_map(dataset)
    clinical = ncer_corpora.mapped(gold, native)
    rng = random.Random(f"ncer {seed} {dataset}")
    jsonl = ".jsonl", corpus_files.write_jsonl
    return [
        System("types", _with_strange(rng, perturb(clinical, seed)), known, *jsonl),
        System("native", _without_text(_gaps(rng, perturb(gold, seed + 1))), known, *jsonl),
        System("model", _model(rng, dataset, perturb(gold, seed + 2), own), own, *jsonl),
        System("crowded", crowded(rng, clinical, types), known, *jsonl),
        System("nothing-right", _without_text(_beside(rng, clinical)), known, *jsonl),
        _in_format(dataset, perturb(gold, seed + 3), known),
    ]


def model_map(dataset):
    """The map of the system "model" for a dataset; one of the corpus' labels is not in it."""
    native = ncer_corpora.MAPS[dataset]
    left_out = list(native)[-1] if dataset == "NCBI" else None
    return {_model_label(name): to for name, to in native.items() if name != left_out}


def write_config(path):
    """A config.json as the benchmark has them, with the maps of the system "model"."""
    maps = {dataset: model_map(dataset) for dataset in ncer_corpora.MAPS}
    config = {
        "model_name": "made-up/model",
        "model_architecture": "GLiNER Encoder",
        "inference_config": {"gliner_threshold": 0.5, "label_normalization_map": maps},
    }
    path.write_text(json.dumps(config, indent=2), encoding="utf-8")


def _model_label(name):
    return f"my {name.lower()}"


def _with_strange(rng, documents):
    """Every document gets some spans with labels that no map knows."""
    out = []
    for document in documents:
        spans = list(document["spans"])
        for _ in range(rng.randint(0, 3)):
            start = rng.randrange(len(document["text"]))
            end = min(len(document["text"]), start + rng.randint(1, 12))
            spans.insert(rng.randint(0, len(spans)), (start, end, rng.choice(STRANGE)))
        out.append({**document, "spans": spans})
    return out


def _gaps(rng, documents):
    """In another order, a twentieth missing, one that gold does not have."""
    documents = [d for d in documents if rng.random() >= 0.05]
    rng.shuffle(documents)
    return [*documents, {**documents[0], "id": "not in gold"}]


def _without_text(documents):
    return [{**document, "text": None} for document in documents]


def _model(rng, dataset, documents, own):
    """The system's own labels, and among them some of the corpus' and clinical types, which its map lacks."""
    others = [*ncer_corpora.MAPS[dataset], *ncer_corpora.types_of(dataset)]

    def relabel(label):
        return rng.choice(others) if rng.random() < 0.05 else _model_label(label)

    documents = [
        {**d, "spans": [(s, e, relabel(label)) for s, e, label in d["spans"]]} for d in documents
    ]
    assert not own.keys() & set(others)
    return documents


def crowded(rng, documents, labels):
    """Up to four around each gold span: nested, overlapping, touching, repeated, empty, beyond the text."""
    out = []
    for document in documents:
        size, spans = len(document["text"]), []
        for start, end, label in document["spans"]:
            middle = (start + end) // 2
            shapes = [
                (start, end),
                (start, end),
                (start - rng.randint(1, 5), end + rng.randint(0, 5)),
                (start, max(start + 1, middle)),
                (middle, end),
                (start + 1, end - 1),
                (end, end + rng.randint(1, 5)),
                (start - rng.randint(1, 5), start),
                (middle, middle),
            ]
            for _ in range(rng.randint(0, 4)):
                s, e = rng.choice(shapes)
                name = label if rng.random() < 0.75 else rng.choice(labels)
                spans.append((max(0, s), max(0, e), name))
        if rng.random() < 0.1:
            spans.append((size - 2, size + 10, rng.choice(labels)))
        rng.shuffle(spans)
        out.append({**document, "spans": spans})
    rng.shuffle(out)
    return out


def _beside(rng, documents):
    """One span a document that touches no gold span."""
    out = []
    for document in documents:
        taken = [(s - 1, e + 1) for s, e, _ in document["spans"]]
        free = [
            at
            for at in range(0, len(document["text"]) - 3, 3)
            if all(at + 2 < s or at > e for s, e in taken)
        ]
        label = document["spans"][0][2]
        spans = [(at, at + 2, label) for at in rng.sample(free, min(1, len(free)))]
        out.append({**document, "spans": spans})
    return out


def _apart(document):
    """No span begins where the one before it ends: a pipeline's pieces of a word are joined."""
    spans = []
    for span in document["spans"]:
        if not spans or spans[-1][1] != span[0]:
            spans.append(span)
    return {**document, "spans": spans}


def _in_format(dataset, documents, known):
    """In another format than JSON Lines."""
    if dataset == "CHIA":
        return System("other-format", documents, known, "", corpus_files.write_brat)
    if dataset == "BC5CDR":
        pipeline = ".json", corpus_files.write_pipeline
        return System("other-format", [_apart(d) for d in documents], known, *pipeline)
    # PubTator is one line a part: the title ends where the first space after half of the text is.
    cuts = {d["id"]: d["text"].index(" ", len(d["text"]) // 2) for d in documents}

    def write(path, documents):
        corpus_files.write_pubtator(path, documents, cuts)

    return System("other-format", documents, known, ".PubTator", write)
