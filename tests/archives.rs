//! Archives: what is unpacked, what is refused, and that neither stops the rest.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::corpus::Corpus;
use common::{Entry, problems, read, spans, text, zip_of};
use std::io::Write;

fn span(id: &str, start: i64, end: i64, label: &str) -> (String, i64, i64, String) {
    (id.to_owned(), start, end, label.to_owned())
}

/// Every (kind, path, found).
fn listed(corpus: &Corpus) -> Vec<(&'static str, String, String)> {
    let mut out = Vec::new();
    for (kind, _, list) in corpus.problems.by_kind() {
        for problem in list {
            let path =
                problem.place.file.map_or(String::new(), |file| corpus.files[file as usize].path.clone());
            out.push((kind.name(), path, problem.found.clone()));
        }
    }
    out
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Deflated entries.
fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let list: Vec<Entry> = entries.iter().map(|(name, bytes)| Entry::new(name, bytes, 8)).collect();
    zip_of(&list)
}

fn record(id: usize, words: usize) -> String {
    let text: String = (0..words).map(|at| format!("w{} ", at * 7919 % 1000)).collect();
    format!("{{\"id\":\"d{id}\",\"text\":\"Aspirin {text}\",\"entities\":[[0,7,\"drug\"]]}}\n")
}

#[test]
fn gzip_files_are_read() {
    let file: String = (0..200).map(|id| record(id, 200)).collect();
    assert!(file.len() > 150_000);
    for packed in [
        gzip(file.as_bytes()),
        // Several members, as `cat a.gz b.gz` makes them, one of them empty.
        [gzip(&file.as_bytes()[..70_001]), gzip(b""), gzip(&file.as_bytes()[70_001..])].concat(),
    ] {
        let corpus = read(&[("set/x.jsonl.gz", &packed)]);
        assert_eq!(problems(&corpus), []);
        assert_eq!(corpus.files[0].path, "set/x.jsonl");
        assert_eq!(spans(&corpus).len(), 200);
        // Texts are read again, in any order.
        for at in [199, 0, 100, 199] {
            let line = file.lines().nth(at).unwrap();
            let wanted = &line[line.find("Aspirin").unwrap()..line.find("\",\"entities").unwrap()];
            assert_eq!(text(&corpus, at).unwrap(), wanted);
        }
    }
    let corpus = read(&[("a.ann.gz", &gzip(b"T1\tDrug 0 7\tAspirin\n")), ("a.txt.gz", &gzip(b"Aspirin"))]);
    assert_eq!((spans(&corpus), problems(&corpus)), (vec![span("a", 0, 7, "Drug")], vec![]));
    assert_eq!(text(&corpus, 0).unwrap(), "Aspirin");
    let corpus = read(&[("empty.ann.gz", &gzip(b""))]);
    assert_eq!((corpus.documents.len(), problems(&corpus)), (1, vec![]));
}

#[test]
fn a_gzip_file_that_breaks_off_keeps_what_inflates() {
    let file: String = (0..300).map(|id| record(id, 100)).collect();
    let packed = gzip(file.as_bytes());
    for cut in [packed.len() / 2, packed.len() - 9, packed.len() - 4] {
        let corpus = read(&[("x.jsonl.gz", &packed[..cut])]);
        let found = listed(&corpus);
        assert_eq!(found.iter().filter(|problem| problem.0 == "cut_archive").count(), 1, "{cut}: {found:?}");
        let read = spans(&corpus).len();
        assert!(
            if cut < packed.len() - 9 { (50..300).contains(&read) } else { read >= 299 },
            "{cut}: {read}"
        );
        assert_eq!(text(&corpus, read - 1).unwrap().split(' ').next(), Some("Aspirin"));
    }
    // Garbage behind the archive, and a wrong checksum.
    let mut wrong = packed.clone();
    let at = wrong.len() - 6;
    wrong[at] ^= 1;
    for bytes in [[&packed[..], b"garbage!!garbage"].concat(), wrong] {
        let corpus = read(&[("x.jsonl.gz", &bytes)]);
        assert_eq!((spans(&corpus).len(), problems(&corpus)), (300, vec![("cut_archive", 1)]));
    }
    for cut in 0..40 {
        let corpus = read(&[("x.jsonl.gz", &packed[..cut])]);
        assert_eq!(spans(&corpus).len(), 0);
        assert!(!problems(&corpus).is_empty(), "cut at {cut}");
    }
}

