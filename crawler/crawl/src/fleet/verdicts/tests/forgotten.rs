//! Entries of the log that forget a worker: all workers have the same index behind every place, whether they have read the log or its segments.

use super::*;

/// The worker that is forgotten.
const LOST: u16 = 4;

/// A worker that reads the log, and the numbers of the pages in its index.
struct Reader {
    verdicts: Verdicts,
    log: super::Log,
    kept: BTreeSet<u64>,
}

impl Reader {
    fn new(number: u16, texts: &Texts) -> Self {
        let (verdicts, _) = Verdicts::open(WorkerNumber(number), None, (Width::W64, &texts.rule)).unwrap();
        Self {
            verdicts,
            log: texts.empty(),
            kept: BTreeSet::new(),
        }
    }

    fn note(&mut self, applied: Applied, page: PageId) {
        match applied {
            Applied::Entered | Applied::Confirmed(_) => drop(self.kept.insert(page.packed())),
            Applied::Forgets(worker) => {
                let of_worker = |id: &u64| PageElsewhere::unpacked(*id).is_some_and(|page| page.worker == worker.0);
                for id in self.kept.iter().filter(|id| of_worker(id)) {
                    assert!(self.log.remove(DocId(*id)).unwrap());
                }
                self.kept.retain(|id| !of_worker(id));
            }
            Applied::Yields(..) | Applied::Dropped | Applied::Nothing => {}
        }
    }

    /// Reads entries up to a place.
    fn read(&mut self, log: &[Claim], up_to: Position) {
        for claim in log {
            let (position, page, _) = claim;
            if *position > self.verdicts.position() && *position <= up_to {
                let applied = self.verdicts.apply(&self.log, &[entry(claim.clone())]).unwrap();
                self.note(applied[0], *page);
            }
        }
    }

    fn take(&mut self, segment: &Segment) {
        for judged in &segment.pages {
            let page = match judged {
                Judged::Kept(entry) => entry.page,
                Judged::Dropped(page) => *page,
            };
            let applied = self.verdicts.take_over(&self.log, judged).unwrap();
            self.note(applied, page);
        }
        self.verdicts.ends_segment(segment.end);
    }

    /// The next segment behind `covered`, as the desk and the recorder of a worker make it.
    fn segment(&self, log: &[Claim], covered: Position, at_most: usize) -> Option<Segment> {
        let forgot_at = self.verdicts.forgotten().values().max().copied().unwrap_or_default();
        let applied = self.verdicts.position();
        let behind: Vec<&Claim> = log
            .iter()
            .filter(|(position, ..)| *position > covered && *position <= applied)
            .collect();
        let needed = behind.iter().filter(|(position, ..)| *position <= forgot_at).count();
        let claims = &behind[..at_most.max(needed).min(behind.len())];
        let end = claims.last()?.0;
        assert!(self.verdicts.can_judge(end));
        let pages = claims.iter().map(|(_, page, signature)| {
            if page.forgets().is_some() || keeps(&self.log, *page).unwrap() {
                Judged::Kept(Entry {
                    page: *page,
                    url: String::new(),
                    signature: signature.clone(),
                })
            } else {
                Judged::Dropped(*page)
            }
        });
        let pages = pages.collect();
        Some(Segment { end, pages })
    }
}

fn random_log(texts: &Texts, random: &mut fastrand::Rng) -> Vec<Claim> {
    let mut log: Vec<Claim> = (0..60)
        .map(|at| {
            let page = PageId {
                worker: WorkerNumber(random.u16(1..=5)),
                sequence: at + 1,
            };
            let text = random.u64(0..BASES * VARIANTS);
            let signature = encode_signature(&texts.signatures[text as usize]).unwrap();
            (Position(at + 1, 0), page, signature)
        })
        .collect();
    // Several workers may say it, and the lost one may have said something behind that.
    for _ in 0..random.usize(1..4) {
        let at = random.usize(10..60);
        log[at] = (log[at].0, PageId::that_forgets(WorkerNumber(LOST)), Vec::new());
    }
    log
}

#[test]
fn all_workers_forget_at_one_place_whether_they_read_the_log_or_its_segments() {
    let texts = Texts::new();
    let mut with_pages_lost = 0;
    for seed in 0..300 {
        let mut random = fastrand::Rng::with_seed(seed);
        let log = random_log(&texts, &mut random);
        let (mut of_log, mut writer, mut late) =
            (Reader::new(1, &texts), Reader::new(2, &texts), Reader::new(3, &texts));
        let mut covered = Position::default();
        let mut segments = Vec::new();
        while covered < log[log.len() - 1].0 {
            writer.read(&log, Position(covered.0 + random.u64(1..20), 0));
            let Some(segment) = writer.segment(&log, covered, random.usize(1..15)) else {
                continue;
            };
            covered = segment.end;
            segments.push(segment);
        }
        // The late worker reads some segments, then the log.
        let before = random.usize(0..=segments.len());
        for segment in &segments[..before] {
            late.take(segment);
            of_log.read(&log, segment.end);
            assert_eq!(late.kept, of_log.kept, "seed {seed}, at {:?}", segment.end);
        }
        for (position, ..) in &log {
            late.read(&log, *position);
            of_log.read(&log, late.verdicts.position());
            assert_eq!(late.kept, of_log.kept, "seed {seed}, at {position:?}");
        }
        let is_lost = |id: &u64| PageElsewhere::unpacked(*id).is_some_and(|page| page.worker == LOST);
        assert!(!of_log.kept.iter().any(is_lost), "seed {seed}");
        let mark = late.verdicts.mark().unwrap();
        let (again, _) = Verdicts::open(WorkerNumber(3), Some(&mark), (Width::W64, &texts.rule)).unwrap();
        assert_eq!(again.forgotten(), late.verdicts.forgotten());
        with_pages_lost += usize::from(
            log.iter()
                .any(|(_, page, _)| page.worker.0 == LOST && page.forgets().is_none()),
        );
    }
    assert!(with_pages_lost > 250, "{with_pages_lost}");
}

#[test]
fn a_mark_of_an_earlier_version_is_read() {
    let before = postcard::to_stdvec(&(Position(7, 3), vec![1_u64, 9])).unwrap();
    let rule = DuplicateRule::default();
    let (verdicts, claimed) = Verdicts::open(WorkerNumber(1), Some(&before), (Width::W64, &rule)).unwrap();
    assert_eq!((verdicts.position(), claimed), (Position(7, 3), vec![1, 9]));
    assert!(verdicts.forgotten().is_empty());
}
