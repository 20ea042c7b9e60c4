use super::*;
use crate::analyzer::Analyzer;
use crate::idf_builder::IdfBuilder;
use crate::scheme::Scheme;
use crate::weights::{Weighting, Weights};
use proptest::prelude::*;

fn table(texts: &[&str]) -> IdfTable {
    let mut builder = IdfBuilder::new(&Scheme::default());
    texts.iter().for_each(|text| builder.add(text));
    builder.freeze()
}

fn written(table: &IdfTable) -> Vec<u8> {
    let mut bytes = Vec::new();
    table.write(&mut bytes).unwrap();
    bytes
}

fn feature(word: &str) -> u64 {
    let mut features = Vec::new();
    Analyzer::new(&Scheme::default()).features(word, &mut features);
    assert_eq!(features.len(), 1, "{word}");
    features[0]
}

const CORPUS: [&str; 4] = ["the red red house", "the blue house", "the tide", "THE end"];

#[test]
fn each_document_counts_a_feature_once() {
    let table = table(&CORPUS);
    assert_eq!((table.documents(), table.len()), (4, 2));
    let idfs = ["the", "house", "red", "never"].map(|word| table.idf(feature(word)));
    assert_eq!(idfs, [4, 2, 1, 1].map(|count| ln_ratio(4, count)));
}

#[test]
fn a_text_without_a_token_is_no_document() {
    assert_eq!(table(&["", " … ", "word"]).documents(), 1);
}

#[test]
fn idf_is_the_logarithm_of_the_share_of_documents() {
    let table = table(&CORPUS);
    let idf = |word| f64::from(table.idf(feature(word))) / 1_024.0;
    assert_eq!(idf("the"), 0.0);
    assert!((idf("house") - 2_f64.ln()).abs() < 0.0005);
    assert!((idf("red") - 4_f64.ln()).abs() < 0.0005);
    assert_eq!(idf("red"), idf("never"));
}

/// The formula of the paper in floating point: tf × idf × (1 + len), tf without the divisor that all terms share.
#[test]
fn improved_weights_equal_the_formula_of_the_paper() {
    let table = table(&CORPUS);
    let improved = Weights::new(Weighting::Improved, Some(table.clone().into()));
    let tf_idf = Weights::new(Weighting::TfIdf, Some(table.into()));
    for (word, count, documents) in [("house", 3, 2.0_f64), ("red", 1, 1.0), ("unseen", 40, 1.0)] {
        let characters = word.len() as u32;
        let z = (f64::from(characters) - 4.51) / 2.207;
        let (tf, idf, len) = (f64::from(count), (4.0 / documents).ln(), (-z * z / 2.0).exp());
        for (weights, expected) in [(&improved, tf * idf * (1.0 + len)), (&tf_idf, tf * idf)] {
            let weight = f64::from(weights.weight(feature(word), count, characters)) / 1_024.0;
            assert!((weight / expected - 1.0).abs() < 0.002, "{word}: {weight} {expected}");
        }
    }
    // A feature of all documents weighs the least possible, but not 0.
    assert_eq!(improved.weight(feature("the"), 9, 3), 1);
}

#[test]
fn a_written_table_reads_back_with_its_name() {
    for table in [table(&CORPUS), table(&[]), table(&["one"])] {
        let bytes = written(&table);
        let read = IdfTable::read(&bytes[..]).unwrap();
        assert_eq!(read, table);
        let checksum = u64::from_le_bytes(*bytes.last_chunk().unwrap());
        assert_eq!(read.id(), format!("{checksum:016x}"));
    }
}

#[test]
fn different_tables_have_different_names() {
    let all: Vec<_> = (0..=4).map(|n| table(&CORPUS[..n]).id().to_owned()).collect();
    let distinct: std::collections::BTreeSet<_> = all.iter().collect();
    assert_eq!(distinct.len(), all.len());
}

#[test]
fn bytes_that_are_no_table_are_refused_with_the_reason() {
    let bytes = written(&table(&CORPUS));
    let refused = |bytes: &[u8]| IdfTable::read(bytes).unwrap_err().to_string();
    assert!(refused(b"{\"a\": 1, \"b\": 2}").contains("build one"));
    assert!(refused(&bytes[..bytes.len() - 1]).contains("end is missing"));
    assert!(refused(&[&bytes[..], b"x"].concat()).contains("follows its checksum"));
    let mut later = bytes.clone();
    later[8] = 9;
    assert!(refused(&later).contains("format 9"));
    // A number of rows that no file could hold takes no memory.
    let mut endless = bytes[..9].to_vec();
    endless.extend([1, 0, b'w', 5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]);
    assert!(refused(&endless).contains("end is missing"));
}

#[test]
fn every_changed_bit_is_noticed() {
    let bytes = written(&table(&CORPUS));
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            assert!(IdfTable::read(&changed[..]).is_err(), "byte {at} bit {bit}");
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(tail in prop::collection::vec(any::<u8>(), 0..60)) {
        let whole = [b"dedupIDF\x01\x01\0w".as_slice(), &tail].concat();
        for bytes in [&tail, &whole] {
            if let Ok(table) = IdfTable::read(&bytes[..]) {
                prop_assert_eq!(&written(&table), bytes);
            }
        }
    }

    #[test]
    fn every_row_is_found(mut hashes in prop::collection::btree_map(any::<u64>(), 2_u32..90, 0..200)) {
        hashes.insert(u64::MAX, 3);
        let rows = hashes.iter().map(|(hash, count)| (*hash, *count)).unzip();
        let table = IdfTable::new("w".into(), 90, rows);
        for (hash, count) in &hashes {
            let idf = |count: u32| ln_ratio(90, count.into());
            prop_assert_eq!(table.idf(*hash), idf(*count));
            prop_assert_eq!(table.idf(hash ^ 1), idf(hashes.get(&(hash ^ 1)).copied().unwrap_or(1)));
        }
        prop_assert_eq!(IdfTable::read(&written(&table)[..]).unwrap(), table);
    }
}
