//! The outcomes of walls that no rule knows.

use page::WallKind;
use storage::{Outcome, stored_text};

use super::Recorder;
use super::repeats::{Repeats, Wall};
use crate::messages::{Event, UndecidedPage};
use crate::walls;
use config::settings::Settings;
use error::RunError;

/// What the recorder keeps in mind about walls.
#[derive(Debug)]
pub(super) struct Blocked {
    /// `None` if the user wants no wall recognised.
    repeats: Option<Repeats>,
    /// Events of hosts that rest, for the frontier.
    rests: Vec<Event>,
}

impl Blocked {
    pub fn new(settings: &Settings) -> Self {
        Self {
            repeats: settings.walls.then(|| Repeats::new(settings.politeness.max_retries)),
            rests: Vec::new(),
        }
    }

    /// Takes out the events of hosts that rest. The frontier must have them before it has a URL that is asked for again.
    pub fn take_rests(&mut self) -> impl Iterator<Item = Event> + use<> {
        std::mem::take(&mut self.rests).into_iter()
    }

    /// Page number `id` was decided.
    pub fn note_page(&mut self, id: u64, page: &UndecidedPage) {
        let Some(repeats) = &mut self.repeats else { return };
        let (queued, is_kept) = (&page.queued, !page.draft.verdict.is_duplicate());
        repeats.decided(page.notice.as_ref(), &queued.host, &queued.url, (id, is_kept));
    }

    /// Pages with the text of this one were taken back.
    fn taken_back(&mut self, page: &UndecidedPage, pages: usize) {
        if let (Some(repeats), Some(notice)) = (&mut self.repeats, &page.notice)
            && pages > 0
        {
            repeats.taken_back(notice, pages);
        }
    }

    fn wall(&mut self, page: &UndecidedPage) -> Option<Wall> {
        let (repeats, notice) = (self.repeats.as_mut()?, page.notice.as_ref()?);
        let queued = &page.queued;
        repeats.wall(notice, &queued.host, &queued.url, queued.attempts)
    }
}

impl Recorder {
    /// The event of a page that is a wall by what came before it: it is tried again, or has failed. The pages with its text that were taken
    /// for pages are taken back, and their URLs queued again. `None` for every other page.
    pub(super) fn blocked_page(&mut self, page: &UndecidedPage) -> Result<Option<Event>, RunError> {
        let Some(wall) = self.blocked.wall(page) else {
            return Ok(None);
        };
        let queued = &page.queued;
        tracing::debug!(url = %queued.url, evidence = wall.evidence, attempts = queued.attempts, "blocked");
        let mut again = Vec::new();
        if self.judge.takes_back() {
            for earlier in wall.earlier {
                again.extend(self.books.take_back(earlier)?);
            }
            self.blocked.taken_back(page, again.len());
        }
        let outcome = if wall.is_tried_again {
            self.blocked.rests.push(Event::Blocked {
                host: queued.host.clone(),
                attempts: queued.attempts,
            });
            Outcome::Retry
        } else {
            Outcome::Failed {
                kind: walls::failure(WallKind::Repeated),
                status: Some(page.draft.status),
                detail: stored_text(&format!("{}: {}", WallKind::Repeated.in_words(), wall.evidence)),
            }
        };
        let mut event = self.finish(queued, outcome, &[], None)?;
        if let Event::Decided { queued, .. } = &mut event {
            queued.extend(again);
        }
        Ok(Some(event))
    }
}
