use std::sync::Arc;

use super::*;
use crate::fingerprint::Width;
use crate::idf_builder::IdfBuilder;
use crate::scheme::Segmenter;
use proptest::prelude::*;

fn analyze(text: &str) -> Signature {
    Analyzer::new(&Scheme::default()).analyze(text)
}

fn long(seed: &str) -> String {
    (0..80).map(|n| format!("{seed}{} ", n * 7 % 53)).collect()
}

/// A scheme with `features` and without a floor.
fn scheme(features: &str) -> Scheme {
    Scheme {
        features: features.parse().unwrap(),
        min_words: 0,
        ..Scheme::default()
    }
}

const CAT: &str = "the cat sat on the mat";
const CALL: &str = "你妈妈喊你回家吃饭哦，回家罗回家罗";
const THAI: &str = "ภาษาไทยเป็นภาษาที่มีระดับเสียง";
const MIXED: &str = "美国\"51区\"雇员称 on 5 March 2024: 9架飞碟, $1,299.00 each — ﬁne Ｔext, café";

#[test]
fn the_distances_between_the_sentences_of_the_sources_are_as_published() {
    for features in [
        "words",
        "2-grams",
        "3-grams",
        "1-grams+2-grams",
        "words+2-grams",
        "words+2-shingles",
    ] {
        for width in Width::ALL {
            let analyzer = Analyzer::new(&Scheme {
                width,
                ..scheme(features)
            });
            let distances = |text: &str, near: &str, far: &str| {
                let [text, near, far] = [text, near, far].map(|text| analyzer.fingerprint(text).unwrap());
                (text.distance(near), text.distance(far))
            };
            let (near, far) = distances(CAT, "the cat sat on a mat", "we all scream for ice cream");
            assert!(near < far, "{features} {width:?}: {near} {far}");
            let other = "美国51区雇员称内部有9架飞碟，曾看见灰色外星人";
            let (near, far) = distances(CALL, "你妈妈叫你回家吃饭啦，回家罗回家罗", other);
            assert!(
                near < far && near < width.bits() / 3,
                "{features} {width:?}: {near} {far}"
            );
        }
    }
}

/// A change of these values makes every store unreadable: raise VERSION with it.
#[test]
fn fingerprints_are_pinned() {
    let mut lines = Vec::new();
    let table = {
        let mut builder = IdfBuilder::new(&scheme("words"));
        for text in [CAT, "the dog sat", "回家吃饭", "ภาษาไทย", MIXED] {
            builder.add(text);
        }
        Arc::new(builder.freeze())
    };
    for (name, text) in [("cat", CAT), ("call", CALL), ("thai", THAI), ("mixed", MIXED)] {
        let fingerprint = |scheme: &Scheme| Analyzer::new(scheme).fingerprint(text).unwrap();
        for features in ["words", "3-shingles", "2-grams", "words+2-shingles+5-grams"] {
            lines.push(format!("{name} {features} {}", fingerprint(&scheme(features))));
        }
        for width in Width::ALL {
            let scheme = Scheme {
                width,
                ..scheme("words")
            };
            lines.push(format!("{name} {} {}", width.bits(), fingerprint(&scheme)));
        }
        for weighting in Weighting::ALL {
            let table = weighting.needs_table().then(|| table.clone());
            let scheme = scheme("words").weighted(weighting, table).unwrap();
            lines.push(format!("{name} {weighting} {}", fingerprint(&scheme)));
        }
        let signature = Analyzer::new(&scheme("words")).analyze(text);
        let sketch: Vec<u8> = signature.sketch.unwrap().into();
        lines.push(format!("{name} digest {:032x}", signature.digest.unwrap().0));
        lines.push(format!("{name} sketch {:016x}", hash64(&sketch)));
        lines.push(format!("{name} numbers {:016x}", signature.numbers));
    }
    lines.push(format!("table {}", table.id()));
    let lines = lines.join("\n");
    assert_eq!(lines, include_str!("pinned.txt").trim_end(), "\n{lines}");
}

#[cfg(feature = "dictionary")]
#[test]
fn fingerprints_by_the_dictionary_are_pinned_and_as_close() {
    let scheme = Scheme {
        segmenter: Segmenter::Dictionary,
        ..scheme("words")
    };
    let fingerprint = |text| Analyzer::new(&scheme).fingerprint(text).unwrap();
    let pinned = [CAT, CALL, THAI, MIXED].map(|text| fingerprint(text).to_string());
    assert_eq!(pinned, PINNED_BY_DICTIONARY);
    let near = fingerprint(CALL).distance(fingerprint("你妈妈叫你回家吃饭啦，回家罗回家罗"));
    let far = fingerprint(CALL).distance(fingerprint("美国51区雇员称内部有9架飞碟，曾看见灰色外星人"));
    assert!(near < 20 && near + 6 <= far, "{near} {far}");
    let explained = Analyzer::new(&scheme).explain("我喜欢看电视，不喜欢看电影");
    let counts: Vec<_> = explained.features.iter().map(|f| (f.text.as_str(), f.count)).collect();
    assert_eq!(
        counts,
        [("喜欢", 2), ("看", 2), ("不", 1), ("我", 1), ("电影", 1), ("电视", 1)]
    );
}

