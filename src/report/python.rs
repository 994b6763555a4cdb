//! JSON as Python's `json.dumps` writes it where it matters: the shortest float with its `.0`, its exponent
//! form, and the integer 0 that nervaluate gives for a zero denominator.

use std::fmt::Write;

/// A float as Python's `repr` writes it: shortest digits that read back, exponent below 1e-4 and from 1e16.
pub fn float(value: f64) -> String {
    let exponent = format!("{value:e}");
    let Some((digits, power)) = exponent.split_once('e') else {
        return exponent;
    };
    match power.parse::<i32>() {
        Ok(power) if !(-4..16).contains(&power) => {
            let sign = if power < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", power.abs())
        }
        _ => format!("{value:?}"),
    }
}

/// A JSON string.
pub fn string(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_else(|_| "\"\"".into())
}

/// Writes a JSON object from ready-made values.
pub fn object<'a>(entries: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let mut out = String::from("{");
    for (at, (key, value)) in entries.into_iter().enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        let _ = write!(out, "{comma}{}: {value}", string(key));
    }
    out.push('}');
    out
}

/// One system as it is, several as an object keyed by system name.
pub fn by_system(report: &super::Report, one: impl Fn(&super::System) -> String) -> String {
    match &report.systems[..] {
        [system] => one(system),
        systems => object(systems.iter().map(|system| (system.name.as_str(), one(system)))),
    }
}

/// Python's `round(value, 2)`: correctly rounded on the exact binary value, ties to even.
pub fn round2(value: f64) -> f64 {
    // Formatting rounds the exact value; `parse` gives the nearest float, as Python does.
    format!("{value:.2}").parse().unwrap_or(value)
}
