"""Seeded random corpora, small and nasty, for the differential test.

A case is one input line of the batch harness: {"labels", "documents", "tokens"?}, see reference.py.
"""

import random

LABEL_SETS = [
    ["A", "B"],
    ["B", "A", "C"],
    ["A"],
    ["condition", "drug", "gene variant"],
    ["drug", "condition", "procedure", "measurement"],
    ["__proto__", "constructor", "toString"],
    ["µ", "é", "漢字"],
    ["O", "A"],
    # NumPy sums eight or more values pairwise.
    [f"L{i}" for i in range(11)],
    [f"T{i}" for i in range(19)],
]
LABEL_WEIGHTS = [10, 10, 5, 6, 6, 3, 3, 2, 3, 2]
UNKNOWN = ["zzz", "a", "Disease", "label with space", "O"]

WORDS = [
    "aspirin", "fever", "no", "of", "COVID-19", "IL-2_alpha", "x--y", "a_-b", "-lead", "trail-",
    "__init__", "_", "5'-3'", "10⁹/L", "m²", "½", "Ⅳ", "〇", "µg", "naïve", "e\u0301tude", "ß", "Ünal",
    "漢字", "患者は", "कि", "ไข้", "٣٤", "𝐀𝟙", "😀", "👩\u200d⚕️", "a\u200db", "\u200b", "\ufeff", "p.V600E",
    "c.35G>A", "(", ").", ",", "--", "I\u0307", "\u0301", "\x00", "ﬁ", "①", "𐍈", "…", "“q”", "\u180e",
]  # fmt: skip
SPACES = [" ", " ", " ", " ", "\n", "\r\n", "\t", "  ", "", "\u00a0", "\u2003", "\x1c", "\x1f", "\x85",
          "\u3000", "\u2028", "\x0b"]  # fmt: skip


def make_text(rng, words):
    """Words and separators at random, white space at either end included."""
    pieces = [rng.choice(SPACES)] if rng.random() < 0.2 else []
    plain = rng.random() < 0.3
    for _ in range(words):
        pieces.append(rng.choice(WORDS[:6] if plain else WORDS))
        pieces.append(" " if plain else rng.choice(SPACES))
    return "".join(pieces)


def make_tokens(rng, text):
    """Tokens as a file may give them: pieces of the text in order, some skipped, some empty."""
    tokens, position = [], 0
    while position < len(text):
        end = min(len(text), position + rng.randint(1, 6))
        token = text[position:end].strip()
        if token and rng.random() < 0.95:
            # The harness finds a token at its first occurrence from where the last one ended.
            tokens.append(token)
        elif rng.random() < 0.1:
            tokens.append("")
        position = end
    return tokens


