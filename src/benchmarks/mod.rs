//! Benchmarks as data: datasets, label maps, loader rules.

pub mod ncer;
