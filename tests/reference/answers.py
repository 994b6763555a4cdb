#!/usr/bin/env python3
"""Generated text by the benchmark's rules: random answers against Python's own `re` and `ast`.

The rules (HTML spans, lists, what lies inside another span) are written down here once more, on top of the modules
that the benchmark uses. Compared: every span, what became of every item, and the counts. usage: answers.py
[--cases N] [--seed N]; answers.py --real prints the counts of the real answers that tests/format_reply.rs expects.
"""

import argparse
import ast
import platform
import random
import re
import sys
import warnings

from native import CannotRun, example_path, run_batch, shared_folder

# Python warns of escapes and numbers that it reads all the same.
warnings.simplefilter("ignore")

TAG = re.compile(r'<span class="([^"]+)" ?>(.*?)</span ?>')
ITEM = re.compile(r"'([^']*?)'(?:,|])")


def html(answer, text):
    """[(label, span or None)], the answer's marks."""
    answer = answer.replace("'", '"')
    found, clean, last = [], "", 0
    for match in TAG.finditer(answer):
        label, inner = match.groups()
        if inner not in text:
            found.append((label, []))
            continue
        clean += answer[last : match.start()]
        start = len(clean)
        clean += inner
        last = match.end()
        found.append((label, [(start, len(clean))]))
    return found


def items(answer):
    """The items of a list, or None."""
    found = ITEM.findall(answer)
    if found:
        return found
    try:
        value = ast.literal_eval(answer)
    except Exception:
        if "'" in answer:
            return None
        answer = answer.replace(", ", "', '").replace("[", "['").replace("]", "']")
        try:
            value = ast.literal_eval(answer)
        except Exception:
            return None
    if isinstance(value, (set, frozenset)):
        # Sets have no order; of the items' places only their number counts.
        return sorted(value, key=repr)
    return list(value) if isinstance(value, (list, tuple, dict, str, bytes)) else None


def places(item, text):
    if not isinstance(item, str):
        return []
    return [match.span() for match in re.finditer(re.escape(item), text, re.IGNORECASE)]


def expected(document, labels):
    """What a document's answers give: the answers' items and the spans kept."""
    text = document["text"]
    found, answers = [], []
    for asked, answer in document["answers"]:
        if asked is None:
            listed = html(answer, text)
        else:
            parsed = items(answer)
            if parsed is None:
                answers.append({"failed": True, "fates": []})
                continue
            listed = [(asked, places(item, text)) for item in parsed]
        fates = []
        for label, spans in listed:
            mapped = labels.get(label, label if label in labels.values() else None)
            fates.append("hallucinated" if not spans else "inside" if mapped else "unmapped")
            if mapped:
                found += [(start, end, mapped, fates, len(fates) - 1) for start, end in spans]
        answers.append({"failed": False, "fates": fates})
    found.sort(key=lambda span: (span[0], -(span[1] - span[0]), span[2]))
    kept = []
    for span in found:
        start, end, label, fates, at = span
        last = kept[-1] if kept else None
        if last and last[2] == label and last[0] <= start and end <= last[1]:
            continue
        kept.append(span)
        fates[at] = "span"
    return {"answers": answers, "spans": [list(span[:3]) for span in kept]}


def as_counts(documents):
    answers = [answer for document in documents for answer in document["answers"]]
    fates = [fate for answer in answers for fate in answer["fates"]]
    return {
        "rule": "reference",
        "answers": len(answers),
        "parsed": sum(not answer["failed"] for answer in answers),
        "failed": sum(answer["failed"] for answer in answers),
        "items": len(fates),
        "hallucinated": fates.count("hallucinated"),
        "unmapped": fates.count("unmapped"),
        "inside": fates.count("inside"),
        "spans": sum(len(document["spans"]) for document in documents),
    }


