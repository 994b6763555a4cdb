//! What was read and paired, as the report shows it.

use super::{GivenTokenizer, InputFile};
use crate::benchmarks::ncer;
use crate::corpus::Role;
use crate::corpus::offsets::Found;
use crate::corpus::pairing::{By, Pairing};
use crate::corpus::problems::{Kind, Problem, Problems, shorten};
use crate::corpus::scheme::Renamed;
use crate::corpus::{Corpus, Document, Unit};
use crate::failure::Failure;
use crate::report::{
    self, Beside, Difference, IdProposal, Input, LabelUse, OffsetsUse, ProblemGroup, ProblemItem, Report,
    Side, TaggingUse, TokenizerFile,
};
use std::collections::BTreeSet;

/// Every input, as it was read.
pub(super) fn inputs<'c>(
    given: &[InputFile],
    corpora: impl Iterator<Item = &'c Corpus>,
    paths: bool,
) -> Vec<Input> {
    let mut inputs: Vec<Input> = given
        .iter()
        .map(|input| Input {
            role: input.role,
            system: (input.role == Role::Prediction).then_some(input.system),
            path: paths.then(|| input.path.clone()),
            bytes: input.source.len(),
            sha256: input.sha256.clone(),
            format: None,
            format_reason: String::new(),
            encoding: None,
            byte_order_mark: false,
            offsets: None,
            both_sides: false,
            tagging: None,
            documents: 0,
            spans: 0,
            problems: 0,
        })
        .collect();
    for corpus in corpora {
        for (file, count) in corpus.problems.by_file() {
            inputs[corpus.files[file as usize].input].problems += count;
        }
        for file in &corpus.files {
            let input = &mut inputs[file.input];
            if file.format.is_some() && input.format.is_none() {
                input.format = file.format;
                input.format_reason.clone_from(&file.reason);
            }
            if input.encoding.is_none() && !file.decoding.encoding.is_empty() {
                input.encoding = Some(file.decoding.encoding);
            }
            input.byte_order_mark |= file.decoding.byte_order_mark;
            input.offsets = input.offsets.or(file.offsets);
            input.both_sides |= file.both_sides;
            if let Some(tagging) = &file.tagging {
                let ill_formed =
                    input.tagging.as_ref().map_or(0, |seen| seen.ill_formed) + tagging.ill_formed;
                input.tagging = Some(TaggingUse { scheme: tagging.scheme, ill_formed });
            }
        }
        for document in &corpus.documents {
            let input = &mut inputs[corpus.files[document.file as usize].input];
            input.documents += 1;
            input.spans += u64::from(document.spans.end - document.spans.start);
        }
    }
    inputs
}

/// Every tokenizer that was given.
pub(super) fn tokenizers(given: &[GivenTokenizer], paths: bool) -> Vec<TokenizerFile> {
    let file = |given: &GivenTokenizer| {
        let description = given.tokenizer.description.clone();
        TokenizerFile {
            system: given.system.clone(),
            path: paths.then(|| given.path.clone()),
            bytes: description.bytes,
            sha256: description.sha256,
            model: description.model,
            vocabulary: description.vocabulary,
            switched_off: description.switched_off,
            failure: description.failure,
        }
    };
    given.iter().map(file).collect()
}

/// One side: its labels and what became of them, its problems and those that the run found.
pub(super) fn side(
    corpus: &Corpus,
    renamed: &Renamed,
    scored: &[String],
    elsewhere: &BTreeSet<&String>,
    found_by_run: Option<&Problems>,
    paths: bool,
) -> Side {
    let scored: BTreeSet<&String> = scored.iter().collect();
    let uses = corpus.label_uses();
    let mut labels: Vec<LabelUse> = corpus
        .labels
        .names()
        .iter()
        .zip(uses.iter().zip(renamed))
        .filter(|(_, (uses, _))| **uses > 0)
        .map(|(label, (&spans, mapped))| LabelUse {
            label: label.clone(),
            spans,
            mapped: mapped.clone(),
            scored: mapped.as_ref().is_some_and(|mapped| scored.contains(mapped)),
            only_here: mapped.as_ref().is_some_and(|mapped| !elsewhere.contains(mapped)),
        })
        .collect();
    labels.sort_by(|a, b| a.label.cmp(&b.label));
    let mut problems = groups(corpus, &corpus.problems, paths);
    problems.extend(found_by_run.into_iter().flat_map(|found| groups(corpus, found, paths)));
    let dropped: Vec<&LabelUse> = labels.iter().filter(|use_| use_.mapped.is_none()).collect();
    if dropped.iter().any(|use_| use_.spans > 0) {
        problems.push(ProblemGroup {
            kind: Kind::UnmappedLabel.name(),
            title: Kind::UnmappedLabel.title(),
            loses: true,
            count: dropped.iter().map(|use_| use_.spans).sum(),
            items: dropped
                .iter()
                .map(|use_| ProblemItem {
                    input: None,
                    entry: None,
                    line: None,
                    document: None,
                    found: format!(
                        "{} span{} labelled {:?}",
                        use_.spans,
                        if use_.spans == 1 { "" } else { "s" },
                        shorten(&use_.label)
                    ),
                    expected: "a label that the map names".into(),
                })
                .collect(),
        });
    }
    Side {
        documents: corpus.documents.len() as u64,
        spans: corpus.spans.len() as u64,
        offsets: corpus.offsets.iter().map(offsets).collect(),
        dataset: ncer::of_labels(labels.iter().map(|label| label.label.as_str())),
        labels,
        problems,
    }
}

