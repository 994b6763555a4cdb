//! Events and token labels → counts and scores. Nothing is aligned here.

mod pairs;
pub mod span;
pub mod token;
