//! Events and token labels → counts and scores. Nothing is aligned here.

pub mod span;
pub mod token;