#[test]
fn damaged_deflate_reads_the_same_however_it_is_read() {
    let file: String = (0..1_000).map(|id| record(id, 60)).collect();
    let mut packed = gzip(file.as_bytes());
    for at in [packed.len() / 3, packed.len() / 2] {
        packed[at] ^= 0xFF;
        packed[at + 1] ^= 0xFF;
    }
    let corpus = read(&[("x.jsonl.gz", &packed)]);
    assert!(problems(&corpus).iter().any(|problem| problem.0 == "cut_archive"), "{:?}", problems(&corpus));
    assert!(spans(&corpus).len() > 100);
    for at in (0..spans(&corpus).len()).step_by(97).rev() {
        assert!(text(&corpus, at).unwrap().starts_with("Aspirin"));
    }
}

#[test]
fn archives_in_archives_one_level_deep() {
    let long: String = (0..30_000).map(|at| format!("Aspirin {} ", at * 7919 % 10_007)).collect();
    let inner = zip(&[("a.txt", long.as_bytes()), ("a.ann", b"T1\tDrug 0 7\tAspirin\n")]);
    let deeper = zip(&[("inner.zip", &inner)]);
    let lines = record(1, 10);
    for packed in [0, 8] {
        let outer = zip_of(&[
            Entry::new("annotation/one/user.zip", &inner, packed),
            Entry::new("annotation/two/user.zip", &inner, packed),
            Entry::new("lines.jsonl.gz", &gzip(lines.as_bytes()), packed),
            Entry::new("deeper.zip", &deeper, packed),
        ]);
        let corpus = read(&[("export.zip", &outer)]);
        let mut found = spans(&corpus);
        found.sort();
        assert_eq!(
            found,
            [
                span("d1", 0, 7, "drug"),
                span("one/user.zip/a", 0, 7, "Drug"),
                span("two/user.zip/a", 0, 7, "Drug")
            ]
        );
        for at in [1, 0, 1, 0] {
            assert_eq!(text(&corpus, at).unwrap(), long);
        }
        let problems = listed(&corpus);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!((problems[0].0, &*problems[0].1), ("unknown_format", "export.zip/deeper.zip/inner.zip"));
        assert!(problems[0].2.contains("an archive inside two others"), "{}", problems[0].2);
    }
    // A tar is not unpacked, packed or not.
    let mut tar = vec![0; 1024];
    tar[..5].copy_from_slice(b"a.ann");
    tar[257..265].copy_from_slice(b"ustar\x0000");
    for (name, bytes) in [("x.tar", tar.clone()), ("x.tar.gz", gzip(&tar)), ("x.tgz", gzip(&tar))] {
        let found = listed(&read(&[(name, &bytes)]));
        assert_eq!(found.len(), 1);
        assert!(found[0].2.contains("tar archive"), "{found:?}");
    }
}