#[cfg(feature = "dictionary")]
const PINNED_BY_DICTIONARY: [&str; 4] = [
    "5391424c04b61e2d",
    "fdb7711c7875911b",
    "3421778fa80c8000",
    "4f0b47d1bd14ef7f",
];

#[test]
fn all_threads_make_the_same_signature() {
    let analyzer = Analyzer::new(&scheme("words+3-grams"));
    let text = format!("{MIXED} {}", long("word"));
    let expected = analyzer.analyze(&text);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                // The buffers of a thread keep nothing of an earlier text.
                for other in ["", CALL, CAT] {
                    assert_ne!(analyzer.analyze(other), expected);
                    assert_eq!(analyzer.analyze(&text), expected);
                }
            });
        }
    });
}

#[test]
fn the_fingerprint_alone_equals_the_one_in_the_signature() {
    let analyzer = Analyzer::new(&Scheme::default());
    for text in [long("word"), CAT.to_owned(), String::new(), CALL.repeat(30)] {
        let signature = analyzer.analyze(&text);
        assert_eq!(analyzer.fingerprint(&text), signature.fingerprint);
        assert_eq!(analyzer.explain(&text).fingerprint, signature.fingerprint);
    }
}

#[test]
fn an_explanation_adds_up_to_the_fingerprint() {
    for features in ["words", "2-shingles", "3-grams", "words+2-grams"] {
        for weighting in [Weighting::Tf, Weighting::LogTf, Weighting::TfLevels] {
            let scheme = scheme(features).weighted(weighting, None).unwrap();
            let explanation = Analyzer::new(&scheme).explain(MIXED);
            let mut sums = Accumulator::new(scheme.width);
            for feature in &explanation.features {
                sums.add(feature.hash, (feature.weight * 1_024.0) as u32);
            }
            assert_eq!(sums.fingerprint(), explanation.fingerprint);
            assert_eq!(explanation.features.len(), explanation.distinct);
            assert!(explanation.features.is_sorted_by(|a, b| a.weight >= b.weight));
        }
    }
}

#[test]
fn an_explanation_reads_as_the_text() {
    let explained = |features: &str, text: &str| {
        let explanation = Analyzer::new(&scheme(features)).explain(text);
        let shown = explanation
            .features
            .into_iter()
            .map(|f| format!("{}:{}", f.text, f.count));
        shown.collect::<Vec<_>>().join(" | ")
    };
    assert_eq!(
        explained("words", "The tide, the TIDE on 5 March 2024"),
        "the:2 | tide:2 | <date>:1 | on:1"
    );
    assert_eq!(explained("words", "回家、回家"), "回家:2 | 家回:1");
    assert_eq!(
        explained("2-shingles", "a b, a b 回家"),
        "a b:2 | b a:1 | b 回:1 | 回家:1"
    );
    assert_eq!(
        explained("3-grams", "to be 12:30"),
        " be:1 | be :1 | e <date>:1 | o b:1 | to :1"
    );
    assert_eq!(explained("9-grams", "word"), "word:1");
}

#[test]
fn metadata_are_a_set() {
    let metadata = |items: &[&str]| Analyzer::new(&Scheme::default()).metadata(items.iter().copied());
    assert_eq!(
        metadata(&["Tides", "harbour", "tides"]),
        metadata(&["HARBOUR", " tides "])
    );
    assert_eq!(metadata(&[]), None);
    assert_eq!(metadata(&["", " \n"]), None);
    let (a, b) = (metadata(&["a", "b", "c"]).unwrap(), metadata(&["a", "b", "d"]).unwrap());
    assert!((a.similarity(&b) - 0.5).abs() < 0.12, "{}", a.similarity(&b));
}

#[test]
fn texts_just_above_the_floor_have_shingles_and_a_fingerprint() {
    let of = |words: usize| {
        let text: String = (0..words).map(|n| format!("word{} ", n * 7)).collect();
        let signature = analyze(&text);
        (signature.fingerprint.is_some(), !signature.shingles.is_empty())
    };
    assert_eq!(
        [49, 50, 62, 63].map(of),
        [(false, true), (true, true), (true, true), (true, false)]
    );
}

#[test]
fn a_text_without_a_token_has_an_empty_signature() {
    for text in ["", " \n\t", "*** — !!! …"] {
        assert_eq!(analyze(text), Signature::default(), "{text:?}");
    }
}

#[test]
fn short_texts_have_shingles_and_no_fingerprint() {
    let short = analyze("only a handful of words stand here");
    assert_eq!((short.tokens, short.shingles.len()), (7, 3));
    assert!(short.fingerprint.is_none() && short.sketch.is_none() && short.digest.is_some());
    let tiny = analyze("four words stand here");
    assert!(tiny.shingles.is_empty() && tiny.digest.is_some());
    let chinese = analyze(&"天地玄黄宇宙洪荒".repeat(30));
    assert!(chinese.fingerprint.is_none() && !chinese.shingles.is_empty());
}

