//! When is a page finished?
//!
//! A page has two clocks. Its timers run on the *virtual time* of CDP, which runs while the page has nothing to do, as fast as the timers can be
//! served, and stands still while a request of the page is open. So a page that waits for a second by a timer costs no second. Its
//! animations, and the observers that load more when a part comes into view, run by *frames*, which the browser draws as fast as the machine
//! allows. Neither a slow machine nor a slow server makes a page seem finished, because both clocks stand still while the page cannot go on.
//!
//! The virtual time runs in steps ([`clock`](crate::clock)). After each step, some frames are drawn, the workers of the page answer, and the crawler looks at
//! the page. What a frame causes runs in the next step. The page is finished if it looks the same after two steps and has nothing to do:
//!
//! ```text
//! it still has                                      it is waited for
//! a timer, an idle callback, an opening socket      while it would end within MAX_STILL of virtual time without a change
//! messages of workers since the last look           for MAX_STILL without a change
//! a callback for a frame                            for ENDLESS_FRAMES without a change
//! an animation that ends soon                       for MAX_FRAMES without a change
//! ```
//!
//! Beyond these bounds, the page repeats itself: an animation without an end, a question that it asks every second. The machine decides nothing
//! here: this module has no clock. See [`patience`](crate::patience) for the time that a page may take from the machine.

use std::time::Duration;

use crate::clock::STEP;

/// Virtual time without a change after which timers, idle callbacks, sockets and workers are not waited for any more.
const MAX_STILL: Duration = Duration::from_secs(10);

/// Frames that are drawn after each step. What comes into view is loaded after two.
const FRAMES: u32 = 6;

/// Frames for a page with workers. A worker that does several things in turn, each with a short wait, has time for them.
const FRAMES_WITH_WORKERS: u32 = 30;

/// Frames without a change after which callbacks for frames have no end: a second of a fast machine.
const ENDLESS_FRAMES: u32 = 60;

/// As [`ENDLESS_FRAMES`] for animations that end within three seconds.
const MAX_FRAMES: u32 = 240;

/// What a look at the page shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Look {
    /// Whether the document and all that it names is loaded.
    pub is_loaded: bool,
    /// Whether the awaited element is there.
    pub is_found: bool,
    /// A digest of text, elements and links.
    pub digest: String,
    /// What the page still has to do.
    pub duties: Duties,
}

/// What a page still has to do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Duties {
    /// Virtual time until its next timer.
    pub timer: Option<Duration>,
    /// Whether it waits for an idle time.
    pub is_idle_awaited: bool,
    /// Whether it waits for a frame.
    pub is_frame_awaited: bool,
    /// Whether an animation ends soon.
    pub is_animated: bool,
    /// Whether a socket is being opened.
    pub has_opening_socket: bool,
    /// Messages of workers so far.
    pub messages: u64,
    /// Whether it has asked for the same data again and again.
    pub polls: bool,
}

/// What follows a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// The clock runs on.
    GoOn,
    /// The page is finished.
    Finished,
    /// The virtual time has run for as long as it may, and the page still changes, or is not there yet.
    Restless,
}

#[derive(Debug)]
pub(crate) struct Finish {
    /// Upper bound on the virtual time, at first and after each restart.
    limit: Duration,
    /// The steps since.
    ran: Duration,
    /// The virtual time of the last look at which the page looked different, and the frames since.
    changed: Duration,
    still_frames: u32,
    seen: Option<Look>,
    has_worker: bool,
    /// Whether timers have been waited for as long as possible, and frames.
    knows_timers: bool,
    knows_frames: bool,
}

impl Finish {
    /// A page whose virtual time may run for `limit`.
    pub fn new(limit: Duration) -> Self {
        Self {
            limit,
            ran: Duration::ZERO,
            changed: Duration::ZERO,
            still_frames: 0,
            seen: None,
            has_worker: false,
            knows_timers: false,
            knows_frames: false,
        }
    }

    /// The page has a worker or a frame.
    pub fn has_worker(&mut self) {
        self.has_worker = true;
    }

    /// The frames to draw before the next look.
    pub fn frames(&self) -> u32 {
        let duties = self.seen.as_ref().map(|look| &look.duties);
        let moves = duties.is_some_and(|duties| self.awaits_frames(duties));
        match (moves, self.has_worker) {
            (true, _) => ENDLESS_FRAMES,
            (false, true) => FRAMES_WITH_WORKERS,
            (false, false) => FRAMES,
        }
    }

    /// Takes a look at the page after a step and so many frames, at this virtual time.
    pub fn looked(&mut self, look: Look, frames: u32, now: Duration) -> Next {
        self.ran += STEP;
        let seen = self.seen.as_ref();
        let is_same = seen.is_some_and(|seen| seen.digest == look.digest);
        let has_answers = seen.is_some_and(|seen| seen.duties.messages != look.duties.messages);
        if is_same {
            self.still_frames += frames;
        } else {
            (self.changed, self.still_frames) = (now, 0);
        }
        let still = now.saturating_sub(self.changed);
        let is_there = is_same && look.is_loaded && look.is_found;
        self.knows_timers |= still >= MAX_STILL;
        self.knows_frames |= self.still_frames
            >= if look.duties.is_animated {
                MAX_FRAMES
            } else {
                ENDLESS_FRAMES
            };
        let waits = self.awaits_time(&look.duties, has_answers, still) || self.awaits_frames(&look.duties);
        self.seen = Some(look);
        match (is_there, self.ran >= self.limit) {
            (true, true) => Next::Finished,
            (true, false) if !waits => Next::Finished,
            (false, true) => Next::Restless,
            _ => Next::GoOn,
        }
    }

