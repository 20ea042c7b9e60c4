//! Measures the worst known texts at each stage behind the network: seconds and megabytes for each megabyte of text.
//!
//! `cargo run --release -p crawler --example worst_texts [MEGABYTES]`: each stage and text runs in a process of its
//! own, so that the peak memory is that of the stage.

use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use dedup::normalize::normalize;
use dedup::{Analyzer, Scheme};
use url::Url;
use web::robots::Robots;

/// Makes a text of a given length in bytes.
type Text = (&'static str, fn(usize) -> String);

/// Does one thing with a text.
type Stage = (&'static str, fn(&str));

const STAGES: [Stage; 6] = [
    ("normalize", |text| {
        black_box(normalize(text));
    }),
    ("analyze", |text| {
        black_box(Analyzer::new(&Scheme::default()).analyze(text));
    }),
    ("analyze by dictionary", |text| {
        let scheme = Scheme {
            segmenter: "dictionary".parse().unwrap_or_default(),
            ..Scheme::default()
        };
        black_box(Analyzer::new(&scheme).analyze(text));
    }),
    ("shingles", |text| {
        black_box(Analyzer::new(&Scheme::default()).shingles(text));
    }),
    ("page::read as HTML, language, soft 404", |text| {
        let options = page::Options {
            agent: "crawler",
            embedded: true,
            max_text_bytes: usize::MAX,
            extract: None,
            favor: page::Favor::default(),
            documents: page::Documents::in_this_thread(),
            markdown: None,
            metadata: None,
        };
        let html = format!("<title>{text}</title><h1>{text}</h1><p>{text}");
        let url = Url::parse("http://example.org/").ok();
        let page =
            url.and_then(|url| page::read(html.as_bytes(), &reqwest::header::HeaderMap::new(), &url, &options).ok());
        black_box(page.map(|page| (page.language(), page.is_soft_404())));
    }),
    ("robots.txt, 1,000 URLs", |text| {
        let text = format!("User-agent: *\n{text}");
        let robots = Robots::parse(&text.as_bytes()[..text.len().min(500 * 1024)], "crawler");
        let path = "a".repeat(1_900);
        for number in 0..1_000 {
            if let Ok(url) = Url::parse(&format!("http://example.org/{number}{path}")) {
                black_box(robots.decide(&url));
            }
        }
    }),
];

fn repeated(piece: &str, bytes: usize) -> String {
    piece.repeat(bytes / piece.len())
}

/// Words or characters in an order that repeats nothing.
fn shuffled(bytes: usize, mut piece: impl FnMut(u64) -> String) -> String {
    let (mut text, mut random) = (String::with_capacity(bytes), 88_172_645_463_325_252_u64);
    while text.len() < bytes {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        text.push_str(&piece(random));
    }
    text
}

const TEXTS: [Text; 23] = [
    ("U+3316", |bytes| repeated("\u{3316}", bytes)),
    ("U+FDFA", |bytes| repeated("\u{fdfa}", bytes)),
    ("U+FDFA and spaces", |bytes| repeated("\u{fdfa} ", bytes)),
    ("U+1D160", |bytes| repeated("\u{1d160}", bytes)),
    ("combining marks", |bytes| repeated("\u{301}\u{323}\u{345}", bytes)),
    ("a and marks", |bytes| repeated("a\u{301}\u{323}", bytes)),
    ("1-1-1", |bytes| repeated("1-", bytes)),
    ("2024-03-05", |bytes| repeated("2024-03-05 ", bytes)),
    ("1 jan 1", |bytes| repeated("1 jan ", bytes)),
    ("one word", |bytes| repeated("a ", bytes)),
    ("one character", |bytes| repeated("漢", bytes)),
    ("katakana", |bytes| {
        shuffled(bytes, |r| {
            char::from_u32(0x30a1 + (r % 80) as u32).unwrap_or('ア').to_string()
        })
    }),
    ("ideographs", |bytes| {
        shuffled(bytes, |r| {
            char::from_u32(0x4e00 + (r % 20_000) as u32).unwrap_or('漢').to_string()
        })
    }),
    ("Thai", |bytes| {
        shuffled(bytes, |r| {
            char::from_u32(0xe01 + (r % 46) as u32).unwrap_or('ก').to_string()
        })
    }),
    ("words of two letters", |bytes| {
        shuffled(bytes, |r| {
            let letter = |shift: u32| char::from(b'a' + (r >> shift) as u8 % 26);
            format!("{}{} ", letter(8), letter(16))
        })
    }),
    ("lines of one letter", |bytes| repeated("a\n", bytes)),
    ("lines in no order", |bytes| {
        shuffled(bytes, |r| format!("{}\n", r % 1_000_000))
    }),
    ("<p>a", |bytes| repeated("<p>a ", bytes)),
    ("<a>", |bytes| repeated("<a href=/x>b</a> c ", bytes)),
    ("<td>", |bytes| repeated("<table><tr><td>a<td>b", bytes)),
    ("<div> in <div>", |bytes| repeated("<div>a, b. ", bytes)),
    ("class", |bytes| {
        repeated("<div class='content article nav'>a</div>", bytes)
    }),
    ("Disallow: /*a*a*a", |bytes| {
        repeated(&format!("Disallow: /{}b\n", "*a".repeat(40)), bytes)
    }),
];

fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let megabytes: usize = arguments.first().map_or(Ok(10), |text| text.parse())?;
    if let [_, stage, text] = &arguments[..] {
        let (_, run) = STAGES[stage.parse::<usize>()?];
        let text = TEXTS[text.parse::<usize>()?].1(megabytes << 20);
        let (began, before) = (Instant::now(), peak_bytes());
        run(&text);
        println!(
            "{} {}",
            began.elapsed().as_secs_f64(),
            peak_bytes().saturating_sub(before)
        );
        return Ok(());
    }
    println!("{megabytes} MB of text; for each MB of it");
    for (stage, (stage_name, _)) in STAGES.iter().enumerate() {
        for (text, (text_name, _)) in TEXTS.iter().enumerate() {
            let program = std::env::current_exe()?;
            let child = [megabytes, stage, text].map(|number| number.to_string());
            let output = Command::new(program).args(child).output()?;
            let answer = String::from_utf8(output.stdout)?;
            let mut figures = answer.split_whitespace().map(str::parse::<f64>);
            let seconds = figures.next().unwrap_or(Ok(f64::NAN))? / megabytes as f64;
            let memory = figures.next().unwrap_or(Ok(f64::NAN))? / (megabytes << 20) as f64;
            println!("{stage_name:24} {text_name:24} {seconds:8.3} s {memory:8.1} MB");
        }
    }
    Ok(())
}