fn offsets(found: &Found) -> OffsetsUse {
    let way = &found.way;
    OffsetsUse {
        format: found.format,
        unit: way.unit.name(),
        view: if way.lf { "lf" } else { "raw" },
        end: if way.inclusive { "inclusive" } else { "exclusive" },
        from: if way.passage { "passage" } else { "document" },
        inferred: found.inferred,
        checked: found.checked,
        agree: found.agree,
        deciding: found.deciding,
        byte_order_marks: found.boms,
        words: offsets_in_words(found),
    }
}

/// How offsets were read and on what evidence.
pub(super) fn offsets_in_words(found: &Found) -> String {
    let way = &found.way;
    let mut words = match way.unit {
        Unit::CodePoint => "code points".to_owned(),
        Unit::Utf16 => "UTF-16 code units".to_owned(),
        Unit::Byte => "UTF-8 bytes".to_owned(),
    };
    for (applies, more) in [
        (way.lf, ", CRLF counted as one"),
        (way.inclusive, ", the end is the last one of the span"),
        (way.passage, ", from the start of the passage"),
    ] {
        words.push_str(if applies { more } else { "" });
    }
    if found.inferred {
        let how = format!(" ({} of {} spans match the text", found.agree, found.checked);
        words.push_str(&how);
        words.push_str(&if found.deciding == found.agree {
            " only that way)".to_owned()
        } else {
            format!(", {} of them only that way)", found.deciding)
        });
        words.push_str("; converted to code points");
    } else if found.checked > 0 {
        words.push_str(&format!(" ({} of {} spans match the text)", found.agree, found.checked));
    } else {
        words.push_str(" (as the format or the options say; no span's own text could be compared)");
    }
    let documents = |count: u64| format!("{count} document{}", if count == 1 { "" } else { "s" });
    if way.unit == Unit::Utf16 && found.astral > 0 {
        let contain = if found.astral == 1 { "contains" } else { "contain" };
        words.push_str(&format!("; {} {contain} characters outside the BMP", documents(found.astral)));
    }
    for (count, what) in found.boms.into_iter().zip(["counted", "not counted"]) {
        if count > 0 {
            words.push_str(&format!("; the byte-order mark of {} is {what}", documents(count)));
        }
    }
    words
}

fn groups(corpus: &Corpus, problems: &Problems, paths: bool) -> Vec<ProblemGroup> {
    let item = |problem: &Problem| {
        let file = problem.place.file.and_then(|at| corpus.files.get(at as usize));
        ProblemItem {
            input: file.map(|file| file.input),
            entry: file.filter(|_| paths).map(|file| file.path.clone()),
            line: Some(problem.place.line).filter(|&line| line > 0),
            document: problem.place.document.clone(),
            found: problem.found.clone(),
            expected: problem.expected.clone(),
        }
    };
    problems
        .by_kind()
        .into_iter()
        .map(|(kind, count, listed)| ProblemGroup {
            kind: kind.name(),
            title: kind.title(),
            loses: kind.loses(),
            count,
            items: listed.into_iter().map(item).collect(),
        })
        .collect()
}

/// Which documents met.
pub(super) fn pairing(gold: &Corpus, pred: &Corpus, pairing: &Pairing) -> report::Pairing {
    let id = |document: &Document| document.id.clone();
    let texts_differ = |&(g, p): &(u32, Option<u32>)| {
        let (g, p) = (&gold.documents[g as usize], &pred.documents[p? as usize]);
        (g.digest? != p.settled_on.or(p.digest)?).then(|| id(g))
    };
    report::Pairing {
        by: pairing.by.name(),
        proposal: pairing.proposal.as_ref().map(|proposal| IdProposal {
            steps: proposal.steps.clone(),
            more: proposal.more,
            example: proposal.example.clone(),
            applied: pairing.by == By::NormalisedId,
        }),
        both: pairing.pairs.iter().filter(|pair| pair.1.is_some()).count() as u64,
        gold_only: pairing
            .pairs
            .iter()
            .filter(|pair| pair.1.is_none())
            .map(|pair| id(&gold.documents[pair.0 as usize]))
            .collect(),
        predicted_only: pairing.predicted_only.iter().map(|&at| id(&pred.documents[at as usize])).collect(),
        text_differs: pairing.pairs.iter().filter_map(texts_differ).collect(),
    }
}

/// A system's score under another choice; `at` is its index.
pub(super) fn beside(
    (option, value): (&'static str, &'static str),
    found: Result<&Report, &Failure>,
    at: usize,
    differences: Vec<Difference>,
) -> Beside {
    let mut beside = Beside {
        option,
        value,
        definition: "",
        failure: None,
        documents: 0,
        gold: 0,
        predicted: 0,
        overall: None,
        per_label: Vec::new(),
        tokens: None,
        answers: None,
        differences,
    };
    let system = match found {
        Ok(report) => {
            beside.definition = report.definition.name;
            &report.systems[at]
        }
        Err(failure) => {
            beside.failure = Some(failure.clone());
            return beside;
        }
    };
    beside.failure.clone_from(&system.failure);
    beside.documents = system.pairing.both + system.pairing.gold_only.len() as u64;
    beside.answers.clone_from(&system.answers);
    if let Some(spans) = &system.spans {
        beside.gold = spans.per_label.iter().map(|label| label.support).sum();
        beside.predicted = spans.per_label.iter().map(|label| label.predicted).sum();
        beside.overall = Some(spans.overall.clone());
        beside.per_label.clone_from(&spans.per_label);
    }
    beside.tokens = system.tokens.as_ref().map(|t| [t.micro.f1, t.macro_avg.f1, t.weighted.f1]);
    beside
}