    /// Something was done to the page, such as scrolling: it must look the same twice again, and its clock may run for as long again. A page
    /// that loads on eight times changes about as long after each scroll as at first.
    pub fn restart(&mut self) {
        (self.ran, self.still_frames) = (Duration::ZERO, 0);
        self.seen = None;
    }

    fn awaits_time(&self, duties: &Duties, has_answers: bool, still: Duration) -> bool {
        if self.knows_timers {
            return false;
        }
        let is_due = duties.timer.is_some_and(|timer| still + timer < MAX_STILL);
        duties.is_idle_awaited || duties.has_opening_socket || has_answers || is_due && !duties.polls
    }

    fn awaits_frames(&self, duties: &Duties) -> bool {
        !self.knows_frames && (duties.is_animated || duties.is_frame_awaited)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn look(digest: &str) -> Look {
        Look {
            is_loaded: true,
            is_found: true,
            digest: digest.into(),
            duties: Duties::default(),
        }
    }

    fn busy(duties: Duties) -> Look {
        Look { duties, ..look("a") }
    }

    fn finish() -> Finish {
        Finish::new(10 * STEP)
    }

    /// The looks until the page is finished, if it always looks like this.
    fn looks(finish: &mut Finish, look: &Look) -> (u32, Next) {
        for number in 1.. {
            let frames = finish.frames();
            match finish.looked(look.clone(), frames, finish.changed + STEP * (number - 1)) {
                Next::GoOn => {}
                next => return (number, next),
            }
        }
        unreachable!()
    }

    #[test]
    fn a_page_is_finished_when_it_looks_the_same_after_two_steps() {
        let mut finish = finish();
        assert_eq!(finish.looked(look("a"), FRAMES, STEP), Next::GoOn);
        assert_eq!(finish.looked(look("b"), FRAMES, STEP), Next::GoOn);
        assert_eq!(finish.looked(look("b"), FRAMES, STEP), Next::Finished);
        finish.restart();
        assert_eq!(finish.looked(look("b"), FRAMES, STEP), Next::GoOn);
    }

    #[test]
    fn a_page_that_still_has_something_to_do_is_waited_for_and_one_that_repeats_itself_is_not() {
        let none = Duties::default();
        for (name, duties, expected) in [
            ("nothing", none.clone(), 2),
            (
                "a timer",
                Duties {
                    timer: Some(5 * SECOND),
                    ..none.clone()
                },
                4,
            ),
            (
                "a timer again and again",
                Duties {
                    timer: Some(SECOND),
                    ..none.clone()
                },
                6,
            ),
            (
                "a late timer",
                Duties {
                    timer: Some(60 * SECOND),
                    ..none.clone()
                },
                2,
            ),
            (
                "polling",
                Duties {
                    timer: Some(SECOND),
                    polls: true,
                    ..none.clone()
                },
                2,
            ),
            (
                "an idle callback",
                Duties {
                    is_idle_awaited: true,
                    ..none.clone()
                },
                6,
            ),
            (
                "a socket",
                Duties {
                    has_opening_socket: true,
                    ..none.clone()
                },
                6,
            ),
            (
                "frames",
                Duties {
                    is_frame_awaited: true,
                    ..none.clone()
                },
                2,
            ),
            (
                "an animation",
                Duties {
                    is_animated: true,
                    ..none.clone()
                },
                5,
            ),
            (
                "messages that were all there at the first look",
                Duties { messages: 7, ..none },
                2,
            ),
        ] {
            assert_eq!(
                looks(&mut finish(), &busy(duties)),
                (expected, Next::Finished),
                "{name}"
            );
        }
    }

    #[test]
    fn a_page_that_waits_for_frames_is_looked_at_after_many_and_a_page_that_is_known_to_repeat_itself_is_not_again() {
        let mut finish = finish();
        let moving = busy(Duties {
            is_frame_awaited: true,
            timer: Some(SECOND),
            ..Duties::default()
        });
        assert_eq!(finish.frames(), FRAMES);
        assert_eq!(finish.looked(moving.clone(), FRAMES, STEP), Next::GoOn);
        assert_eq!(finish.frames(), ENDLESS_FRAMES);
        assert_eq!(looks(&mut finish, &moving).1, Next::Finished);
        finish.restart();
        assert_eq!(looks(&mut finish, &moving), (2, Next::Finished));
    }

    #[test]
    fn answers_of_workers_are_followed_by_another_look() {
        let mut finish = finish();
        finish.has_worker();
        assert_eq!(finish.frames(), FRAMES_WITH_WORKERS);
        let heard = |messages| {
            busy(Duties {
                messages,
                ..Duties::default()
            })
        };
        for messages in 0..4 {
            assert_eq!(finish.looked(heard(messages), FRAMES_WITH_WORKERS, STEP), Next::GoOn);
        }
        assert_eq!(finish.looked(heard(3), FRAMES_WITH_WORKERS, STEP), Next::Finished);
    }

    #[test]
    fn a_page_that_is_not_there_goes_on_until_its_time_is_up() {
        let missing = Look {
            is_found: false,
            ..look("a")
        };
        let loading = Look {
            is_loaded: false,
            ..look("a")
        };
        for late in [missing, loading] {
            let mut finish = finish();
            assert_eq!(looks(&mut finish, &late), (10, Next::Restless));
            finish.restart();
            assert_eq!(finish.looked(late, FRAMES, STEP), Next::GoOn);
        }
    }

    #[test]
    fn a_page_that_only_has_timers_when_its_time_is_up_is_finished() {
        let mut finish = Finish::new(2 * STEP);
        let timers = busy(Duties {
            timer: Some(SECOND),
            ..Duties::default()
        });
        assert_eq!(looks(&mut finish, &timers), (2, Next::Finished));
        let mut finish = Finish::new(STEP);
        assert_eq!(looks(&mut finish, &timers), (1, Next::Restless));
    }
}
