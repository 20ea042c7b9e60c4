//! What the boxes around a box say of it.

use super::layout::Layout;
use super::marks::{Hidden, MARKS, Mark, TOPICS};

/// The distance of a mark that no enclosing box has.
pub(super) const NOWHERE: u8 = 24;

/// Distance to a mark that also stands for larger ones.
const FAR: u8 = 20;

/// What the boxes around a run say.
#[derive(Debug, Clone)]
pub(super) struct Path {
    pub depth: i16,
    /// The distance to the nearest box of each mark, 0 for the box itself.
    pub marks: [u8; MARKS],
    /// The distance to the nearest box of each topic, 1 for the box itself.
    pub topics: [u8; TOPICS.len()],
    /// 1: folded; 2: unseen; 3: both.
    pub hidden: i16,
    /// The nearest `<main>`, 0 for none.
    pub main: usize,
    /// The nearest `<article>`, 0 for none.
    pub article: usize,
}

/// The path of each box, and the number of articles.
pub(super) fn paths(layout: &Layout) -> (Vec<Path>, usize) {
    let mut paths: Vec<Path> = Vec::with_capacity(layout.boxes.len());
    let mut articles = 0;
    for (at, this) in layout.boxes.iter().enumerate() {
        let mut path = match paths.get(this.parent) {
            Some(parent) => parent.inner(),
            None => Path::default(),
        };
        if let Some(mark) = this.mark {
            path.marks[mark as usize] = 0;
            match mark {
                Mark::Main => path.main = at,
                Mark::Article => {
                    path.article = at;
                    articles += 1;
                }
                _ => {}
            }
        }
        for topic in (0..TOPICS.len()).filter(|topic| this.topics >> topic & 1 == 1) {
            path.topics[topic] = 1;
        }
        path.hidden |= match this.hidden {
            Some(Hidden::Folded) => 1,
            Some(Hidden::Unseen) => 2,
            None => 0,
        };
        paths.push(path);
    }
    (paths, articles)
}

impl Default for Path {
    fn default() -> Self {
        Self {
            depth: 0,
            marks: [NOWHERE; MARKS],
            topics: [NOWHERE; TOPICS.len()],
            hidden: 0,
            main: 0,
            article: 0,
        }
    }
}

impl Path {
    /// The path of a child before its own marks.
    fn inner(&self) -> Self {
        let mut path = self.clone();
        path.depth += 1;
        // Without a branch, so that the processor takes several at a time.
        let farther = |distance: &mut u8| *distance += u8::from(*distance < FAR);
        path.marks.iter_mut().for_each(farther);
        path.topics.iter_mut().for_each(farther);
        path
    }
}