#[test]
fn inception_exports_hold_an_archive_a_document() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/formats/xmi/example.xmi");
    let file = std::fs::read(folder).unwrap();
    let types =
        b"<?xml version=\"1.0\"?><typeSystemDescription xmlns=\"http://uima.apache.org/resourceSpecifier\"/>";
    let inner = |user: &str| zip(&[("TypeSystem.xml", types), (&format!("{user}.xmi"), &file)]);
    let (admin, initial, curated) = (inner("admin"), inner("INITIAL_CAS"), inner("CURATION_USER"));
    let export = zip(&[
        ("annotation/one.txt/INITIAL_CAS.zip", &initial),
        ("annotation/one.txt/admin.zip", &admin),
        ("annotation/two.txt/INITIAL_CAS.zip", &initial),
        ("annotation/two.txt/admin.zip", &admin),
        ("curation/two.txt/CURATION_USER.zip", &curated),
        ("exportedproject.json", b"{}"),
    ]);
    let corpus = read(&[("export.zip", &export)]);
    let alone = spans(&read(&[("a/example.xmi", &file)])).len();
    let found: Vec<_> =
        corpus.documents.iter().map(|document| (&*document.id, corpus.spans_of(document).len())).collect();
    assert_eq!(found, [("one", alone), ("two", alone)]);
}

#[test]
fn encrypted_and_damaged_entries_are_named_and_the_rest_is_read() {
    let ann = b"T1\tDrug 0 7\tAspirin\n";
    let text = "Aspirin and more. ".repeat(50);
    let mut encrypted = Entry::new("b.ann", ann, 8);
    encrypted.flags = 1;
    let mut checksum = Entry::new("c.txt", text.as_bytes(), 8);
    checksum.crc ^= 1;
    let mut garbage = Entry::new("d.ann", text.as_bytes(), 8);
    garbage.packed = vec![0xFF; garbage.packed.len()];
    let mut longer = Entry::new("e.ann", ann, 8);
    longer.size += 1;
    let mut shorter = Entry::new("f.ann", ann, 8);
    shorter.size -= 1;
    let mut method = Entry::new("g.ann", ann, 0);
    method.method = 12;
    let mut lying = Entry::new("h.ann", ann, 8);
    lying.size = u32::MAX;
    let entries = [
        Entry::new("a.ann", ann, 8),
        encrypted,
        checksum,
        garbage,
        longer,
        shorter,
        method,
        lying,
        Entry::new("z.ann", ann, 0),
    ];
    let archive = zip_of(&entries);
    let corpus = read(&[("x.zip", &archive)]);
    let good: Vec<_> = spans(&corpus).into_iter().filter(|span| span.0 == "a" || span.0 == "z").collect();
    assert_eq!(good, [span("a", 0, 7, "Drug"), span("z", 0, 7, "Drug")]);
    let found = listed(&corpus);
    for (path, words) in [
        ("b.ann", "encrypted"),
        ("d.ann", "cannot be inflated"),
        ("e.ann", "shorter than the archive says"),
        ("f.ann", "longer than the archive says"),
        ("g.ann", "compression"),
        ("h.ann", "zip bomb"),
    ] {
        let hit = found.iter().any(|(_, at, what)| at.ends_with(path) && what.contains(words));
        assert!(hit, "{path}: {found:?}");
    }
    // A local header that is damaged loses its entry alone.
    let mut broken = archive.clone();
    broken[0] = b'X';
    broken[..4].copy_from_slice(b"PK\x03\x05");
    broken.splice(0..0, *b"PK\x03\x04");
    let other = zip_of(&[Entry::new("a.ann", ann, 0), Entry::new("b.ann", ann, 0)]);
    let mut other = other;
    let second = other.windows(4).rposition(|bytes| bytes == b"PK\x03\x04").unwrap();
    other[second + 2] = 9;
    let corpus = read(&[("x.zip", &other)]);
    assert_eq!(spans(&corpus), [span("a", 0, 7, "Drug")]);
    assert_eq!(problems(&corpus), [("unreadable_file", 1)]);
    // Whatever is cut or broken, nothing panics.
    let _ = read(&[("x.zip", &broken)]);
    for cut in (0..archive.len()).step_by(7) {
        let _ = read(&[("x.zip", &archive[..cut])]);
    }
}

