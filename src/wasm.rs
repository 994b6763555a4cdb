//! The only file that knows JavaScript: a thin, typed shell around [`Workspace`]. Results leave as JSON text;
//! failures as objects with `code`, `message` and, where they apply, `found` and `expected`.

use crate::corpus::Role;
use crate::failure::Failure;
use crate::leaderboard::BoardQuery;
use crate::run::{Options, Progress, Workspace};
use crate::source::cache::BlockCache;
use crate::source::{Bytes, SharedSource, Source, SourceError};
use crate::tokens::tokenizer::{Tokenize, Tokenizer};
use crate::why::Query;
use js_sys::{Function, Uint8Array, Uint32Array};
use serde::{Serialize, de::DeserializeOwned};
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{File, FileReaderSync};

/// What can be chosen, by option; JSON.
#[wasm_bindgen]
pub fn catalog() -> String {
    to_json(&crate::catalog::catalog())
}

/// What paths say of side, system and dataset; a JSON list, one entry a path.
#[wasm_bindgen]
pub fn arrange(paths: Vec<String>) -> String {
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    to_json(&crate::benchmarks::arrange::arrange(&paths))
}

/// Results of many systems in one table.
#[wasm_bindgen]
#[derive(Default)]
pub struct Board {
    board: crate::leaderboard::Board,
}

#[wasm_bindgen]
impl Board {
    /// An empty leaderboard.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Board {
        Board::default()
    }

    /// Adds every system of a session's last score, in the place of an earlier one of the same dataset.
    #[wasm_bindgen(js_name = addReport)]
    pub fn add_report(&mut self, session: &Session) -> Result<(), JsValue> {
        let report = session.workspace.report().ok_or_else(|| thrown(Failure::no_score()))?;
        self.board.add_report(report).map_err(thrown)
    }

    /// Adds a results file or a report, called by its path; what cannot be read is among the view's problems.
    /// Returns how many systems' numbers it holds.
    #[wasm_bindgen(js_name = addResults)]
    pub fn add_results(&mut self, name: &str, bytes: Vec<u8>) -> usize {
        self.board.add_results(name, &bytes)
    }

    /// Takes a system out.
    pub fn remove(&mut self, system: &str) {
        self.board.remove(system);
    }

    /// Everything that is shown; JSON.
    pub fn view(&self) -> String {
        to_json(&self.board.view())
    }

    /// The leaderboard in one of the catalog's `board_outputs`; `query` says what of it, and in which order.
    pub fn output(&self, kind: &str, query: JsValue) -> Result<String, JsValue> {
        let query: BoardQuery = from_js(query)?;
        self.board.output(kind, &query).map_err(thrown)
    }
}

/// One user's files and their scores.
#[wasm_bindgen]
pub struct Session {
    workspace: Workspace,
    cache: BlockCache,
}

#[wasm_bindgen]
impl Session {
    /// An empty session.
    #[wasm_bindgen(constructor)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Session {
        Session { workspace: Workspace::new(), cache: BlockCache::default() }
    }

    /// Adds bytes in memory. `role` is `gold` or `prediction`; predictions of one system share its name.
    /// Returns the input's index.
    #[wasm_bindgen(js_name = addBytes)]
    pub fn add_bytes(
        &mut self,
        role: &str,
        system: &str,
        path: &str,
        bytes: Vec<u8>,
    ) -> Result<usize, JsValue> {
        self.add(role, system, path, Rc::new(Bytes(bytes)))
    }

    /// Adds a browser `File`, read in slices; works in a worker only.
    #[wasm_bindgen(js_name = addFile)]
    pub fn add_file(&mut self, role: &str, system: &str, path: &str, file: File) -> Result<usize, JsValue> {
        let reader = FileReaderSync::new()?;
        let file = self.cache.file(Rc::new(BrowserFile { file, reader }));
        self.add(role, system, path, file)
    }

    /// Adds a file that `read(offset, length)` reads synchronously.
    #[wasm_bindgen(js_name = addReader)]
    pub fn add_reader(
        &mut self,
        role: &str,
        system: &str,
        path: &str,
        size: f64,
        read: Function,
    ) -> Result<usize, JsValue> {
        let file = self.cache.file(Rc::new(Reader { size: size as u64, read }));
        self.add(role, system, path, file)
    }

    /// Forgets all files and results; tokenizers stay.
    pub fn clear(&mut self) {
        self.workspace.clear();
        self.cache = BlockCache::default();
    }

    /// Sets the tokenizer of a system, or of every system without one of its own. `description` is JSON of
    /// the tokenizer's module; `tokens(text)` returns a `Uint32Array` of each token's start and end in code
    /// points, or throws. Without it the description holds a `failure`.
    #[wasm_bindgen(js_name = setTokenizer)]
    pub fn set_tokenizer(
        &mut self,
        system: Option<String>,
        path: &str,
        description: &str,
        tokens: Option<Function>,
    ) -> Result<(), JsValue> {
        let description = serde_json::from_str(description)
            .map_err(|error| thrown(Failure::option("tokenizer", &error.to_string(), "its description")))?;
        let tokenizer = Tokenizer { description, tokenize: tokens.map(calling) };
        self.workspace.set_tokenizer(system.as_deref(), path, tokenizer);
        Ok(())
    }

    /// Forgets every tokenizer.
    #[wasm_bindgen(js_name = clearTokenizers)]
    pub fn clear_tokenizers(&mut self) {
        self.workspace.clear_tokenizers();
    }

    /// What was read, before a score; JSON.
    pub fn inspect(&mut self, options: JsValue, progress: Option<Function>) -> Result<String, JsValue> {
        let options: Options = from_js(options)?;
        let inspection = self.workspace.inspect(&options, &mut reporter(progress)).map_err(thrown)?;
        Ok(to_json(&inspection))
    }

    /// Reads what changed and scores; returns the report as JSON.
    pub fn score(&mut self, options: JsValue, progress: Option<Function>) -> Result<String, JsValue> {
        let options: Options = from_js(options)?;
        let report = self.workspace.score(&options, &mut reporter(progress)).map_err(thrown)?;
        Ok(report.to_json())
    }

    /// The last score in another shape.
    pub fn output(&self, kind: &str) -> Result<String, JsValue> {
        let report = self.workspace.report().ok_or_else(|| thrown(Failure::no_score()))?;
        report.output(kind).map_err(thrown)
    }

    /// Computes the SHA-256 of every input; later outputs hold them.
    pub fn hash(&mut self, progress: Option<Function>) -> Result<(), JsValue> {
        self.workspace.hash(&mut reporter(progress)).map_err(thrown)
    }

    /// Documents and events behind a filter; JSON.
    pub fn explain(&self, query: JsValue) -> Result<String, JsValue> {
        let query: Query = from_js(query)?;
        Ok(to_json(&self.workspace.explain(&query).map_err(thrown)?))
    }

    /// One document with its text, spans and events; JSON.
    pub fn open(&self, system: usize, document: usize) -> Result<String, JsValue> {
        Ok(to_json(&self.workspace.open(system, document).map_err(thrown)?))
    }
}

