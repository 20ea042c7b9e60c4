//! Which combinations of settings are evaluated.

use dedup::{Confirm, Features, Frequency, Rule, Scheme, Width};

use crate::cli::Evaluate;

/// Every scheme with every rule.
pub(super) struct Grid {
    pub(super) schemes: Vec<Scheme>,
    pub(super) rules: Vec<Rule>,
}

impl Grid {
    /// What `args` ask for; what they do not name is as in `scheme` and `rule`.
    pub(super) fn new(args: &Evaluate, scheme: &Scheme, rule: &Rule) -> Self {
        let mut schemes = Vec::new();
        for features in &args.features {
            for frequency in &args.weights {
                schemes.extend(args.bits.iter().map(|width| Scheme {
                    width: *width,
                    features: features.clone(),
                    frequency: *frequency,
                    ..scheme.clone()
                }));
            }
        }
        let mut rules = Vec::new();
        for confirm in &args.confirm {
            rules.extend(args.distances.iter().map(|distance| Rule {
                max_distance: *distance,
                confirm: *confirm,
                ..rule.clone()
            }));
        }
        Self { schemes, rules }
    }

    pub(super) fn size(&self) -> usize {
        self.schemes.len() * self.rules.len()
    }
}

/// As written on the command line: `distance`, `combined`, or a similarity.
pub(crate) fn parse_confirm(text: &str) -> Result<Confirm, String> {
    match text {
        "distance" => Ok(Confirm::Distance),
        "combined" => Ok(Confirm::PAPER),
        number => match number.parse() {
            Ok(min_similarity) if min_similarity > 0.0 && min_similarity <= 1.0 => {
                Ok(Confirm::Sketch { min_similarity })
            }
            _ => Err("write distance, combined, or a similarity above 0 and at most 1".into()),
        },
    }
}

pub(crate) fn parse_width(text: &str) -> Result<Width, String> {
    let width = text.parse().ok().and_then(Width::of_bits);
    width.ok_or_else(|| "write 32, 64 or 128".into())
}

pub(crate) fn parse_features(text: &str) -> Result<Features, String> {
    text.parse()
        .map_err(|error: dedup::scheme::InvalidScheme| error.to_string())
}

pub(crate) fn parse_frequency(text: &str) -> Result<Frequency, String> {
    text.parse()
        .map_err(|error: dedup::scheme::InvalidScheme| error.to_string())
}