class Maker:
    """Makes the documents of one case."""

    def __init__(self, rng, labels):
        self.rng = rng
        self.labels = labels
        self.unknown = rng.choice([0.0, 0.0, 0.05, 0.2])
        self.odd = rng.choice([0.0, 0.05, 0.15])

    def label(self):
        if self.rng.random() < self.unknown:
            return self.rng.choice(UNKNOWN)
        return self.rng.choice(self.labels)

    def span(self, low, high):
        """A span at random in [low, high], sometimes empty, inverted or beyond."""
        rng = self.rng
        start = rng.randint(low, max(low, high))
        end = start + rng.choice([1, 1, 2, 2, 3, 4, 5, 8, 13])
        if rng.random() < self.odd:
            kind = rng.randrange(5)
            if kind == 0:
                end = start
            elif kind == 1:
                start, end = end, start
            elif kind == 2:
                end = start + 40
            elif kind == 3:
                end = start - 1 if start > low else start
            else:
                start = low
        return (start, end, self.label())

    def gold(self, low, high, count):
        rng = self.rng
        style = rng.randrange(4)
        if style == 0:  # anywhere
            spans = [self.span(low, high) for _ in range(count)]
        elif style == 1:  # apart or touching
            spans, position = [], low
            for _ in range(count):
                start = position + rng.choice([0, 0, 1, 2, 4])
                end = start + rng.randint(1, 5)
                spans.append((start, end, self.label()))
                position = end
        elif style == 2:  # nested
            spans, start, end = [], low, low + max(4, high - low)
            for _ in range(count):
                spans.append((start, end, self.label()))
                start, end = start + rng.randint(0, 2), end - rng.randint(0, 2)
                if end <= start:
                    start, end, _ = self.span(low, high)
        else:  # few places, many labels
            places = [self.span(low, high)[:2] for _ in range(max(1, count // 2))]
            spans = [(*rng.choice(places), self.label()) for _ in range(count)]
        return self.disturb(spans)

    def disturb(self, spans):
        """Duplicates and another order, sometimes."""
        rng = self.rng
        spans = list(spans)
        for span in list(spans):
            if rng.random() < 0.06:
                spans.insert(rng.randint(0, len(spans)), span)
        if rng.random() < 0.5:
            rng.shuffle(spans)
        return spans

    def pred(self, gold, low, high, count):
        """Some of the gold as it is, some changed in one way, and some from nowhere."""
        rng = self.rng
        spans = []
        for start, end, label in gold:
            kind = rng.randrange(12)
            if kind <= 2:
                spans.append((start, end, label))
            elif kind <= 4:
                spans.append((start, end, self.label()))
            elif kind == 5:
                spans.append((start + rng.choice([-2, -1, 1, 2]), end, label))
            elif kind == 6:
                spans.append((start, end + rng.choice([-2, -1, 1, 2]), self.label()))
            elif kind == 7:  # touches the gold span
                spans.append((end, end + rng.randint(1, 4), label))
            elif kind == 8:  # in two, the whole at times as well
                middle = (start + end) // 2
                spans += [(start, middle, label), (middle, end, label)]
                if rng.random() < 0.5:
                    spans.append((start, end, label))
            elif kind == 9:  # twice
                spans += [(start, end, label), (start, end, rng.choice([label, self.label()]))]
        spans += [self.span(low, high) for _ in range(rng.randint(0, max(1, count // 3)))]
        if self.rng.random() < 0.97:  # negative starts are rare on purpose
            spans = [(max(0, s), max(0, e), label) for s, e, label in spans]
        return self.disturb(spans)


def make_case(seed, index):
    """The case `index` of the run `seed`."""
    rng = random.Random(f"clinscore {seed} {index}")
    labels = list(rng.choices(LABEL_SETS, LABEL_WEIGHTS)[0])
    maker = Maker(rng, labels)
    kind = rng.choices(["text", "file", "bare", "dense"], [68, 10, 14, 8])[0]
    case = {"labels": labels, "documents": []}
    if kind != "bare":
        case["tokens"] = "file" if kind == "file" else rng.choice(["words", "whitespace"])
    for number in range(1 if kind == "dense" else rng.randint(1, 4)):
        document = {"id": f"d{number}"}
        low, high = 0, 0
        if kind == "bare":
            low = rng.choice([0, 0, 0, 1000, 10**6, 3 * 10**9])
            high = low + rng.choice([5, 20, 60])
            count = rng.choice([0, 1, 2, 4, 8])
        else:
            words = rng.randint(4, 60) if kind == "dense" else rng.choice([0, 1, 3, 6, 12])
            document["text"] = make_text(rng, words)
            high = len(document["text"]) + rng.choice([0, 0, 0, 3])
            if kind == "file":
                document["tokens"] = make_tokens(rng, document["text"])
            count = rng.randint(40, 130) if kind == "dense" else rng.choice([0, 1, 2, 3, 5, 8])
        gold = maker.gold(low, high, count)
        pred = maker.pred(gold, low, high, count)
        if rng.random() < 0.06:
            gold = []
        if rng.random() < 0.06:
            pred = []
        document["gold"] = [list(s) for s in gold]
        document["pred"] = [list(s) for s in pred]
        case["documents"].append(document)
    return case
