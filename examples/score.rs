//! The core natively, for comparison with WebAssembly: reads a run from standard input,
//! `{"gold": [PATH…], "predictions": {NAME: [PATH…]}, "options": {…}, "output": "report"}`, and prints the
//! output. Paths are files; the path that the core sees is the one given.
#![allow(clippy::print_stdout, missing_docs)]

use clinscore::source::NativeFile;
use clinscore::{Options, Role, Workspace};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

#[derive(Deserialize)]
struct Run {
    gold: Vec<String>,
    predictions: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    options: Options,
    output: String,
    #[serde(default)]
    hash: bool,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let run: Run = serde_json::from_reader(std::io::stdin().lock())?;
    let mut workspace = Workspace::new();
    for path in &run.gold {
        workspace.add(Role::Gold, "", path, Rc::new(NativeFile::open(Path::new(path))?));
    }
    for (system, paths) in &run.predictions {
        for path in paths {
            workspace.add(Role::Prediction, system, path, Rc::new(NativeFile::open(Path::new(path))?));
        }
    }
    workspace.score(&run.options, &mut |_| {})?;
    if run.hash {
        workspace.hash(&mut |_| {})?;
    }
    let report = workspace.report().ok_or("no report")?;
    print!("{}", report.output(&run.output)?);
    Ok(())
}
