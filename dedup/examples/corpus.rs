//! Writes documents to measure `crawler dedup` with: JSON lines with an id, a text and a number.
//!
//! ```sh
//! cargo run --release -p crawler-dedup --example corpus -- 1000000 80 80 > documents.jsonl
//! ```
//!
//! The arguments are the number of documents, and the fewest and the most words of one. The words are by Zipf's law from 20,000. A fifth of
//! the documents is in families of five on average, whose members are spread over the whole. In three of four families, each member is
//! the same text with up to three words replaced: some are equal, most are alike. The fourth is a chain: one word is replaced for each eighth
//! of the documents before a member, so it is like the members next to it in time, and unlike those of other times. With texts of 80 words,
//! about one document in twelve is a duplicate.

mod random;

use std::io::{BufWriter, Write};

use random::Random;

const VOCABULARY: f64 = 20_000.0;
const MEMBERS: u64 = 5;
/// Steps of a chain.
const STEPS: u64 = 8;
const REPLACED_IN_A_STEP: u64 = 1;
/// One more than the most words that a member has replaced.
const REPLACED: u64 = 4;

impl Random {
    fn word(&mut self) -> u32 {
        let unit = self.below(1 << 30) as f64 / f64::from(1 << 30);
        VOCABULARY.powf(unit) as u32
    }

    fn text(&mut self, fewest: u64, most: u64) -> Vec<u32> {
        let len = fewest + self.below(most - fewest + 1);
        (0..len).map(|_| self.word()).collect()
    }

    fn replace(&mut self, words: &mut [u32], count: u64) {
        for _ in 0..count {
            let at = self.below(words.len() as u64) as usize;
            words[at] = self.word();
        }
    }
}

/// A generator of its own for a number of a kind.
fn of(kind: u64, number: u64) -> Random {
    let mut random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ kind << 56);
    random.next();
    Random(random.next())
}

fn words(number: u64, documents: u64, [fewest, most]: [u64; 2]) -> Vec<u32> {
    let mut own = of(1, number);
    if own.below(5) > 0 {
        return own.text(fewest, most);
    }
    let family = own.below((documents / (5 * MEMBERS)).max(1));
    let mut of_family = of(2, family);
    let mut words = of_family.text(fewest, most);
    if family.is_multiple_of(4) {
        for step in 0..number * STEPS / documents {
            of(3, family * STEPS + step).replace(&mut words, REPLACED_IN_A_STEP);
        }
    } else {
        let replaced = own.below(REPLACED);
        own.replace(&mut words, replaced);
    }
    words
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers = std::env::args().skip(1).map(|argument| argument.parse::<u64>());
    let numbers: Vec<u64> = numbers.collect::<Result<_, _>>()?;
    let [documents, fewest, most] = numbers[..] else {
        return Err("corpus DOCUMENTS FEWEST_WORDS MOST_WORDS".into());
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    for number in 0..documents {
        write!(out, "{{\"id\":\"{number:08x}\",\"number\":{number},\"text\":\"")?;
        for word in words(number, documents, [fewest, most.max(fewest)]) {
            write!(out, "w{:x} ", word.wrapping_mul(7_919) % 20_011)?;
        }
        out.write_all(b"\"}\n")?;
    }
    Ok(out.flush()?)
}
