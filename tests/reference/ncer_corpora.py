"""The gold of the NCER benchmark's four datasets, from their native files.

Written from the rules of the benchmark's loaders, not from clinscore's. A document is
{"id", "text", "spans": [(start, end, label)]}, the spans with the file's own labels.
"""

import re
import zipfile
from collections import Counter
from xml.etree import ElementTree

import corpus_files

TYPES = ["condition", "drug", "procedure", "measurement", "gene", "gene variant"]

DISEASES = ["SpecificDisease", "DiseaseClass", "Modifier", "CompositeMention"]

# Dataset → file, its labels as clinical types, the types scored.
NATIVE = {
    "NCBI": "ncbi-disease/NCBItestset_corpus.txt",
    "CHIA": "chia/chia_with_scope.zip",
    "BIORED": "biored/Test.PubTator",
    "BC5CDR": "bc5cdr/CDR_TestSet.BioC.xml",
}
MAPS = {
    "NCBI": dict.fromkeys(DISEASES, "condition"),
    "CHIA": {name.capitalize(): name for name in ("condition", "drug", "procedure", "measurement")},
    "BIORED": {
        "DiseaseOrPhenotypicFeature": "condition",
        "ChemicalEntity": "drug",
        "GeneOrGeneProduct": "gene",
        "SequenceVariant": "gene variant",
    },
    "BC5CDR": {"Disease": "condition", "Chemical": "drug"},
}

# Published: documents, gold spans of each type.
PUBLISHED = {
    "NCBI": (100, {"condition": 960}),
    "CHIA": (191, {"condition": 1103, "drug": 295, "procedure": 300, "measurement": 258}),
    "BIORED": (100, {"condition": 917, "drug": 754, "gene": 1180, "gene variant": 241}),
    "BC5CDR": (500, {"condition": 4534, "drug": 5394}),
}
# CHIA's mentions of the four types: all, dropped, moved.
PUBLISHED_CHIA = {"all": 2183, "dropped": 227, "moved": 460}


def types_of(dataset):
    """The clinical types of a dataset, in the benchmark's order."""
    return [name for name in TYPES if name in MAPS[dataset].values()]


def load(dataset, data):
    """(documents that count, what became of mentions, how many documents were dropped)."""
    seen = Counter()
    if dataset == "CHIA":
        documents = _chia(data / NATIVE["CHIA"], data / "ncer" / "chia-test-ids.txt", seen)
    elif dataset == "BC5CDR":
        documents = _bc5cdr(data / NATIVE["BC5CDR"], seen)
    else:
        # A mention whose text differs from the document at its offsets is not read.
        documents = corpus_files.read_pubtator(data / NATIVE[dataset])
    kept = []
    for document in documents:
        spans = [span for span in document["spans"] if span[2] in MAPS[dataset]]
        if spans and not is_blank(document["text"]):
            kept.append({**document, "spans": spans})
    seen["documents dropped"] = len(documents) - len(kept)
    return kept, seen


def is_blank(text):
    """White space, or what a data frame writes for nothing."""
    return text.strip().lower().replace("na", "") == ""


def mapped(documents, label_map):
    """The documents with labels mapped; spans with other labels are dropped."""

    def spans(document):
        return [(s, e, label_map[name]) for s, e, name in document["spans"] if name in label_map]

    return [{**document, "spans": spans(document)} for document in documents]


# ---- BC5CDR --------------------------------------------------------------------------------


def _bc5cdr(path, seen):
    """Title, a space, abstract; of a mention in pieces the first, with the text found there."""
    documents = []
    for node in ElementTree.parse(path).iterfind("document"):
        passages = {p.find("infon[@key='type']").text: p for p in node.iterfind("passage")}
        parts = [passages[kind] for kind in ("title", "abstract")]
        text = " ".join(part.findtext("text") for part in parts)
        spans = []
        for annotation in (a for part in parts for a in part.iterfind("annotation")):
            seen["all"] += 1
            locations = annotation.findall("location")
            start, length = (int(locations[0].get(name)) for name in ("offset", "length"))
            mention = annotation.findtext("text")
            if len(locations) > 1:
                seen["in pieces"] += 1
                mention = text[start : start + length]
            if text[start : start + length] != mention:
                seen["found elsewhere"] += 1
                start = text.find(mention)
                if start < 0:
                    seen["dropped"] += 1
                    continue
            label = annotation.find("infon[@key='type']").text
            spans.append((start, start + len(mention), label))
        documents.append({"id": node.findtext("id"), "text": text, "spans": spans})
    return documents


# ---- CHIA ----------------------------------------------------------------------------------

# A newline between two letters, commas or full stops is doubled.
LONE_NEWLINE = re.compile(r"(?<=[a-zA-Z,.])\n(?=[a-zA-Z,.])")
OTHER_ANNOTATION = re.compile(r"(?:[REAMN]\d+|\*|#\d*)\t")


def _chia(path, ids, seen):
    """The test split; mentions that are not at their offsets are looked up."""
    wanted = set(ids.read_text(encoding="utf-8").split())
    documents = []
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if name.rsplit("/", 1)[-1] not in wanted:
                continue
            text = LONE_NEWLINE.sub("\n\n", _universal(archive.read(name)))
            annotations = _universal(archive.read(name.removesuffix(".txt") + ".ann"))
            spans = []
            for label, start, end, mention in _mentions(annotations):
                if label not in MAPS["CHIA"]:
                    continue
                seen["all"] += 1
                place = _place(text, start, end, mention)
                if place is None:
                    seen["dropped"] += 1
                    continue
                seen["moved"] += place != (start, end)
                spans.append((*place, label))
            identifier = name.rsplit("/", 1)[-1].removesuffix(".txt")
            documents.append({"id": identifier, "text": text, "spans": spans})
    return documents


def _universal(data):
    """Python's text mode: every line end is one newline."""
    return data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def _mentions(annotations):
    """(label, start, end, text) of T lines; lines that continue one belong to its text."""
    mentions, open_mention = [], False
    for line in annotations.split("\n"):
        if re.match(r"T\d+\t", line):
            _, place, text = line.split("\t", 2)
            label, offsets = place.split(" ", 1)
            # Of several fragments the first one's offsets.
            start, end = offsets.split(";")[0].split()
            mentions.append([label.capitalize(), int(start), int(end), text])
            open_mention = True
        elif OTHER_ANNOTATION.match(line):
            open_mention = False
        elif open_mention and line:
            mentions[-1][3] += "\n" + line
    return mentions


def _place(text, start, end, mention):
    """Where a mention counts: at its offsets, at its only occurrence, or nowhere."""
    if text[start:end] == mention:
        return start, end
    found = [match.span() for match in re.finditer(re.escape(mention), text)]
    return found[0] if len(found) == 1 else None