impl Session {
    fn add(&mut self, role: &str, system: &str, path: &str, source: SharedSource) -> Result<usize, JsValue> {
        let role = match role {
            "gold" => Role::Gold,
            "prediction" => Role::Prediction,
            _ => return Err(thrown(Failure::option("role", role, "gold or prediction"))),
        };
        Ok(self.workspace.add(role, system, path, source))
    }
}

fn from_js<T: DeserializeOwned + Default>(value: JsValue) -> Result<T, JsValue> {
    if value.is_undefined() || value.is_null() {
        return Ok(T::default());
    }
    // By way of JSON: serde-wasm-bindgen passes over unknown keys, and a run file's typo must be told.
    let json = String::from(js_sys::JSON::stringify(&value)?);
    serde_json::from_str(&json).map_err(|error| {
        // The position is one in the text made here.
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        thrown(Failure::run_file(message))
    })
}

fn to_json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn thrown(failure: Failure) -> JsValue {
    to_js(&failure)
}

fn to_js<T: Serialize>(value: &T) -> JsValue {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).unwrap_or(JsValue::NULL)
}

/// Passes progress on at each change of stage and about a hundred times a stage.
fn reporter(callback: Option<Function>) -> impl FnMut(Progress) {
    let mut last = ("", 0);
    move |progress| {
        let Some(callback) = &callback else { return };
        let percent = progress.done * 100 / progress.total.max(1);
        if (progress.stage, percent) != last {
            last = (progress.stage, percent);
            // A failing display must not stop the work.
            let _ = callback.call1(&JsValue::NULL, &to_js(&progress));
        }
    }
}

/// A tokenizer that is a function of JavaScript's. It throws a string where it fails on a text; anything else
/// is the end of its module, which must not be called again.
fn calling(tokens: Function) -> Tokenize {
    let ended = Cell::new(false);
    Rc::new(move |text| {
        if ended.get() {
            return None;
        }
        let places = tokens.call1(&JsValue::NULL, &JsValue::from_str(text));
        ended.set(places.as_ref().is_err_and(|error| !error.is_string()));
        let places: Uint32Array = places.ok()?.dyn_into().ok()?;
        Some(places.to_vec().chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
    })
}

fn unreadable(error: &JsValue) -> SourceError {
    let message = js_sys::Reflect::get(error, &"message".into()).ok().and_then(|m| m.as_string());
    SourceError(message.unwrap_or_else(|| "the browser could not read the file".into()))
}

fn fill(buf: &mut [u8], bytes: &Uint8Array) -> Result<(), SourceError> {
    if bytes.length() as usize != buf.len() {
        let found = bytes.length();
        return Err(SourceError(format!("wanted {} bytes, got {found}; the file changed", buf.len())));
    }
    bytes.copy_to(buf);
    Ok(())
}

struct BrowserFile {
    file: File,
    reader: FileReaderSync,
}

impl Source for BrowserFile {
    fn len(&self) -> u64 {
        self.file.size() as u64
    }

    fn read(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
        let end = offset + buf.len() as u64;
        let blob = self.file.slice_with_f64_and_f64(offset as f64, end as f64).map_err(|e| unreadable(&e))?;
        let bytes = self.reader.read_as_array_buffer(&blob).map_err(|e| unreadable(&e))?;
        fill(buf, &Uint8Array::new(&bytes))
    }
}

struct Reader {
    size: u64,
    read: Function,
}

impl Source for Reader {
    fn len(&self) -> u64 {
        self.size
    }

    fn read(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
        let (at, length) = (JsValue::from(offset as f64), JsValue::from(buf.len() as f64));
        let bytes = self.read.call2(&JsValue::NULL, &at, &length).map_err(|e| unreadable(&e))?;
        // Not `Uint8Array::new`, which would copy an array.
        let bytes: Uint8Array =
            bytes.dyn_into().map_err(|_| SourceError("read() must return a Uint8Array".into()))?;
        fill(buf, &bytes)
    }
}
