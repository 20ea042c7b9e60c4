//! Sequences that are partly in the file, compared with vectors.

use std::borrow::Cow;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;

fn spill(most_bytes: usize) -> Arc<Spill> {
    Arc::new(Spill::new(most_bytes, &std::env::temp_dir(), |folder| {
        tempfile::tempfile_in(folder)
    }))
}

#[derive(Debug, Clone)]
enum Step {
    Push(Vec<u8>),
    Set(prop::sample::Index, u64),
    Spill,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => prop::collection::vec(any::<u8>(), 0..40).prop_map(Step::Push),
        2 => (any::<prop::sample::Index>(), any::<u64>()).prop_map(|(at, value)| Step::Set(at, value)),
        2 => Just(Step::Spill),
    ]
}

proptest! {
    #[test]
    fn what_is_spilled_is_read_as_it_was(steps in prop::collection::vec(step(), 0..80)) {
        let file = spill(0);
        let (mut column, mut words) = (Column::<[u64; 2]>::default(), Vec::new());
        let (mut rows, mut lists) = (Rows::default(), Vec::new());
        for step in steps {
            match step {
                Step::Push(list) => {
                    words.push([list.len() as u64, words.len() as u64]);
                    column.push(words[words.len() - 1]);
                    rows.push(&list);
                    lists.push(list);
                }
                Step::Set(at, value) => if !words.is_empty() {
                    let at = at.index(words.len());
                    words[at] = [value, !value];
                    column.set(at, words[at]);
                },
                Step::Spill => {
                    column.spill(&file).unwrap();
                    rows.spill(&file).unwrap();
                    prop_assert_eq!((column.tail_bytes(), rows.tail_bytes()), (0, 0));
                }
            }
        }
        prop_assert_eq!((column.len(), rows.len()), (words.len(), lists.len()));
        for (at, word) in words.iter().enumerate() {
            prop_assert_eq!(&column.get(at), word);
        }
        for (at, list) in lists.iter().enumerate() {
            let row = rows.get(at).unwrap();
            prop_assert_eq!(row.as_deref(), Some(list.as_slice()));
        }
        prop_assert_eq!(rows.get(lists.len()).unwrap(), None);
        file.check().unwrap();
    }
}

#[test]
fn a_clone_goes_on_by_itself() {
    let file = spill(0);
    let mut rows = Rows::default();
    rows.push(b"first");
    rows.spill(&file).unwrap();
    let mut other = rows.clone();
    rows.push(b"second");
    other.push(b"another");
    rows.spill(&file).unwrap();
    other.spill(&file).unwrap();
    let read = |rows: &Rows| [0, 1].map(|at| rows.get(at).unwrap().map(Cow::into_owned).unwrap());
    assert_eq!(read(&rows), [b"first".to_vec(), b"second".to_vec()]);
    assert_eq!(read(&other), [b"first".to_vec(), b"another".to_vec()]);
}

#[test]
fn a_file_that_cannot_be_opened_or_read_is_an_error_that_names_its_folder() {
    let file = Arc::new(Spill::new(0, Path::new("no/such/folder"), |folder| {
        tempfile::tempfile_in(folder)
    }));
    let mut rows = Rows::default();
    rows.push(b"row");
    let error = rows.spill(&file).unwrap_err().to_string();
    assert!(error.contains("no/such/folder"), "{error}");
    assert_eq!(rows.get(0).unwrap().as_deref(), Some(&b"row"[..]));

    let cut_short = spill(0);
    rows.spill(&cut_short).unwrap();
    cut_short.file().unwrap().set_len(0).unwrap();
    assert!(rows.get(0).is_err() && cut_short.check().is_err());
}
