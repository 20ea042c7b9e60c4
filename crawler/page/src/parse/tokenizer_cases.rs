//! The cases of html5lib-tests for the tokenizer.

use std::cell::RefCell;
use std::io::Read as _;

use flate2::read::GzDecoder;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::{RawKind, State};
use html5ever::tokenizer::{Tag, TagKind, Token};
use serde_json::{Value, json};

use super::tests::{expected, shown, whole};
use super::*;

/// The cases in the form of `tests/data/README.md`.
const CASES: &[u8] = include_bytes!("../../tests/data/html5lib/tokenizer.jsonl.gz");

/// The cases that the library reads in another way.
const DEVIATIONS: &[&str] = &["test3-1 in CDATA section state"];

fn cases() -> Vec<Value> {
    let mut text = String::new();
    GzDecoder::new(CASES).read_to_string(&mut text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Notes tokens in the form of the cases.
#[derive(Default)]
struct Noted(RefCell<Vec<Value>>);

impl Noted {
    fn characters(&self, text: &str) {
        let mut tokens = self.0.borrow_mut();
        match tokens.last_mut() {
            Some(last) if last[0] == "Character" => last[1] = json!(format!("{}{text}", last[1].as_str().unwrap())),
            _ => tokens.push(json!(["Character", text])),
        }
    }

    fn tag(&self, tag: &Tag) {
        let name = &*tag.name;
        let attributes = tag
            .attrs
            .iter()
            .map(|one| (one.name.local.to_string(), json!(&*one.value)));
        let attributes: serde_json::Map<String, Value> = attributes.collect();
        self.0.borrow_mut().push(match tag.kind {
            TagKind::EndTag => json!(["EndTag", name]),
            TagKind::StartTag if tag.self_closing => json!(["StartTag", name, attributes, true]),
            TagKind::StartTag => json!(["StartTag", name, attributes]),
        });
    }
}

impl TokenSink for Noted {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        match token {
            Token::DoctypeToken(doctype) => {
                let text = |part: Option<StrTendril>| part.map(|part| part.to_string());
                let (name, public, system) = (text(doctype.name), text(doctype.public_id), text(doctype.system_id));
                self.0
                    .borrow_mut()
                    .push(json!(["DOCTYPE", name, public, system, !doctype.force_quirks]));
            }
            Token::TagToken(tag) => self.tag(&tag),
            Token::CommentToken(text) => self.0.borrow_mut().push(json!(["Comment", &*text])),
            Token::CharacterTokens(text) => self.characters(&text),
            Token::NullCharacterToken => self.characters("\0"),
            Token::EOFToken | Token::ParseError(_) => {}
        }
        TokenSinkResult::Continue
    }
}

fn state(name: &str) -> State {
    match name {
        "Data state" => State::Data,
        "PLAINTEXT state" => State::Plaintext,
        "RCDATA state" => State::RawData(RawKind::Rcdata),
        "RAWTEXT state" => State::RawData(RawKind::Rawtext),
        "Script data state" => State::RawData(RawKind::ScriptData),
        "CDATA section state" => State::CdataSection,
        other => panic!("{other}"),
    }
}

fn tokens_of(case: &Value, name: &str) -> Vec<Value> {
    let options = TokenizerOpts {
        discard_bom: false,
        initial_state: Some(state(name)),
        last_start_tag_name: case.get("tag").and_then(Value::as_str).map(str::to_owned),
        ..TokenizerOpts::default()
    };
    let tokenizer = Tokenizer::new(Noted::default(), options);
    let queue = BufferQueue::default();
    let input = with_line_feeds(case["input"].as_str().unwrap());
    queue.push_back(StrTendril::from_slice(&input));
    while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

/// The tokens that a case expects, with adjacent characters as one token.
fn wanted(case: &Value) -> Vec<Value> {
    let wanted = Noted::default();
    for token in case["output"].as_array().unwrap() {
        match token[0].as_str() {
            Some("Character") => wanted.characters(token[1].as_str().unwrap()),
            _ => wanted.0.borrow_mut().push(token.clone()),
        }
    }
    wanted.0.into_inner()
}

#[test]
fn the_tokenizer_cases_of_html5lib_give_the_tokens_that_they_say() {
    let (mut passed, mut deviations, mut wrong) = (0, 0, Vec::new());
    for case in cases() {
        for name in case["states"].as_array().unwrap().iter().filter_map(Value::as_str) {
            let label = format!("{} in {name}", case["name"].as_str().unwrap());
            let is_read = tokens_of(&case, name) == wanted(&case);
            match (is_read, DEVIATIONS.contains(&label.as_str())) {
                (true, false) => passed += 1,
                (false, true) => deviations += 1,
                _ => wrong.push(label),
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{passed} passed; not as listed:\n{}",
        wrong.join("\n")
    );
    let documented = include_str!("../../../../docs/src/standards.md");
    let row = format!("| `tokenizer`: the tokens of HTML | {passed} | {deviations} |");
    assert!(documented.contains(&row), "docs/src/standards.md should have\n{row}");
}

/// This crate reads simple tokens without the library.
#[test]
fn the_tokenizer_cases_of_html5lib_give_the_tree_of_their_tokens() {
    for case in cases() {
        let input = case["input"].as_str().unwrap();
        // The library loses a byte order mark behind a script.
        if !input.contains('\u{feff}') {
            assert_eq!(shown(&whole(input).html), expected(input), "{}", case["name"]);
        }
    }
}
