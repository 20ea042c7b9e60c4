//! Takes over settings that the user changes for all workers. The value on the servers wins, whatever this worker was started with.

use config::settings::{ADJUSTABLE, Adjustable, KeyValue};
use fleet::{FleetError, Pulse};

use super::Desk;
use crate::messages::Event;

impl Desk {
    /// Takes over what a heartbeat says of changed settings. The next one tells the others whether this worker has.
    ///
    /// # Errors
    /// As [`adjust`](Self::adjust).
    pub(super) async fn take_changes(&self, pulse: &Pulse) -> Result<(), FleetError> {
        // A worker that has just joined again may have no answer yet.
        if pulse.last > 0 && self.adjust(&pulse.changed).await? {
            self.state().changes = pulse.changes;
        }
        Ok(())
    }

    /// Gives the frontier the settings that the user has changed, if the last heartbeat had others. Returns whether they hold for this worker.
    ///
    /// # Errors
    /// They cannot hold beside this worker's own settings, and it has not begun: by its own values, it would ask hosts more often than the user
    /// wants.
    async fn adjust(&self, changed: &[KeyValue]) -> Result<bool, FleetError> {
        let changed: Vec<KeyValue> = changed
            .iter()
            .filter(|(key, _)| ADJUSTABLE.contains(&key.as_str()))
            .cloned()
            .collect();
        let before = {
            let mut state = self.state();
            if state.changed.as_ref() == Some(&changed) {
                return Ok(state.holds_changes);
            }
            state.changed.replace(changed.clone())
        };
        // Without a change, the values of the crawl hold: those of this worker may be others, if it joined while a change held.
        let agreed = self.fleet.rules();
        let adjustable = match Adjustable::of(self.adjustable.iter().chain(&agreed).chain(&changed)) {
            Ok(adjustable) => adjustable,
            Err(reason) if before.is_none() => {
                return Err(FleetError::Settings(reason));
            }
            Err(reason) => {
                tracing::warn!("this worker keeps its old settings, as it cannot take over the changed ones: {reason}");
                self.state().holds_changes = false;
                return Ok(false);
            }
        };
        self.state().holds_changes = true;
        let said = self.said(&agreed, &changed);
        match (before, said.as_str()) {
            (None, "") => {}
            (None, said) => {
                tracing::warn!("settings changed for the whole fleet hold instead of this worker's own: {said}");
            }
            (Some(_), "") => tracing::info!("no setting is changed for the whole fleet any more"),
            (Some(_), said) => tracing::info!("settings were changed for the whole fleet: {said}"),
        }
        if self.events.send(Event::Adjusted(Box::new(adjustable))).await.is_err() {
            tracing::debug!("a change of settings came after the end of the run");
        }
        Ok(true)
    }

    /// The changes of settings that this worker knows, with its own values where these differ.
    fn said(&self, agreed: &[KeyValue], changed: &[KeyValue]) -> String {
        let own = |key: &str| self.adjustable.iter().chain(agreed).find(|(of, _)| of == key);
        let said = changed.iter().map(|(key, value)| match own(key) {
            Some((_, own)) if own != value => format!("{key} = {value} (this worker: {own})"),
            _ => format!("{key} = {value}"),
        });
        said.collect::<Vec<_>>().join(", ")
    }
}
