use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

/// The same decisions, made by walking over plain lists.
#[derive(Debug, Default)]
struct Model {
    /// Name and requests since it has its place.
    on_trial: Vec<(String, u8)>,
    waiting: Vec<String>,
    proven: BTreeSet<String>,
}

impl Model {
    fn has_place(&self, domain: &str) -> bool {
        let of_domain = |name: &String| domain_of_host(name) == domain;
        let taken = self.on_trial.iter().filter(|(name, _)| of_domain(name)).count();
        taken < PLACES + PLACES_FOR_PROVEN * self.proven.iter().filter(|name| of_domain(name)).count()
    }

    fn admits(&mut self, name: &str) -> bool {
        let domain = domain_of_host(name);
        let others_wait = self.waiting.iter().any(|other| domain_of_host(other) == domain);
        if let Some(place) = self.on_trial.iter().position(|(other, _)| other == name) {
            if self.on_trial[place].1 >= REQUESTS && others_wait {
                self.on_trial.remove(place);
                self.waiting.push(name.to_owned());
                return false;
            }
            if self.on_trial[place].1 >= REQUESTS {
                self.on_trial[place].1 = 0;
            }
            return true;
        }
        if others_wait || !self.has_place(domain) {
            self.waiting.push(name.to_owned());
            return false;
        }
        self.on_trial.push((name.to_owned(), 0));
        true
    }

    /// Gives a place to each waiting name that may have one.
    fn admit_all(&mut self) -> BTreeMap<String, Vec<String>> {
        let mut admitted: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for name in std::mem::take(&mut self.waiting) {
            let domain = domain_of_host(&name).to_owned();
            if self.has_place(&domain) {
                self.on_trial.push((name.clone(), 0));
                admitted.entry(domain).or_default().push(name);
            } else {
                self.waiting.push(name);
            }
        }
        admitted
    }
}

#[derive(Debug, Clone, Copy)]
enum Act {
    Asks,
    MakesRequests(u8),
    Ends,
    ShowsANewPage,
    Admit,
}

fn act() -> impl Strategy<Value = (u8, Act)> {
    let act = prop_oneof![
        5 => Just(Act::Asks),
        3 => (1..=REQUESTS).prop_map(Act::MakesRequests),
        2 => Just(Act::Ends),
        1 => Just(Act::ShowsANewPage),
        3 => Just(Act::Admit),
    ];
    (0..30_u8, act)
}

fn name(number: u8) -> String {
    match number % 3 {
        0 => format!("n{number}.good.example:8080"),
        1 => format!("n{number}.other.example"),
        _ => format!("n{number}.github.io"),
    }
}

fn by_domain(names: impl IntoIterator<Item = String>) -> BTreeMap<String, Vec<String>> {
    let mut sorted: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in names {
        sorted.entry(domain_of_host(&name).to_owned()).or_default().push(name);
    }
    sorted
}

proptest! {
    #[test]
    fn the_trials_are_the_model_whatever_the_names_do(acts in proptest::collection::vec(act(), 0..300)) {
        let (mut trials, mut model) = (Trials::default(), Model::default());
        for (number, act) in acts {
            let name = name(number);
            let is_on_trial = model.on_trial.iter().any(|(other, _)| *other == name);
            match act {
                Act::Asks if !model.waiting.contains(&name) && !model.proven.contains(&name) => {
                    prop_assert_eq!(trials.admits(&name), model.admits(&name));
                }
                Act::MakesRequests(times) => {
                    (0..times).for_each(|_| trials.note_request(&name));
                    if let Some((_, requests)) = model.on_trial.iter_mut().find(|(other, _)| *other == name) {
                        *requests += times;
                    }
                }
                Act::Ends => {
                    trials.end(&name);
                    model.on_trial.retain(|(other, _)| *other != name);
                }
                Act::ShowsANewPage if !model.proven.contains(&name) && (is_on_trial || model.waiting.contains(&name)) => {
                    trials.prove(&name);
                    model.on_trial.retain(|(other, _)| *other != name);
                    model.waiting.retain(|other| *other != name);
                    model.proven.insert(name);
                }
                Act::Admit => {
                    let admitted = by_domain(std::iter::from_fn(|| trials.admit_next()));
                    prop_assert_eq!(admitted, model.admit_all());
                }
                Act::Asks | Act::ShowsANewPage => {}
            }
        }
        // Nothing is lost: when every trial ends, every waiting name has its turn.
        let mut left: BTreeSet<String> = model.waiting.iter().cloned().collect();
        for (name, _) in &model.on_trial {
            trials.end(name);
        }
        while let Some(name) = trials.admit_next() {
            left.remove(&name);
            trials.end(&name);
        }
        prop_assert!(left.is_empty(), "{:?} wait for ever", left);
        prop_assert!(trials.domains.values().all(|domain| !domain.proven.is_empty()), "no domain is kept without a reason");
    }
}

/// Tries `count` names. The names that `are_good` show a new page. Returns the names on trial in each round.
fn rounds(count: usize, is_good: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut trials = Trials::default();
    let name = |number: usize| format!("n{number}.site.example");
    let mut round: Vec<String> = (0..count).map(name).filter(|name| trials.admits(name)).collect();
    let mut sizes = Vec::new();
    while !round.is_empty() {
        sizes.push(round.len());
        for name in &round {
            let number = name[1..].split('.').next().unwrap().parse().unwrap();
            if is_good(number) {
                trials.prove(name);
            } else {
                trials.end(name);
            }
        }
        round = std::iter::from_fn(|| trials.admit_next()).collect();
    }
    assert_eq!(sizes.iter().sum::<usize>(), count, "each name has its trial");
    sizes
}

#[test]
fn names_without_a_new_page_are_tried_four_at_a_time() {
    assert!(rounds(1_000, |_| false).iter().all(|names| *names <= PLACES));
}

#[test]
fn ten_thousand_good_names_are_tried_in_six_rounds() {
    assert!(rounds(10_000, |_| true).len() <= 6);
}

#[test]
fn a_name_that_has_used_up_its_requests_goes_behind_the_others() {
    let mut trials = Trials::default();
    let names: Vec<String> = (0..=PLACES).map(|number| format!("n{number}.site.example")).collect();
    assert_eq!(names.iter().filter(|name| trials.admits(name)).count(), PLACES);
    (0..REQUESTS).for_each(|_| trials.note_request(&names[0]));
    assert!(!trials.admits(&names[0]));
    assert_eq!(trials.admit_next().as_ref(), Some(&names[PLACES]));
    trials.end(&names[1]);
    assert_eq!(trials.admit_next().as_ref(), Some(&names[0]));
    assert_eq!(trials.admit_next(), None);
}