#[test]
fn bombs_are_refused() {
    let zeros = vec![b' '; 8 << 20];
    let ann = b"T1\tDrug 0 7\tAspirin\n";
    // By ratio, in gzip and zip, and one archive inside another.
    let corpus = read(&[("bomb.jsonl.gz", &gzip(&zeros)), ("a.ann", ann)]);
    assert_eq!((spans(&corpus).len(), problems(&corpus)), (1, vec![("unreadable_file", 1)]));
    let inner = zip(&[("bomb.txt", &zeros), ("a.ann", ann)]);
    let corpus = read(&[("outer.zip", &zip(&[("inner.zip", &inner)]))]);
    assert_eq!((spans(&corpus).len(), problems(&corpus)), (1, vec![("unreadable_file", 1)]));
    // Entries that share bytes.
    let first = Entry::new("a.ann", ann, 8);
    let mut second = Entry::new("b.ann", ann, 8);
    second.header = Some(0);
    let corpus = read(&[("x.zip", &zip_of(&[first, second])), ("c.ann", ann)]);
    assert_eq!((spans(&corpus).len(), problems(&corpus)), (1, vec![("unreadable_file", 1)]));
    // The total holds over everything given: each claims 3 GiB, just within the ratio.
    let claims = |name: &str| {
        let mut entry = Entry::new(name, b"", 8);
        entry.packed = vec![0; (3 << 30) / 400 + 1];
        entry.size = 3 << 30;
        zip_of(&[entry])
    };
    let files = [("1.zip", claims("a.bin")), ("2.zip", claims("b.bin")), ("3.zip", claims("c.bin"))];
    let mut given: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
    given.push(("a.ann", ann));
    let corpus = read(&given);
    let found = listed(&corpus);
    assert!(found.iter().any(|(_, path, what)| path == "3.zip" && what.contains("8 GiB")), "{found:?}");
    assert_eq!(spans(&corpus).len(), 1);
    // So does the number of entries.
    let many: Vec<Entry> = (0..60_000).map(|at| Entry::new(&format!("{at}.conf"), b"", 0)).collect();
    let many = zip_of(&many);
    let corpus = read(&[("1.zip", &many), ("2.zip", &many)]);
    let found = listed(&corpus);
    assert!(found.iter().any(|(_, path, what)| path == "2.zip" && what.contains("100000")), "2.zip");
}

#[test]
fn names_that_climb_are_only_ids() {
    let ann = b"T1\tDrug 0 7\tAspirin\n";
    let archive = zip(&[("../../etc/x.ann", ann), ("/abs/y.ann", ann), ("C:\\z.ann", ann)]);
    let corpus = read(&[("x.zip", &archive)]);
    assert_eq!(problems(&corpus), []);
    let mut ids: Vec<&str> = corpus.documents.iter().map(|document| &*document.id).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["../../etc/x", "/abs/y", "C:/z"]);
}

#[test]
fn any_bytes_in_an_archive_are_read_without_panic() {
    let archive = zip(&[
        ("a.ann", b"T1\tDrug 0 7\tAspirin\n"),
        ("i.zip", &zip(&[("b.jsonl", record(1, 9).as_bytes())])),
    ]);
    for at in 0..archive.len() {
        let mut bytes = archive.clone();
        bytes[at] ^= 0x55;
        let _ = read(&[("x.zip", &bytes)]);
    }
    let packed = gzip(record(1, 30).as_bytes());
    for at in 0..packed.len() {
        let mut bytes = packed.clone();
        bytes[at] ^= 0x55;
        let _ = read(&[("x.jsonl.gz", &bytes)]);
    }
}

