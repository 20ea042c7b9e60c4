//! The experiment of the improved SimHash. Prints tables in Markdown.
//!
//! ```text
//! improved_simhash [--similar 1000] [--unrelated 5000] [--template 0] [--pages PAGES.jsonl]
//! ```

use std::error::Error;
use std::fs;
use std::time::Duration;

use dedup_bench::experiment::copies::edited_copy;
use dedup_bench::experiment::documents::{Document, Writer, of_real_sentences};
use dedup_bench::experiment::edits::{Edit, Kind, PERCENTS, Unit};
use dedup_bench::experiment::methods::{Methods, NAMES, Spent};
use dedup_bench::experiment::score::Score;
use dedup_bench::experiment::vocabulary::{TOPICS, Vocabulary};
use dedup_bench::random::Random;
use serde_json::Value;

struct Options {
    similar: usize,
    unrelated: usize,
    template: usize,
    pages: Option<String>,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        similar: 1_000,
        unrelated: 5_000,
        template: 0,
        pages: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
        match name.as_str() {
            "--similar" => options.similar = value.parse()?,
            "--unrelated" => options.unrelated = value.parse()?,
            "--template" => options.template = value.parse()?,
            "--pages" => options.pages = Some(value),
            _ => return Err(format!("no option {name}: --similar, --unrelated, --template, --pages").into()),
        }
    }
    if options.similar > options.unrelated {
        return Err(
            "each similar document is a copy of a different unrelated one: choose --similar at most --unrelated".into(),
        );
    }
    Ok(options)
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let mut all = NAMES.map(|_| (Score::default(), Spent::default()));
    let mut documents = 0;
    print_header("topic");
    for (name, originals) in topics(&options)? {
        let stream = with_copies(&originals, options.similar);
        let results = run(&originals, &stream)?;
        documents += stream.len();
        println!(
            "| {name} ({} documents) | {} |",
            stream.len(),
            results.each_ref().map(|(score, _)| cells(score)).join(" | ")
        );
        for ((sum, spent), (score, more)) in all.iter_mut().zip(&results) {
            sum.add(score);
            spent.analyzing += more.analyzing;
            spent.deciding += more.deciding;
        }
    }
    println!(
        "| **all** | {} |",
        all.each_ref().map(|(score, _)| cells(score)).join(" | ")
    );
    let micros = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1e6 / documents as f64);
    println!(
        "| µs to signature | {} |",
        all.each_ref().map(|(_, spent)| micros(spent.analyzing)).join(" | ")
    );
    println!(
        "| µs to decide | {} |\n",
        all.each_ref().map(|(_, spent)| micros(spent.deciding)).join(" | ")
    );
    print_recall(&all.each_ref().map(|(score, _)| score));
    Ok(())
}

/// A topic's name and unrelated documents.
type Topic = (String, Vec<Document>);

fn topics(options: &Options) -> Result<Vec<Topic>, Box<dyn Error>> {
    if let Some(path) = &options.pages {
        let mut texts = Vec::new();
        for line in fs::read_to_string(path)?.lines() {
            let page: Value = serde_json::from_str(line)?;
            texts.extend(page["text"].as_str().map(str::to_owned));
        }
        let mut documents = of_real_sentences(&texts, 5);
        documents.truncate(options.unrelated);
        return Ok(vec![("real sentences".to_owned(), documents)]);
    }
    let vocabulary = Vocabulary::default();
    let topic = |(topic, name): (usize, &&str)| {
        let mut writer = Writer::new(&vocabulary, topic, options.template, topic as u64 + 1);
        let documents = (0..options.unrelated).map(|family| writer.document(family));
        ((*name).to_owned(), documents.collect())
    };
    Ok(TOPICS.iter().enumerate().map(topic).collect())
}

/// The originals, and edited copies of `similar` of them, in random order.
fn with_copies(originals: &[Document], similar: usize) -> Vec<Document> {
    let mut random = Random::new(6);
    let places: Vec<usize> = (0..originals.len()).collect();
    let copied = random.sample(&places, similar);
    let copy = |(n, place): (usize, &usize)| {
        let other = &originals[(place + 1) % originals.len()];
        edited_copy(Edit::nth(n), &originals[*place], other, &mut random)
    };
    let copies: Vec<Document> = copied.iter().enumerate().map(copy).collect();
    let mut stream = [originals, &copies].concat();
    Random::new(7).shuffle(&mut stream);
    stream
}

type Results = [(Score, Spent); NAMES.len()];

fn run(originals: &[Document], stream: &[Document]) -> Result<Results, Box<dyn Error>> {
    let corpus: Vec<String> = originals.iter().map(Document::text).collect();
    let mut methods = Methods::new(corpus.iter().map(String::as_str))?;
    let mut scores = NAMES.map(|_| Score::default());
    for document in stream {
        let repeats = methods.judge(&document.text(), &document.metadata)?;
        for (score, of) in scores.iter_mut().zip(repeats) {
            score.count(document, of.map(|place| stream[place].family));
        }
    }
    let mut spent = methods.spent().into_iter();
    Ok(scores.map(|score| (score, spent.next().unwrap_or_default())))
}

fn print_header(first: &str) {
    println!("| {first} | {} |", NAMES.join(" | "));
    println!("|---|{}", "---|".repeat(NAMES.len()));
}

/// Precision, recall, F1.
fn cells(score: &Score) -> String {
    format!("{:.3} {:.3} {:.3}", score.precision(), score.recall(), score.f1())
}

fn print_recall(scores: &[&Score; NAMES.len()]) {
    print_header("recall of");
    let row = |name: String, counts: &dyn Fn(&Edit) -> bool| {
        let recalls = scores.map(|score| format!("{:.3}", score.recall_where(counts)));
        println!("| {name} | {} |", recalls.join(" | "));
    };
    for unit in [Unit::Word, Unit::Sentence] {
        for percent in PERCENTS {
            let kinds = [Kind::Replace, Kind::Delete, Kind::Insert, Kind::Swap];
            for kind in kinds {
                let edit = Edit { kind, unit, percent };
                row(edit.to_string(), &|other| *other == edit);
            }
        }
    }
    for (unit, name) in [(Unit::Word, "words"), (Unit::Sentence, "sentences")] {
        for percent in PERCENTS {
            row(format!("**{percent} % {name}, all kinds**"), &|edit| {
                (edit.unit, edit.percent) == (unit, percent)
            });
        }
    }
}