#[test]
fn long_texts_have_a_fingerprint_and_no_shingles() {
    let signature = analyze(&long("word"));
    assert!(signature.fingerprint.is_some() && signature.sketch.is_some() && signature.shingles.is_empty());
    assert!(analyze(&"天地玄黄宇宙洪荒".repeat(40)).fingerprint.is_some());
}

#[test]
fn what_a_reader_does_not_see_changes_no_signature() {
    let words = |words: &str| format!("{} {words} {}", long("before"), long("after"));
    for (seen, other) in [
        ("the northern islands", "the north\u{ad}ern is\u{ad}lands"),
        (
            "the northern islands",
            "\u{feff}the nor\u{2060}thern\u{200e} is\u{200b}lands",
        ),
        ("see f(x) in step ①", "see f\u{2061}(x) in step ①\u{fe0e}"),
        ("میروم به کتابخانه", "می\u{200c}روم به کتاب\u{200c}خانه"),
        ("السلام عليكم", "السَّلَامُ عَلَيْكُمْ"),
        ("السلام عليكم", "الســـلام عليكـــم"),
        ("שלום עולם", "שָׁלוֹם עוֹלָם"),
        ("क्षेत्र", "क्\u{200d}षेत्र"),
        ("in 2024-03-05", "in 2024\u{2060}-03\u{2060}-05"),
    ] {
        assert_eq!(analyze(&words(seen)), analyze(&words(other)), "{other:?}");
        assert_eq!(analyze(seen).digest, analyze(other).digest, "{other:?}");
    }
    // A zero width space separates words of Thai, whose characters are the units.
    let (marked, plain) = (analyze(&words("ตา\u{200b}กลม")), analyze(&words("ตากลม")));
    assert_eq!((marked.sketch, marked.fingerprint), (plain.sketch, plain.fingerprint));
    // Letters that a mark makes stay, and so do spaces.
    for (one, other) in [
        ("آمن", "امن"),
        ("أن", "ان"),
        ("می روم", "می\u{200c}روم"),
        ("resume", "résumé"),
    ] {
        assert_ne!(analyze(one).digest, analyze(other).digest, "{one:?}");
    }
}

#[test]
fn only_the_digest_depends_on_a_date() {
    let a = analyze(&format!("{} as of 5 March 2024, 12:30", long("word")));
    let b = analyze(&format!("{} as of 6 April 2025, 9:15", long("word")));
    assert_ne!(a.digest, b.digest);
    assert_eq!(
        (a.fingerprint, a.sketch, a.numbers),
        (b.fingerprint, b.sketch, b.numbers)
    );
}

#[test]
fn a_date_is_masked_at_every_position() {
    for before in 0..60 {
        let text = format!("{}5 March 2024 {}", "x ".repeat(before), "y ".repeat(10));
        let other = format!("{}7 April 2025 {}", "x ".repeat(before), "y ".repeat(10));
        assert_eq!(analyze(&text).shingles, analyze(&other).shingles, "{before}");
    }
}

#[test]
fn numbers_are_compared_in_any_order() {
    let numbers = |text: &str| analyze(text).numbers;
    assert_eq!(numbers("a 12 b 1,299.00 c x200"), numbers("x200 1,299.00 and 12"));
    assert_ne!(numbers("price 12"), numbers("price 13"));
    assert_ne!(numbers("12 12"), numbers("12"));
    assert_eq!(numbers("no number"), numbers("none at all"));
}

proptest! {
    #[test]
    fn any_text_has_a_signature_and_it_does_not_depend_on_spacing(text in any::<String>()) {
        let signature = analyze(&text);
        prop_assert_eq!(&signature, &analyze(&format!("  {text}\n")));
        prop_assert!(signature.shingles.is_sorted());
    }

    #[test]
    fn any_text_has_a_fingerprint_by_any_scheme_if_it_has_a_token(
        text in "(\\PC|[a-z0-9 .,年月\u{301}ก-๙က-႟ក-៹ກ-ໝ]){0,60}",
        features in "(words\\+)?[2-9]-shingles\\+[1-9]-grams",
        segmenter in prop::sample::select(Segmenter::ALL),
        weighting in prop::sample::select(&[Weighting::Tf, Weighting::LogTf, Weighting::TfLevels]),
    ) {
        let scheme = Scheme { segmenter, ..scheme(&features) };
        let analyzer = Analyzer::new(&scheme.weighted(weighting, None).unwrap());
        let explanation = analyzer.explain(&text);
        prop_assert_eq!(explanation.fingerprint.is_some(), analyzer.analyze(&text).tokens > 0);
        prop_assert_eq!(explanation.distinct > 0, explanation.fingerprint.is_some());
    }
}
