//! Where a run stands to the running text of its page: behind the end of an article are its tags, its comments and other articles.

use super::layout::Layout;
use super::measure::Letters;
use super::sayings::{SAYINGS, Said, Saying};
use crate::scale::{log, share};

/// Number of features: see [`NAMES`](super::features::NAMES).
pub(super) const AROUND: usize = 19;

/// Least text of a run of running text outside of links, in bytes.
const MIN_TEXT: usize = 80;

/// Share of the running text that the core has.
const CORE: f64 = 0.6;

/// Most runs or levels that are counted.
const MAX_DISTANCE: usize = 40;

/// Runs on each side, for the two widths.
const NEAR: usize = 2;
const WIDE: usize = 8;

/// The labels of the boxes.
const LABELS: [Saying; 4] = [Saying::Related, Saying::Comment, Saying::Share, Saying::Promotion];

/// The labels that hold for the runs behind them.
const SIGNS: [Saying; 3] = [Saying::Related, Saying::Comment, Saying::Promotion];

/// The surroundings of the runs of a page.
pub(super) struct Around {
    rows: Vec<[i16; AROUND]>,
}

impl Around {
    pub(super) fn of(layout: &Layout, letters: &[Letters], said: &[Said]) -> Self {
        let text: Vec<usize> = layout
            .runs
            .iter()
            .zip(letters)
            .map(|(run, letters)| running_text(run, letters))
            .collect();
        let mut rows = vec![[0; AROUND]; layout.runs.len()];
        place(&text, &mut rows);
        core(layout, &text, &mut rows);
        windows(layout, &mut rows);
        signs(said, &mut rows);
        labels(layout, said, &mut rows);
        Self { rows }
    }

    /// The features of a run.
    pub(super) fn row(&self, run: usize) -> &[i16; AROUND] {
        &self.rows[run]
    }
}

/// The bytes of a run that are running text: all or none.
fn running_text(run: &super::layout::Run, letters: &Letters) -> usize {
    let bytes = run.text.len() - run.link_bytes;
    let is_text = bytes >= MIN_TEXT && bytes > run.link_bytes && letters.marks > 0;
    if is_text { bytes } else { 0 }
}

fn place(text: &[usize], rows: &mut [[i16; AROUND]]) {
    let all: usize = text.iter().sum();
    let (mut before, mut since) = (0, MAX_DISTANCE);
    for (row, bytes) in rows.iter_mut().zip(text) {
        since = if *bytes > 0 { 0 } else { (since + 1).min(MAX_DISTANCE) };
        row[0] = share(before, all);
        row[1] = share(all - before - bytes, all);
        row[2] = since as i16;
        before += bytes;
    }
    let mut until = MAX_DISTANCE;
    for (row, bytes) in rows.iter_mut().zip(text).rev() {
        until = if *bytes > 0 { 0 } else { (until + 1).min(MAX_DISTANCE) };
        row[3] = until as i16;
    }
}

fn core(layout: &Layout, text: &[usize], rows: &mut [[i16; AROUND]]) {
    let mut before = vec![0];
    for bytes in text {
        before.push(before[before.len() - 1] + bytes);
    }
    let of_box = |at: usize| {
        let runs = &layout.boxes[at].runs;
        before[runs.end] - before[runs.start]
    };
    let needed = (CORE * before[text.len()] as f64) as usize;
    let mut core = 0;
    let mut at = 1;
    while needed > 0 && at < layout.boxes[core].end {
        if of_box(at) > needed {
            core = at;
            at += 1;
        } else {
            at = layout.boxes[at].end;
        }
    }
    let runs = layout.boxes[core].runs.clone();
    let page = share(of_box(core), before[text.len()]);
    let (ups, downs) = levels(layout, core);
    for (run, row) in rows.iter_mut().enumerate() {
        let owner = layout.runs[run].owner;
        row[4] = ups[owner];
        row[5] = i16::from(run >= runs.start) + i16::from(run >= runs.end);
        row[6] = page;
        row[7] = downs[owner];
    }
}

/// For each box, the levels from the core up to the innermost box with both, and from there down to the box.
fn levels(layout: &Layout, core: usize) -> (Vec<i16>, Vec<i16>) {
    let mut above = vec![None; layout.boxes.len()];
    let (mut at, mut level) = (core, 0);
    loop {
        above[at] = Some(level);
        if at == 0 {
            break;
        }
        (at, level) = (layout.boxes[at].parent, (level + 1).min(MAX_DISTANCE as i16));
    }
    let (mut ups, mut downs) = (vec![0; layout.boxes.len()], vec![0; layout.boxes.len()]);
    for (at, this) in layout.boxes.iter().enumerate() {
        (ups[at], downs[at]) = match above[at] {
            Some(level) => (level, 0),
            None => (ups[this.parent], (downs[this.parent] + 1).min(MAX_DISTANCE as i16)),
        };
    }
    (ups, downs)
}

fn windows(layout: &Layout, rows: &mut [[i16; AROUND]]) {
    let mut before = vec![(0, 0)];
    for run in &layout.runs {
        let (bytes, links) = before[before.len() - 1];
        before.push((bytes + run.text.len(), links + run.link_bytes));
    }
    for (run, row) in rows.iter_mut().enumerate() {
        for (place, width) in [(8, NEAR), (10, WIDE)] {
            let (start, end) = (run.saturating_sub(width), (run + width + 1).min(layout.runs.len()));
            let (bytes, links) = (before[end].0 - before[start].0, before[end].1 - before[start].1);
            row[place] = share(links, bytes);
            row[place + 1] = log(bytes / (end - start));
        }
    }
}

fn signs(said: &[Said], rows: &mut [[i16; AROUND]]) {
    let mut since = [MAX_DISTANCE; SIGNS.len()];
    for (row, said) in rows.iter_mut().zip(said) {
        for (place, (sign, since)) in SIGNS.into_iter().zip(&mut since).enumerate() {
            *since = if said.is_about(sign) {
                0
            } else {
                (*since + 1).min(MAX_DISTANCE)
            };
            row[12 + place] = *since as i16;
        }
    }
}

fn labels(layout: &Layout, said: &[Said], rows: &mut [[i16; AROUND]]) {
    let mut distances: Vec<[i16; LABELS.len()]> = Vec::with_capacity(layout.boxes.len());
    for (at, this) in layout.boxes.iter().enumerate() {
        let mut own = match distances.get(this.parent) {
            Some(around) => around.map(|distance| (distance + 1).min(MAX_DISTANCE as i16)),
            None => [MAX_DISTANCE as i16; LABELS.len()],
        };
        // The box of the page begins with its first label by chance.
        if at > 0 && this.runs.len() > 1 {
            for (distance, label) in own.iter_mut().zip(LABELS) {
                if said[this.runs.start].is_about(label) {
                    *distance = 0;
                }
            }
        }
        distances.push(own);
    }
    for (run, row) in layout.runs.iter().zip(rows) {
        row[15..].copy_from_slice(&distances[run.owner]);
    }
}

const _: () = assert!(LABELS.len() + 15 == AROUND && SAYINGS <= 16);
