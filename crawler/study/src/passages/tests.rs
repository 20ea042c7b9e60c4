use proptest::prelude::*;

use super::*;

fn texts<'a>(of: (&'a str, &'a str), common: &Common) -> Vec<(&'a str, &'a str)> {
    let passages = common.passages.iter();
    passages
        .map(|passage| (&of.0[passage.left.clone()], &of.1[passage.right.clone()]))
        .collect()
}

#[test]
fn passages_are_found_at_any_place() {
    let first = "The tide table of the harbour master is printed every spring, and";
    let second = "it is sold at the gate for two crowns to whoever asks";
    let left = format!("{first} {second}.");
    let right = format!("As they say: IT IS SOLD at the gate, for two crowns to whoever asks! {first} so on.");
    let common = common(&left, &right, &Options::default());
    let upper = "IT IS SOLD at the gate, for two crowns to whoever asks";
    assert_eq!(texts((&left, &right), &common), [(first, first), (second, upper)]);
    assert_eq!((common.left_tokens, common.left_share()), (24, 1.0));
    assert_eq!((common.right_tokens, common.right_share()), (29, 24.0 / 29.0));
}

#[test]
fn characters_of_scripts_without_spaces_count_less_than_words() {
    let shared = "微服务框架的安装说明在这里可以找到";
    let (left, right) = (format!("甲{shared}乙"), format!("丙{shared}丁"));
    let of = |min_characters| {
        let options = Options {
            min_characters,
            ..Options::default()
        };
        let common = common(&left, &right, &options);
        texts((&left, &right), &common).len()
    };
    assert_eq!([of(16), of(17), of(18)], [1, 1, 0]);
}

#[test]
fn texts_without_a_token_have_nothing_in_common() {
    for (left, right) in [("", ""), ("...", "one two"), ("one two", "")] {
        let common = common(left, right, &Options::default());
        assert_eq!(
            (common.passages.len(), common.left_share(), common.right_share()),
            (0, 0.0, 0.0)
        );
    }
}

#[test]
fn the_search_in_repetitive_texts_is_bounded() {
    let left = "na ".repeat(50_000);
    let right = "na ".repeat(40_000);
    let common = common(&left, &right, &Options::default());
    assert_eq!(common.passages[0].tokens, 40_000);
    assert!(common.is_cut, "the search ended before it had compared all places");
    let mut words = fastrand::Rng::with_seed(1);
    let mut periodic = || -> String { (0..50_000).map(|_| ["a ", "b "][words.usize(..2)]).collect() };
    let (left, right) = (periodic(), periodic());
    let common = super::common(&left, &right, &Options::default());
    assert!(!common.passages.is_empty());
}

#[test]
fn only_the_first_tokens_of_a_very_long_text_are_compared() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut words = |count: usize| -> String { (0..count).map(|_| format!("w{:x} ", random.u64(..))).collect() };
    let (first, last) = (words(MAX_TOKENS - 20), words(50));
    let common = common(&format!("{first}{last}"), &last, &Options::default());
    assert!(common.is_cut);
    assert_eq!((common.left_tokens, common.right_tokens), (MAX_TOKENS + 30, 50));
    let [passage] = &common.passages[..] else { panic!() };
    assert_eq!(passage.tokens, 20, "what stands within the bound");
    assert_eq!(common.right_share(), 0.4);
    let whole = super::common(&first, &first, &Options::default());
    assert_eq!(
        (whole.passages.len(), whole.left_share(), whole.is_cut),
        (1, 1.0, false)
    );
}

#[test]
fn the_places_of_runs_take_no_more_memory_than_a_list() {
    let tokens: Vec<u32> = (0..100_000).map(|n| n % 1_000).collect();
    let places = Places::of(&tokens, 8);
    assert_eq!(places.by_hash.capacity(), tokens.len() - 7);
    let found: Vec<usize> = places.find(&tokens[3..11]).collect();
    let expected: Vec<usize> = (0..MAX_PLACES).map(|n| 3 + 1_000 * n).collect();
    assert_eq!(found, expected, "the first of a hundred");
    assert_eq!(places.find(&[7; 8]).count(), 0);
}

/// Tiling by definition: compares all pairs of places, again after each passage.
fn brute_force(a: &Text, b: &Text, options: &Options) -> Vec<Run> {
    let (mut is_taken_a, mut is_taken_b) = (vec![false; a.tokens.len()], vec![false; b.tokens.len()]);
    let mut taken = Vec::new();
    loop {
        let mut longest: Option<Run> = None;
        for at_a in 0..a.tokens.len() {
            for at_b in 0..b.tokens.len() {
                let length = (0..)
                    .take_while(|n| {
                        let (x, y) = (at_a + n, at_b + n);
                        x < a.tokens.len()
                            && y < b.tokens.len()
                            && a.tokens[x] == b.tokens[y]
                            && !is_taken_a[x]
                            && !is_taken_b[y]
                    })
                    .count();
                let run = Run {
                    a: at_a,
                    b: at_b,
                    length,
                };
                if length > longest.map_or(0, |run| run.length) && a.is_passage(at_a..at_a + length, options) {
                    longest = Some(run);
                }
            }
        }
        let Some(run) = longest else { break };
        is_taken_a[run.a..run.a + run.length].fill(true);
        is_taken_b[run.b..run.b + run.length].fill(true);
        taken.push(run);
    }
    taken.sort_unstable_by_key(|run| run.a);
    taken
}

fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec!["tide ", "Tide ", "table ", "harbour, ", "sea. ", "你", "好"]);
    prop::collection::vec(word, 0..40).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn passages_are_those_of_brute_force(
        left in text(), right in text(), min_words in 1_usize..5, min_characters in 1_usize..7,
    ) {
        let options = Options { min_words, min_characters };
        let mut numbers = HashMap::new();
        let (a, b) = (Text::of(&left, &mut numbers), Text::of(&right, &mut numbers));
        let expected: Vec<_> = brute_force(&a, &b, &options)
            .into_iter()
            .map(|run| Passage {
                left: a.place(run.a, run.length),
                right: b.place(run.b, run.length),
                tokens: run.length,
            })
            .collect();
        prop_assert_eq!(common(&left, &right, &options).passages, expected);
    }
}
