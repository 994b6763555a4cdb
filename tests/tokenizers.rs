//! Tokens of a tokenizer that was given, which the core sees as a function.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::tokens::Token;
use clinscore::tokens::tokenizer::{Description, Tokenizer};
use clinscore::{Options, Report, Workspace};
use common::workspace;
use serde_json::json;
use std::rc::Rc;

const GOLD: &[u8] = b"{\"id\":\"1\",\"text\":\"ab cd ef\",\"entities\":[[3,5,\"x\"]]}\n";
const PRED: &[u8] = b"{\"id\":\"1\",\"text\":\"ab cd ef\",\"entities\":[[3,4,\"x\"]]}\n";
const WITH_TOKENS: &[u8] =
    b"{\"id\":\"1\",\"text\":\"ab cd ef\",\"tokens\":[\"ab\",\"cd ef\"],\"entities\":[[3,5,\"x\"]]}\n";

fn options(tokens: &str) -> Options {
    serde_json::from_value(json!({"tokens": tokens})).unwrap()
}

/// A tokenizer that gives every text these tokens.
fn always(tokens: &'static [Token]) -> Tokenizer {
    let description =
        Description { model: Some("BPE".into()), vocabulary: 7, bytes: 9, ..Description::default() };
    Tokenizer { description, tokenize: Some(Rc::new(move |_| Some(tokens.to_vec()))) }
}

fn broken() -> Tokenizer {
    let description = Description { failure: Some("it is none".into()), ..Description::default() };
    Tokenizer { description, tokenize: None }
}

fn with(gold: &[u8], tokenizer: Tokenizer) -> Workspace {
    let mut workspace = workspace(&[("g", gold)], &[("p", PRED)]);
    workspace.set_tokenizer(None, "t.json", tokenizer);
    workspace
}

fn scored(workspace: &mut Workspace, tokens: &str) -> Report {
    workspace.score(&options(tokens), &mut |_| {}).unwrap().clone()
}

/// Where the tokens came from, and how many there were.
fn tokens(report: &Report) -> (&'static str, u64) {
    let tokens = report.systems[0].tokens.as_ref().unwrap();
    (tokens.tokens_from, tokens.tokens)
}

#[test]
fn the_files_own_tokens_then_the_tokenizer_then_words() {
    const TWO: &[Token] = &[(0, 3), (3, 8)];
    assert_eq!(tokens(&scored(&mut with(WITH_TOKENS, always(&[])), "auto")), ("file", 2));
    assert_eq!(tokens(&scored(&mut with(GOLD, always(TWO)), "auto")), ("tokenizer", 2));
    assert_eq!(tokens(&scored(&mut with(WITH_TOKENS, always(TWO)), "tokenizer")), ("tokenizer", 2));
    assert_eq!(tokens(&scored(&mut with(GOLD, always(TWO)), "words")), ("words", 3));
    let mut workspace = with(GOLD, always(TWO));
    workspace.clear_tokenizers();
    assert_eq!(tokens(&scored(&mut workspace, "auto")), ("words", 3));
}

#[test]
fn tokens_may_be_empty_overlap_or_come_in_any_order() {
    // Gold has x on characters 3 and 4, the prediction on 3: O, x/x (twice), x/O, and a tie.
    let mut workspace = with(GOLD, always(&[(4, 5), (5, 5), (0, 2), (3, 4), (3, 4), (3, 5)]));
    let report = scored(&mut workspace, "auto");
    let tokens = report.systems[0].tokens.as_ref().unwrap();
    assert_eq!((tokens.micro.support, tokens.per_label[0].correct, tokens.per_label[0].predicted), (4, 3, 3));
    assert_eq!((tokens.tokens, tokens.gold_ties, tokens.predicted_ties), (6, 0, 1));
}

#[test]
fn places_outside_the_text_are_not_trusted() {
    for outside in [&[(0, 9)][..], &[(3, 2)]] {
        let report = scored(&mut with(GOLD, always(outside)), "auto");
        let why = report.systems[0].tokens_missing.as_deref().unwrap();
        assert_eq!(why, "the tokenizer failed on every document");
    }
}

#[test]
fn a_document_on_which_it_fails_is_left_out_and_counted() {
    let gold = [GOLD, b"{\"id\":\"2\",\"text\":\"gh\",\"entities\":[]}\n"].concat();
    let tokenize = |text: &str| (text != "gh").then(|| vec![(0, 2)]);
    let tokenizer = Tokenizer { tokenize: Some(Rc::new(tokenize)), ..always(&[]) };
    let report = scored(&mut with(&gold, tokenizer), "auto");
    let tokens = report.systems[0].tokens.as_ref().unwrap();
    assert_eq!((tokens.documents, tokens.documents_without_text, tokens.tokenizer_failed), (1, 0, 1));
    let note = report.systems[0].notes.iter().find(|note| note.kind == "tokenizer_failed").unwrap();
    assert_eq!(note.message, "1 document on which the tokenizer failed: not in the token scores.");
}

#[test]
fn a_systems_own_wins_and_files_may_come_and_go() {
    let mut workspace = with(GOLD, always(&[(0, 8)]));
    workspace.set_tokenizer(Some("system"), "own.json", always(&[(0, 3), (3, 8)]));
    let report = scored(&mut workspace, "auto");
    assert_eq!(tokens(&report).1, 2);
    let [all, own] = &report.tokenizers[..] else { panic!("{:?}", report.tokenizers) };
    assert_eq!((all.system.as_deref(), own.system.as_deref()), (None, Some("system")));
    assert_eq!(
        (own.model.as_deref(), own.vocabulary, own.bytes, own.path.as_deref()),
        (Some("BPE"), 7, 9, None)
    );
    let paths = Options { paths: true, ..Options::default() };
    let report = workspace.score(&paths, &mut |_| {}).unwrap();
    assert_eq!(report.tokenizers[1].path.as_deref(), Some("own.json"));

    workspace.clear();
    let inspection = workspace.inspect(&Options::default(), &mut |_| {}).unwrap();
    assert_eq!((inspection.inputs.len(), inspection.tokenizers.len()), (0, 2));
}

#[test]
fn what_is_asked_for_and_not_there_is_refused() {
    let mut none = workspace(&[("g", GOLD)], &[("p", PRED)]);
    assert_eq!(none.score(&options("tokenizer"), &mut |_| {}).unwrap_err().code, "no_tokenizer");
    let mut bad = with(GOLD, broken());
    let failure = bad.score(&options("tokenizer"), &mut |_| {}).unwrap_err();
    assert_eq!(failure.code, "bad_tokenizer");
    assert!(failure.message.contains("it is none"), "{}", failure.message);
    let report = scored(&mut bad, "auto");
    let why = report.systems[0].tokens_missing.as_deref();
    assert_eq!(why, Some("the tokenizer cannot be used: it is none"));
    assert!(report.systems[0].notes.iter().any(|note| note.kind == "tokenizer_unusable"));
    assert_eq!(report.tokenizers[0].failure.as_deref(), Some("it is none"));
    // Other tokens do not need it.
    assert_eq!(tokens(&scored(&mut bad, "words")), ("words", 3));

    let mut other = workspace(&[("g", GOLD)], &[("p", PRED)]);
    other.set_tokenizer(Some("another"), "t.json", always(&[(0, 8)]));
    let report = scored(&mut other, "tokenizer");
    let why = report.systems[0].tokens_missing.as_deref();
    assert_eq!(why, Some("no tokenizer.json was given for this system"));
}
