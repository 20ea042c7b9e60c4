//! Looks for secrets byte by byte, in every form in which programs write them.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use flate2::read::MultiGzDecoder;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// Asserts that no file below `folder`, packed or unpacked, and nothing that was `said` holds one of the `secrets`.
#[track_caller]
pub fn assert_nowhere(folder: &Path, said: &[String], secrets: &[String]) {
    let forms: Vec<(String, Vec<u8>)> = secrets.iter().flat_map(|secret| forms(secret)).collect();
    let check = |place: &str, bytes: &[u8]| {
        for (form, wanted) in &forms {
            if let Some(at) = memchr::memmem::find(bytes, wanted) {
                let around = &bytes[at.saturating_sub(80)..(at + wanted.len() + 40).min(bytes.len())];
                panic!("{place} holds {form}: …{}…", String::from_utf8_lossy(around));
            }
        }
    };
    let mut files = Vec::new();
    collect(folder, &mut files);
    assert!(!files.is_empty());
    for path in files {
        let place = path.display().to_string();
        check(&place, place.as_bytes());
        let bytes = fs::read(&path).unwrap();
        check(&place, &bytes);
        if bytes.starts_with(&[0x1f, 0x8b]) {
            let mut unpacked = Vec::new();
            MultiGzDecoder::new(File::open(&path).unwrap())
                .read_to_end(&mut unpacked)
                .unwrap();
            check(&format!("{place}, unpacked,"), &unpacked);
        }
    }
    for text in said {
        check("the output", text.as_bytes());
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.is_file() {
            files.push(path);
        }
    }
}

/// The secret as it is, in URLs, in forms, in HTML, in JSON, in `Debug` and in base64.
fn forms(secret: &str) -> Vec<(String, Vec<u8>)> {
    let html = secret.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let quoted = html.replace('"', "&quot;");
    let numeric = html.replace('"', "&#34;");
    let in_form: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let in_path: String = utf8_percent_encode(secret, NON_ALPHANUMERIC).to_string();
    let json = serde_json::to_string(secret).unwrap();
    let debug = format!("{secret:?}");
    let escaped = format!("{}", secret.escape_unicode());
    let mut all: Vec<String> = vec![
        secret.to_owned(),
        html,
        quoted,
        numeric,
        in_form,
        in_path.to_lowercase(),
        in_path,
    ];
    all.extend([json, debug].map(|text| text.trim_matches('"').to_owned()));
    all.push(escaped);
    let mut all: Vec<Vec<u8>> = all.into_iter().map(String::into_bytes).collect();
    for before in 0..3 {
        // The digits that depend on the neighbours of the secret are left out.
        let bytes = [&b"   "[..before], secret.as_bytes()].concat();
        let whole = bytes.len() / 3 * 4;
        for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
            let digits = engine.encode(&bytes);
            let skipped = (before * 8).div_ceil(6);
            all.push(digits.as_bytes()[skipped..whole].to_vec());
        }
    }
    all.sort();
    all.dedup();
    all.into_iter()
        .map(|form| (String::from_utf8_lossy(&form).into_owned(), form))
        .collect()
}

#[test]
fn every_form_of_a_secret_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let secret = "pä55 <w>&\"s3cret\"".to_owned();
    for text in [
        format!("x{secret}"),
        "x=p%C3%A455+%3Cw%3E%26%22s3cret%22&y".to_owned(),
        "p%C3%A455%20%3Cw%3E%26%22s3cret%22".to_owned(),
        "pä55 &lt;w&gt;&amp;&quot;s3cret&quot;".to_owned(),
        STANDARD_NO_PAD.encode(format!("me:{secret}!")),
        URL_SAFE_NO_PAD.encode(format!("m:{secret}")),
        format!("{:?}", format!("{secret:?}")).replace("\\\\\\\"", "\\\""),
    ] {
        fs::write(folder.path().join("file"), &text).unwrap();
        let found = std::panic::catch_unwind(|| assert_nowhere(folder.path(), &[], std::slice::from_ref(&secret)));
        assert!(found.is_err(), "{text}");
    }
    fs::write(folder.path().join("file"), "pä55").unwrap();
    assert_nowhere(folder.path(), &[], &[secret]);
}
