use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

/// A change of rows, or the opening of a snapshot.
#[derive(Debug, Clone)]
enum Step {
    Change(Vec<(u8, Option<u8>)>),
    Take,
}

fn step() -> impl Strategy<Value = Step> {
    let change = prop::collection::vec((0_u8..40, prop::option::of(any::<u8>())), 1..8);
    prop_oneof![3 => change.prop_map(Step::Change), 1 => Just(Step::Take)]
}

fn apply(snapshots: &Snapshots, tree: &sled::Tree, model: &mut Model, changes: &[(u8, Option<u8>)]) {
    let keys: Vec<sled::IVec> = changes.iter().map(|(key, _)| sled::IVec::from(&[*key])).collect();
    snapshots.save(tree, &keys).unwrap();
    for (key, value) in changes {
        match value {
            Some(value) => {
                tree.insert([*key], &[*value]).unwrap();
                model.insert(vec![*key], vec![*value]);
            }
            None => {
                tree.remove([*key]).unwrap();
                model.remove(&vec![*key]);
            }
        }
    }
}

/// All rows of a snapshot, read in pieces of `max_rows`.
fn all(snapshot: &Snapshot, from: u8, end: u8, max_rows: usize) -> Model {
    let (mut rows, mut next) = (Model::new(), Some(vec![from]));
    while let Some(at) = next {
        let (some, after) = snapshot.scan(&at, Some(&[end]), (max_rows, 1 << 20)).unwrap();
        rows.extend(some.into_iter().map(|(key, value)| (key.to_vec(), value.to_vec())));
        next = after;
    }
    rows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Compared with a copy of all rows at the time of the snapshot.
    #[test]
    fn a_snapshot_reads_the_rows_of_its_instant(
        steps in prop::collection::vec(step(), 1..40),
        (from, end) in (0_u8..20, 20_u8..41),
        max_rows in 1_usize..6,
    ) {
        let db = sled::Config::new().temporary(true).open().unwrap();
        let tree = db.open_tree("rows").unwrap();
        let (snapshots, mut model, mut taken) = (Snapshots::default(), Model::new(), Vec::new());
        for step in &steps {
            match step {
                Step::Change(changes) => apply(&snapshots, &tree, &mut model, changes),
                Step::Take => taken.push((snapshots.take(&tree, Path::new("d")), model.clone())),
            }
        }
        for (snapshot, then) in &taken {
            for key in 0..40_u8 {
                let value = snapshot.get(&[key]).unwrap().map(|value| value.to_vec());
                prop_assert_eq!(value.as_ref(), then.get(&vec![key]));
            }
            let within: Model = then.range(vec![from]..vec![end]).map(|(k, v)| (k.clone(), v.clone())).collect();
            prop_assert_eq!(all(snapshot, from, end, max_rows), within.clone());
            let last = snapshot.last(&[from], Some(&[end])).unwrap();
            let last = last.map(|(key, value)| (key.to_vec(), value.to_vec()));
            prop_assert_eq!(last, within.into_iter().next_back());
        }
    }
}

#[test]
fn a_snapshot_of_which_too_much_changed_is_given_up_and_frees_its_memory() {
    let db = sled::Config::new().temporary(true).open().unwrap();
    let tree = db.open_tree("rows").unwrap();
    let snapshots = Snapshots::default();
    let value = vec![0_u8; 1 << 20];
    for key in 0..70_u8 {
        tree.insert([key], &value[..]).unwrap();
    }
    let slow = snapshots.take(&tree, Path::new("d"));
    for key in 0..70_u8 {
        let key = sled::IVec::from(&[key]);
        snapshots.save(&tree, std::slice::from_ref(&key)).unwrap();
        tree.insert(key, &[1]).unwrap();
    }
    assert!(matches!(slow.get(&[0]), Err(StorageError::SnapshotLost { .. })));
    assert!(matches!(
        slow.scan(&[], None, (10, 10)),
        Err(StorageError::SnapshotLost { .. })
    ));
    assert!(locked(&slow.before).rows.is_empty());
    let fresh = snapshots.take(&tree, Path::new("d"));
    assert_eq!(fresh.get(&[0]).unwrap().unwrap().to_vec(), [1]);
}

#[test]
fn a_dropped_snapshot_costs_nothing_more() {
    let db = sled::Config::new().temporary(true).open().unwrap();
    let tree = db.open_tree("rows").unwrap();
    let snapshots = Snapshots::default();
    drop(snapshots.take(&tree, Path::new("d")));
    let kept = snapshots.take(&tree, Path::new("d"));
    assert_eq!(locked(&snapshots.open).len(), 1);
    drop(kept);
}
