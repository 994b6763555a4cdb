"""Small independent readers and writers of the corpora that the reference tests use.

A document is {"id", "text", "spans": [(start, end, label)]}, in file order, labels as the file has them.
"""

import json
import re
from pathlib import Path

PUBTATOR_TEXT = re.compile(r"([^|\t]+)\|([ta])\|(.*)")


def read_jsonl(path):
    """Records {"id", "text", "entities"}, one a line."""
    documents = []
    with open(path, encoding="utf-8", newline="\n") as lines:
        for line in lines:
            if line.strip():
                record = json.loads(line)
                spans = [(e["start"], e["end"], e["label"]) for e in record["entities"]]
                documents.append({"id": record["id"], "text": record.get("text"), "spans": spans})
    return documents


def write_jsonl(path, documents):
    """The records that read_jsonl reads; without a text where it is None."""
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        for document in documents:
            record = {key: document[key] for key in ("id", "text") if document[key] is not None}
            record["entities"] = [
                {"start": s, "end": e, "label": label} for s, e, label in document["spans"]
            ]
            out.write(json.dumps(record, ensure_ascii=False) + "\n")


def read_pubtator(path):
    """Title and abstract joined by one space; relation rows left out."""
    documents, titles, document = [], {}, None
    for line in Path(path).read_bytes().decode("utf-8").split("\n"):
        line = line.rstrip("\r")
        match = PUBTATOR_TEXT.fullmatch(line)
        if match:
            identifier, part, text = match.groups()
            if part == "t":
                titles[identifier] = text
                document = {"id": identifier, "text": text, "spans": []}
                documents.append(document)
            else:
                document["text"] = f"{titles[identifier]} {text}"
            continue
        cells = line.split("\t")
        if len(cells) >= 5 and cells[1].isdigit() and cells[2].isdigit():
            span = (int(cells[1]), int(cells[2]), cells[4])
            if document["text"][span[0] : span[1]] == cells[3]:
                document["spans"].append(span)
    return documents


def write_pipeline(path, documents):
    """Token classification as Hugging Face's pipeline gives it: a list a document, without ids."""
    lists = [
        [
            {"entity_group": label, "score": 0.5, "word": document["text"][s:e], "start": s, "end": e}
            for s, e, label in document["spans"]
        ]
        for document in documents
    ]
    Path(path).write_text(json.dumps(lists, ensure_ascii=False), encoding="utf-8")


def write_pubtator(path, documents, titles):
    """PubTator with the text split where `titles` (id → title length) says."""
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        for document in documents:
            identifier, text = document["id"], document["text"]
            cut = titles[identifier]
            out.write(f"{identifier}|t|{text[:cut]}\n{identifier}|a|{text[cut + 1 :]}\n")
            for start, end, label in document["spans"]:
                out.write(f"{identifier}\t{start}\t{end}\t{text[start:end]}\t{label}\t-\n")
            out.write("\n")


def pubtator_titles(path):
    """id → length of the title."""
    titles = {}
    for line in Path(path).read_bytes().decode("utf-8").split("\n"):
        match = PUBTATOR_TEXT.fullmatch(line.rstrip("\r"))
        if match and match[2] == "t":
            titles[match[1]] = len(match[3])
    return titles


def read_brat(folder):
    """Every .txt of a folder with the T lines of its .ann; fragments become their envelope."""
    documents = []
    for path in sorted(Path(folder).glob("*.txt")):
        spans = []
        annotations = path.with_suffix(".ann")
        lines = annotations.read_bytes().decode("utf-8") if annotations.exists() else ""
        for line in lines.split("\n"):
            cells = line.rstrip("\r").split("\t")
            if line.startswith("T") and len(cells) >= 2:
                label, offsets = cells[1].split(" ", 1)
                numbers = [int(n) for n in re.findall(r"\d+", offsets)]
                spans.append((numbers[0], numbers[-1], label))
        text = path.read_bytes().decode("utf-8")
        documents.append({"id": path.stem, "text": text, "spans": spans})
    return documents


def write_brat(folder, documents):
    """One .ann and one .txt per document."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for document in documents:
        text = document["text"]
        (folder / f"{document['id']}.txt").write_bytes(text.encode())
        with open(folder / f"{document['id']}.ann", "w", encoding="utf-8", newline="\n") as out:
            for number, (start, end, label) in enumerate(document["spans"], 1):
                mention = re.sub(r"[\r\n]", " ", text[start:end])
                out.write(f"T{number}\t{label} {start} {end}\t{mention}\n")