WORDS = ["aspirin", "Aspirin", "aspirin 81 mg", "statin", "it's", "a", "aa", "é", "É", "µg", "μg", "ΣΑΣ", "σας", "σασ",
         "İV", "iv", "ı", "ſtatin", "K", "k", "Å", "å", "ẞ", "ß", "ss", "ﬅ", "ﬆ", "Ǆ", "ǆ", "ǅ", "😖", "[x]", "a, b", '"q"', "",
         " ", "\n", ".", "*", "(", "\\", "\0", "ᲀ", "В", "ẛ", "Ṡ", "ͅ", "ι", "Ι", "ᾳ", "ΐ", "ΐ"]  # fmt: skip
MARKS = ['<span class="drug">', '<span class="drug" >', "<span class='dose'>", '<span class="x y">', '<span class="">',
         '<span class="drug"  >', "<span class=drug>", "</span>", "</span >", "</span  >", "</spa", "<span ", '"', "'", ">",
         "<SPAN class=\"drug\">", '<span class="a\nb">', '<span class="disease">']  # fmt: skip
LITERALS = ["'", '"', "'''", "[", "]", "(", ")", "{", "}", ",", ", ", ":", " ", "\n", "\r\n", "\r", "\t", "\f", "#", "\\",
            "\\n", "\\x41", "\\x4", "\\u00e9", "\\101", "\\\n", "\\d", "\\'", "u'", "r'", "b'", "f'", "1", "-", "+", "1.5", "1j",
            "2-3j", "0x1F", "012", "1_0", "1e5", ".5", "1.", "None", "True", "...", "set()", "a", "é", "*", ";", "\0", "\v", "'a'",
            "'b'", '"a"', "'', ", "['a', ", "[\"a\", "]  # fmt: skip


def listed(rng, vocabulary):
    """A list, nearly as it should be."""
    quote = rng.choice(["'", "'", '"', "", '"""'])
    words = [rng.choice(vocabulary) for _ in range(rng.randint(0, 5))]
    joint = rng.choice([", ", ",", ",\n", " , "])
    body = joint.join(f"{quote}{word}{quote}" for word in words)
    opened, closed = rng.choice(["[]", "[]", "[]", "()", "{}", ["", ""], ["Sure: [", "] ok"], ["\n[", ",]\n"], ["  [", "]"]])
    return opened + body + closed


def answer(rng, vocabulary):
    kind = rng.random()
    if kind < 0.4:
        parts = [rng.choice(MARKS if rng.random() < 0.5 else vocabulary) for _ in range(rng.randint(0, 12))]
        return None, "<span" * (rng.random() < 0.1) + "".join(parts) + "<span"
    if kind < 0.5:
        parts = []
        for _ in range(rng.randint(1, 6)):
            parts.append(rng.choice([*vocabulary, " ", " and "]))
            label = rng.choice(["drug", "dose", "condition", "x y", "disease"])
            parts.append(f'<span class="{label}">{rng.choice(vocabulary)}</span>')
        return None, "".join(parts)
    asked = rng.choice(["drug", "dose", "disease", "nothing"])
    if kind < 0.75:
        text = listed(rng, vocabulary)
        if rng.random() < 0.2 and text:
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice(LITERALS) + text[at + rng.randint(0, 2) :]
        return asked, text
    return asked, "".join(rng.choice(LITERALS) for _ in range(rng.randint(0, 9)))


def case(rng):
    documents = []
    for _ in range(rng.randint(1, 4)):
        # Few words, so that answers and documents meet.
        vocabulary = rng.sample(WORDS, rng.choice([4, 8, len(WORDS)]))
        text = "".join(rng.choice(vocabulary) + rng.choice(["", " ", "\n"]) for _ in range(rng.randint(0, 14)))
        answers = [answer(rng, vocabulary) for _ in range(rng.randint(1, 4))]
        documents.append({"text": text, "answers": answers})
    maps = [{"drug": "drug", "dose": "drug"}, {"drug": "b", "dose": "a", "disease": "condition", "x y": "b"}]
    return {"map": rng.choice(maps), "documents": documents}


