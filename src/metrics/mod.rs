//! Events and token labels → counts and scores. Nothing is aligned here.

pub mod classes;
pub mod concepts;
mod pairs;
pub mod span;
pub mod token;
