//! What the table of bands costs by itself, up to as many documents as the memory holds: 17 GB for 100 million.
//!
//! ```sh
//! cargo run --release -p crawler-dedup --example bands_bench -- 1 10 100
//! ```
//!
//! The arguments are millions of documents, ascending. Their bands are random numbers, so no two documents share one, except that each
//! look-up is for a document that is there and has one band of it. The columns: millions of documents, bytes of the table for each, and
//! microseconds of processor time for an insertion, among the last million, and for a look-up.

mod random;

use dedup::{BandIndex, Bands};
use random::Random;

type Failure = Box<dyn std::error::Error>;

const MILLION: u32 = 1_000_000;
const LOOK_UPS: u32 = 200_000;

/// The bands of a document.
fn bands(number: u32) -> [u64; 16] {
    let mut random = Random(u64::from(number).wrapping_mul(0x1_0000_0001));
    std::array::from_fn(|_| random.next())
}

/// Processor time of the process, in nanoseconds.
fn now() -> Result<u64, Failure> {
    let times = std::fs::read_to_string("/proc/self/schedstat")?;
    Ok(times.split_whitespace().next().unwrap_or("0").parse()?)
}

fn main() -> Result<(), Failure> {
    let mut index = BandIndex::default();
    println!("millions  bytes  insertion  look-up");
    for argument in std::env::args().skip(1) {
        let millions: u32 = argument.parse()?;
        let mut inserting = 0;
        let mut len = u32::try_from(index.len())?;
        while len < millions * MILLION {
            let start = now()?;
            for number in len..len + MILLION {
                index.insert(number, &Bands::from(bands(number)));
            }
            inserting = now()? - start;
            len += MILLION;
        }
        let mut random = Random(1);
        let start = now()?;
        for _ in 0..LOOK_UPS {
            let number = random.below(u64::from(len)) as u32;
            let mut query = Bands::from([(); 16].map(|()| random.next())).hashes().to_owned();
            query[5] = bands(number)[5];
            let found = index.candidates(&Bands::from(query), 1_000);
            if !found.is_some_and(|found| found.contains(&number)) {
                return Err(format!("document {number} is not found").into());
            }
        }
        let looking = now()? - start;
        println!(
            "{millions:>8}  {:>5}  {:>6.2} µs  {:>4.2} µs",
            index.resident_bytes() / len as usize,
            inserting as f64 / 1e3 / f64::from(MILLION),
            looking as f64 / 1e3 / f64::from(LOOK_UPS),
        );
    }
    Ok(())
}