def letters():
    """Every letter with a case that this Python knows, each looked for among all."""
    known = [chr(at) for at in range(128, sys.maxunicode + 1) if not 0xD800 <= at <= 0xDFFF]
    cased = [c for c in known if c.lower() != c or c.upper() != c or c in "ıſẛ"]
    listed = "[" + ", ".join(f"'{c}'" for c in cased) + "]"
    return {"map": {"drug": "drug"}, "documents": [{"text": " ".join(cased), "answers": [("drug", listed)]}]}


def differs(batch, case):
    """What the core gives and what was expected, where they differ."""
    wanted = {"documents": [expected(document, case["map"]) for document in case["documents"]]}
    wanted["counts"] = as_counts(wanted["documents"])
    [given] = run_batch(batch, [case])
    return None if same(given, wanted) else (given, wanted)


def same(given, wanted):
    if given.get("counts") != wanted["counts"]:
        return False
    for a, b in zip(given["documents"], wanted["documents"], strict=True):
        if a["spans"] != b["spans"]:
            return False
        for x, y in zip(a["answers"], b["answers"], strict=True):
            # The items of a set come in no order.
            if x["failed"] != y["failed"] or sorted(x["fates"]) != sorted(y["fates"]):
                return False
    return True


def compare(options):
    rng = random.Random(options.seed)
    cases = [letters(), *(case(rng) for _ in range(options.cases))]
    batch = example_path("answers")
    met = {"failed": 0, "hallucinated": 0, "unmapped": 0, "inside": 0, "spans": 0}
    for number, (one, given) in enumerate(zip(cases, run_batch(batch, cases), strict=True)):
        wanted = {"documents": [expected(document, one["map"]) for document in one["documents"]]}
        wanted["counts"] = as_counts(wanted["documents"])
        for name in met:
            met[name] += wanted["counts"][name]
        if same(given, wanted):
            continue
        for document in one["documents"]:
            for single in document["answers"]:
                smaller = {"map": one["map"], "documents": [{"text": document["text"], "answers": [single]}]}
                found = differs(batch, smaller)
                if found:
                    print(f"seed {options.seed}, case {number}: {smaller!a}\n  given {found[0]!a}\n  wanted {found[1]!a}")
                    return 1
        print(f"seed {options.seed}, case {number}: {one!a}\n  given {given!a}\n  wanted {wanted!a}")
        return 1
    print(f"  {options.cases} cases agree (Python {platform.python_version()}): {met}")
    return 0 if min(met.values()) >= options.cases // 10 else 1


def real():
    """GPT-4's answers to 201 sentences: spans by the rules against gold as sets."""
    shared = shared_folder()
    if shared is None:
        raise CannotRun("the real corpora are missing")
    folder = shared / "data" / "llm-mtsamples"
    counts = [0, 0, 0]
    documents = []
    for path in sorted((folder / "gold").iterdir()):
        lines = [line.rsplit(None, 1) for line in path.read_text("utf-8").splitlines() if line.strip()]
        gold, at, opened = [], 0, None
        for token, tag in lines:
            prefix, _, label = tag.partition("-")
            if prefix != "O" and not (prefix == "I" and opened and opened[2] == label):
                opened = [at, at + len(token), label]
                gold.append(opened)
            elif prefix == "I":
                opened[1] = at + len(token)
            else:
                opened = None
            at += len(token) + 1
        text = " ".join(token for token, _ in lines)
        answer = (folder / "gpt4-5shot" / (path.stem + ".html")).read_bytes().decode()
        labels = {label: label for label in ("problem", "treatment", "test")}
        documents.append(expected({"text": text, "answers": [(None, answer)]}, labels))
        here, there = {tuple(span) for span in gold}, {tuple(span) for span in documents[-1]["spans"]}
        for at, found in enumerate([here & there, there - here, here - there]):
            counts[at] += len(found)
    print(f"TP, FP, FN {counts}; {as_counts(documents)} (Python {platform.python_version()})")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--real", action="store_true")
    options = parser.parse_args()
    return real() if options.real else compare(options)


if __name__ == "__main__":
    sys.exit(main())
