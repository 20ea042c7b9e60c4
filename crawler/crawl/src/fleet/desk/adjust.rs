//! Takes over settings that the user changes for all workers. The value on the servers wins, whatever this worker was started with.

use config::settings::{ADJUSTABLE, Adjustable, KeyValue};

use super::Desk;
use crate::messages::Event;

impl Desk {
    /// Gives the frontier the settings that the user has changed, if the last heartbeat had others.
    pub(super) async fn adjust(&self, changed: &[KeyValue]) {
        let is_first = {
            let mut state = self.state();
            if state.changed == changed {
                return;
            }
            let before = std::mem::replace(&mut state.changed, changed.to_vec());
            before.is_empty() && state.leases.is_empty()
        };
        // Without a change, the values of the crawl hold: those of this worker may be others, if it joined while a change held.
        let agreed = self.fleet.rules();
        let adjustable = match Adjustable::of(self.adjustable.iter().chain(&agreed).chain(changed)) {
            Ok(adjustable) => adjustable,
            Err(reason) => {
                tracing::warn!("settings of the fleet cannot be taken over, so the ones before stay: {reason}");
                return;
            }
        };
        let said = self.said(&agreed, changed);
        if is_first && !said.is_empty() {
            tracing::warn!("the fleet has changed settings, which hold instead of this worker's own: {said}");
        } else {
            let said = if said.is_empty() {
                "none is changed any more"
            } else {
                &said
            };
            tracing::info!("settings were changed for the whole fleet: {said}");
        }
        if self.events.send(Event::Adjusted(Box::new(adjustable))).await.is_err() {
            tracing::debug!("a change of settings came after the end of the run");
        }
    }

    /// The changes of settings that this worker knows, with its own values where these differ.
    fn said(&self, agreed: &[KeyValue], changed: &[KeyValue]) -> String {
        let own = |key: &str| self.adjustable.iter().chain(agreed).find(|(of, _)| of == key);
        let known = changed.iter().filter(|(key, _)| ADJUSTABLE.contains(&key.as_str()));
        let said = known.map(|(key, value)| match own(key) {
            Some((_, own)) if own != value => format!("{key} = {value} (this worker: {own})"),
            _ => format!("{key} = {value}"),
        });
        said.collect::<Vec<_>>().join(", ")
    }
}