#[test]
fn what_is_not_read_is_told_by_name() {
    let with = |head: &[u8]| [head, &[0; 600]].concat();
    let office = zip(&[("[Content_Types].xml", b"<Types/>"), ("xl/workbook.xml", b"<workbook/>")]);
    let word = zip(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", b"<w/>")]);
    let notebook = br#"{"cells": [{"cell_type": "code", "source": []}], "nbformat": 4}"#;
    for (name, bytes, what) in [
        ("x.parquet", with(b"PAR1\x15\x04"), "Parquet"),
        ("x.arrow", with(b"ARROW1\0\0"), "Arrow"),
        ("data-00000-of-00001.arrow", with(b"\xFF\xFF\xFF\xFF\x10\x01"), "Arrow stream"),
        ("x.h5", with(b"\x89HDF\r\n\x1a\n"), "HDF5"),
        ("x.npy", with(b"\x93NUMPY\x01"), "NumPy"),
        ("x.pkl", with(b"\x80\x04\x95\x10"), "pickle"),
        ("x.db", with(b"SQLite format 3\0"), "SQLite"),
        ("x.xls", with(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), "old Excel"),
        ("x.xlsx", office, "Excel workbook"),
        ("x.docx", word, "Word"),
        ("x.pdf", b"%PDF-1.7".to_vec(), "PDF"),
        ("x.rtf", b"{\\rtf1\\ansi}".to_vec(), "RTF"),
        ("x.png", with(b"\x89PNG\r\n\x1a\n"), "PNG"),
        ("x.jpg", with(b"\xFF\xD8\xFF\xE0"), "JPEG"),
        ("x.7z", with(b"7z\xBC\xAF\x27\x1C"), "7z"),
        ("x.rar", with(b"Rar!\x1a\x07\x01"), "RAR"),
        ("x.xz", with(b"\xFD7zXZ\0"), "xz"),
        ("x.zst", with(b"\x28\xB5\x2F\xFD"), "zstd"),
        ("x.bz2", with(b"BZh91AY&SY"), "bzip2"),
        ("x.ipynb", notebook.to_vec(), "Jupyter"),
        ("x.html", b"<!DOCTYPE html>\n<html><body>404</body></html>".to_vec(), "HTML page"),
        ("x.jsonl", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n".to_vec(), "LFS"),
    ] {
        let corpus = read(&[(name, &bytes), ("a.ann", b"T1\tX 0 1\ta\n")]);
        let found = listed(&corpus);
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        assert_eq!((found[0].0, &*found[0].1), ("unknown_format", name));
        assert!(found[0].2.contains(what), "{name}: {}", found[0].2);
        assert_eq!(spans(&corpus).len(), 1, "{name}");
    }
    let corpus = read(&[("x.parquet", &with(b"PAR1\x15\x04"))]);
    assert!(
        corpus.problems.by_kind()[0].2[0]
            .expected
            .contains("df.to_json(\"x.jsonl\", orient=\"records\", lines=True)")
    );
    // Words that files begin with too are no magic.
    let corpus = read(&[("a.txt", b"PAR1 and ORC and GGUF"), ("a.ann", b"T1\tX 0 4\tPAR1\n")]);
    assert_eq!((spans(&corpus).len(), problems(&corpus)), (1, vec![]));
}

#[test]
fn a_mixed_up_folder() {
    let ann = b"T1\tX 0 1\ta\n";
    let corpus = read(&[
        ("set/gold/a.ann", ann),
        ("set/gold/a.txt", b"abc"),
        ("set/system/a.ann", ann),
        ("set/LICENSE", b"Apache"),
        ("set/README.md", b"# data"),
        ("set/dataset_info.json", b"{}"),
    ]);
    assert_eq!(problems(&corpus), [("sides_mixed", 1), ("tool_file", 3)]);
    let lines = |id: usize| record(id, 3);
    let corpus = read(&[("gold.jsonl", lines(1).as_bytes()), ("pred.json", lines(2).as_bytes())]);
    assert_eq!(problems(&corpus), [("sides_mixed", 1)]);
    let corpus = read(&[("gold/a.ann", ann), ("gold/system.ann", ann), ("gold/b.ann", ann)]);
    assert_eq!(problems(&corpus), []);
}
