#![doc = include_str!("../README.md")]
//!
//! # Rooms
//! Bytes become a corpus, two corpora become events, events become a report:
//! [`source`] → [`formats`] → [`corpus`] → [`place`] → [`align`] and [`tokens`] → [`metrics`] → [`report`].
//! [`run`] walks data through them; [`why`] answers which spans stand behind a count; [`benchmarks`] holds
//! datasets as data. Only `wasm` knows that JavaScript exists.

pub mod align;
pub mod benchmarks;
pub mod catalog;
pub mod corpus;
pub mod failure;
pub mod formats;
pub mod leaderboard;
pub mod metrics;
pub mod place;
pub mod report;
pub mod run;
#[cfg(feature = "schema")]
pub mod schema;
pub mod source;
pub mod tokens;
pub mod why;

#[cfg(target_arch = "wasm32")]
mod wasm;

pub use corpus::Role;
pub use failure::Failure;
pub use report::Report;
pub use run::{Options, Workspace};
