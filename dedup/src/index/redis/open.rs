//! How an index on a server is opened: what it was made for must be what the caller wants.

use redis::Script;

use super::entries::Shape;
use super::keys::Keys;
use super::server::Server;
use super::{FORMAT, RedisAddress, RedisIndex, RedisOptions, Scripts, ServerError};
use crate::duplicate_rule::DuplicateRule;
use crate::error::DedupError;
use crate::fingerprint::Width;
use crate::layout::Layout;

impl RedisIndex {
    /// Opens the index of a collection whose verdicts follow from the scheme and the rule with these names; the second is empty for
    /// an index without a collection. Makes the index only if `makes`.
    pub(crate) fn open_for(
        address: &RedisAddress,
        [scheme_id, rule_id]: [&str; 2],
        rule: &DuplicateRule,
        options: &RedisOptions,
        makes: bool,
    ) -> Result<Self, DedupError> {
        let layout = match options.layout {
            None => Layout::for_distance(Width::W64, rule.max_distance)?,
            Some(layout) if layout.max_distance() >= rule.max_distance => layout,
            Some(_) => return Err(DedupError::NarrowIndex),
        };
        let shape = Shape {
            layout,
            min_similarity_short: rule.min_similarity_short,
        };
        let index = Self {
            server: Server::connect(address, options.timeout)?,
            keys: Keys::new(&address.prefix(), layout),
            shape,
            masks: (0..layout.blocks().len()).map(|number| layout.masks(number)).collect(),
            terms: [scheme_id.to_owned(), shape.name(), rule_id.to_owned()],
            scripts: Scripts {
                commit: Script::new(include_str!("commit.lua")),
                remove: Script::new(include_str!("remove.lua")),
                clear: Script::new(include_str!("clear.lua")),
            },
        };
        index.require_no_eviction()?;
        index.note_or_compare(makes)?;
        Ok(index)
    }

    /// Notes the terms where there is no index, if `makes`, and compares them where there is one.
    fn note_or_compare(&self, makes: bool) -> Result<(), DedupError> {
        let [scheme, layout, rule] = &self.terms;
        let open = Script::new(include_str!("open.lua"));
        let mut run = open.key(&self.keys.meta);
        run.arg(FORMAT.to_string())
            .arg(scheme)
            .arg(layout)
            .arg(rule)
            .arg(u8::from(makes));
        let found: Vec<Option<String>> = self.server.run(&run)?;
        if found.iter().all(Option::is_none) {
            return Err(ServerError::missing(self.server.place()).into());
        }
        let Ok([Some(format), Some(found_scheme), Some(found_layout), Some(found_rule)]) =
            <[Option<String>; 4]>::try_from(found)
        else {
            return Err(self.damaged());
        };
        let place = self.server.place();
        if format != FORMAT.to_string() {
            return Err(ServerError::format(place, format, FORMAT).into());
        }
        if found_scheme != *scheme {
            return Err(DedupError::OtherScheme {
                found: found_scheme,
                wanted: scheme.clone(),
            });
        }
        if found_layout != *layout {
            return Err(DedupError::OtherLayout {
                found: found_layout,
                wanted: layout.clone(),
            });
        }
        if found_rule != *rule {
            return Err(ServerError::rule(place, found_rule, rule.clone()).into());
        }
        Ok(())
    }

    /// Refuses a server that deletes keys without a time limit when its memory is full: a part of an index would give wrong
    /// verdicts.
    fn require_no_eviction(&self) -> Result<(), DedupError> {
        let mut pipeline = redis::pipe();
        pipeline.cmd("INFO").arg("memory");
        let memory = match self.server.query::<(String,)>(&pipeline) {
            Ok((memory,)) => memory,
            // Who may not ask for the settings is trusted to know them.
            Err(error) if error.is_forbidden() => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let field = |name: &str| {
            memory
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
        };
        let is_bounded = field("maxmemory").is_some_and(|bytes| bytes.trim() != "0");
        let evicts = field("maxmemory_policy").is_some_and(|policy| policy.starts_with("allkeys"));
        if is_bounded && evicts {
            return Err(ServerError::evicting(self.server.place()).into());
        }
        Ok(())
    }
}
