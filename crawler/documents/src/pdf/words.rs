//! Glyphs that touch make a word.

use hayro_interpret::font::{Glyph, GlyphRun, PositionedGlyph};
use hayro_interpret::hayro_cmap::{BfString, WritingMode};
use hayro_interpret::hayro_syntax::object::{Dict, Name, String as PdfString};
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect, Vec2};
use hayro_interpret::{BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask};

use super::accents::{compose, expanded};
use super::text_string::text_string;

/// Units of a glyph's coordinate system in one em.
const UNITS_PER_EM: f64 = 1000.0;

/// A gap of this part of the size of the font ends a word. Poppler has the same bound.
const WORD_GAP: f32 = 0.1;

/// Glyphs whose origins are no further apart than this part of the size, and which are equal, were drawn twice to look bold.
const SAME_PLACE: f32 = 0.1;

/// The direction of a text: clockwise quarter turns from the direction of Latin text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Turn {
    /// To the right.
    #[default]
    None,
    /// Downwards.
    Right,
    /// To the left, upside down.
    Half,
    /// Upwards.
    Left,
}

impl Turn {
    pub(crate) const ALL: [Self; 4] = [Self::None, Self::Right, Self::Half, Self::Left];

    fn of(direction: Vec2) -> Self {
        match (
            direction.x.abs() >= direction.y.abs(),
            direction.x >= 0.0,
            direction.y >= 0.0,
        ) {
            (true, true, _) => Self::None,
            (true, false, _) => Self::Half,
            (false, _, true) => Self::Right,
            (false, _, false) => Self::Left,
        }
    }

    /// Turns a point so that the text runs to the right and its next line is below.
    fn straighten(self, point: Point) -> Point {
        match self {
            Self::None => point,
            Self::Right => Point::new(point.y, -point.x),
            Self::Half => Point::new(-point.x, -point.y),
            Self::Left => Point::new(-point.y, point.x),
        }
    }
}

/// A word, in coordinates in which its text runs to the right and y grows downwards.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Word {
    pub text: String,
    pub x0: f32,
    pub x1: f32,
    /// The baseline.
    pub y: f32,
    /// The size of the font.
    pub size: f32,
    pub turn: Turn,
}

/// Collects the words of a page.
pub(crate) struct Words {
    words: Vec<Word>,
    /// The last word, to which the next glyph may belong.
    open: Option<Word>,
    /// Origin and character of the last glyph.
    last: Option<(f32, f32, char)>,
    /// The origin of the last run that was filled.
    filled: Option<Point>,
    width: f64,
    height: f64,
    bytes_left: usize,
    is_too_long: bool,
    marked: Vec<Marked>,
    /// The number of forms that the page may still draw; `None` without a bound.
    forms_left: Option<usize>,
}

/// The panic that ends a page which draws more forms than it may.
pub(crate) struct TooManyForms;

/// A piece of marked content (ISO 32000-2, section 14.6).
enum Marked {
    /// Its text stands in the file (section 14.9.4): `None` once a glyph has it.
    Text(Option<String>),
    /// A header, footer or page number (section 14.8.2.2).
    Pagination,
    Other,
}

impl Words {
    /// For a page of this size whose text may have `bytes` bytes.
    pub fn of_page(width: f32, height: f32, bytes: usize) -> Self {
        Self {
            words: Vec::new(),
            open: None,
            last: None,
            filled: None,
            width: width.into(),
            height: height.into(),
            bytes_left: bytes,
            is_too_long: false,
            marked: Vec::new(),
            forms_left: None,
        }
    }

    /// Ends the page with [`TooManyForms`] at the form after so many.
    pub fn bound_forms(&mut self, forms: Option<usize>) {
        self.forms_left = forms;
    }

    /// Whether the page has more text than permitted.
    pub fn is_too_long(&self) -> bool {
        self.is_too_long
    }

    /// The words, in the order of the file.
    pub fn finish(mut self) -> Vec<Word> {
        self.close();
        self.words
    }

    fn close(&mut self) {
        let Some(mut word) = self.open.take() else { return };
        compose(&mut word.text);
        if !word.text.is_empty() {
            self.words.push(word);
        }
    }

    fn is_in_pagination(&self) -> bool {
        self.marked.iter().any(|marked| matches!(marked, Marked::Pagination))
    }

    /// The text of a glyph: that of the marked content around it, if there is one.
    fn text_of(&mut self, glyph: &PositionedGlyph<'_>) -> Option<String> {
        let actual = self.marked.iter_mut().find_map(|marked| match marked {
            Marked::Text(text) => Some(text.take().unwrap_or_default()),
            _ => None,
        });
        actual.or_else(|| {
            glyph.as_unicode().map(|found| match found {
                BfString::Char(character) => expanded(character).map_or_else(|| character.to_string(), str::to_owned),
                BfString::String(text) => text,
            })
        })
    }

    fn add(&mut self, glyph: &PositionedGlyph<'_>, place: &Place) {
        // A glyph without a character says nothing.
        let Some(text) = self.text_of(glyph) else { return };
        let text: String = text.chars().filter(|c| !c.is_control() && *c != '\u{feff}').collect();
        if text.chars().all(char::is_whitespace) {
            if !text.is_empty() {
                self.close();
            } else if let Some(open) = &mut self.open {
                // Its character was counted with an earlier glyph.
                open.x1 = open.x1.max(place.x1);
            }
            return;
        }
        let Some(bytes_left) = self.bytes_left.checked_sub(text.len()) else {
            self.is_too_long = true;
            return;
        };
        let first = text.chars().next().unwrap_or_default();
        let near = |a: f32, b: f32| (a - b).abs() <= SAME_PLACE * place.size;
        if self
            .last
            .is_some_and(|(x, y, last)| last == first && near(x, place.x0) && near(y, place.y))
        {
            return;
        }
        self.last = Some((place.x0, place.y, first));
        self.bytes_left = bytes_left;
        if let Some(open) = &mut self.open
            && place.continues(open)
        {
            open.text.push_str(&text);
            open.x1 = open.x1.max(place.x1);
            return;
        }
        self.close();
        self.open = Some(Word {
            text,
            x0: place.x0,
            x1: place.x1,
            y: place.y,
            size: place.size,
            turn: place.turn,
        });
    }
}

/// Where a glyph stands, straightened.
struct Place {
    x0: f32,
    x1: f32,
    y: f32,
    size: f32,
    turn: Turn,
}

impl Place {
    fn continues(&self, word: &Word) -> bool {
        let gap = self.x0 - word.x1;
        let is_level = (self.y - word.y).abs() < 0.05 * word.size.max(self.size);
        self.turn == word.turn
            && is_level
            && (0.8..1.25).contains(&(self.size / word.size))
            && gap < WORD_GAP * word.size
            && gap > -0.5 * word.size
            && self.x0 >= word.x0
    }
}

/// The advance of a glyph, in 1/1000 of an em.
fn advance(glyph: &Glyph<'_>) -> f64 {
    let width = match glyph {
        Glyph::Outline(outline) => outline.advance_width(),
        Glyph::Type3(drawn) => drawn.advance_width(),
    };
    width.map_or(0.0, f64::from)
}

/// The horizontal scaling of a run, relative to its height. hayro also stretches each glyph of a font that is not embedded to the width
/// that the file declares. That factor differs from glyph to glyph and is no scaling.
fn scaling(transforms: &[Affine]) -> f64 {
    let ratio = |transform: &Affine| {
        let [a, b, c, d, ..] = transform.as_coeffs();
        a.hypot(b) / c.hypot(d)
    };
    let first = transforms.first().map_or(1.0, ratio);
    let is_same = transforms
        .iter()
        .all(|transform| (ratio(transform) - first).abs() < 0.01);
    if is_same && transforms.len() > 1 && first.is_finite() {
        first
    } else {
        1.0
    }
}

impl<'a> Device<'a> for Words {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        if self.is_in_pagination() || self.is_too_long {
            return;
        }
        let glyphs = run.glyphs();
        let transforms: Vec<Affine> = glyphs.iter().map(|glyph| props.transform * glyph.transform()).collect();
        let origin = transforms.first().map(|transform| *transform * Point::ZERO);
        // Text that is both filled and stroked comes twice.
        if matches!(mode, DrawMode::Stroke(_)) && self.filled.is_some() && self.filled == origin {
            return;
        }
        self.filled = origin.filter(|_| matches!(mode, DrawMode::Fill(_)));
        let scaling = scaling(&transforms);
        for (glyph, transform) in glyphs.iter().zip(&transforms) {
            let [a, b, c, d, ..] = transform.as_coeffs();
            let (along, up) = (Vec2::new(a, b), Vec2::new(c, d));
            let size = up.hypot() * UNITS_PER_EM;
            let origin = *transform * Point::ZERO;
            let is_on_page = (0.0..=self.width).contains(&origin.x) && (0.0..=self.height).contains(&origin.y);
            if !(size.is_finite() && size > 0.0 && along.hypot() > 0.0 && is_on_page) {
                continue;
            }
            let advance = advance(glyph);
            let (turn, start, length) = match run.writing_mode() {
                WritingMode::Horizontal => {
                    let length = advance / UNITS_PER_EM * size * scaling;
                    (Turn::of(along), origin, length)
                }
                // The origin of a glyph in vertical writing is at its lower left; the text runs downwards, and the next line is
                // to the left.
                WritingMode::Vertical => (Turn::Right, origin + up * UNITS_PER_EM, size),
            };
            let start = turn.straighten(start);
            self.add(
                glyph,
                &Place {
                    x0: start.x as f32,
                    x1: (start.x + length.max(0.0)) as f32,
                    y: start.y as f32,
                    size: size as f32,
                    turn,
                },
            );
        }
    }

    fn begin_marked_content(&mut self, tag: &[u8], properties: Option<&Dict<'_>>) {
        let marked = properties.map_or(Marked::Other, |properties| {
            let is = |key: &str, value: &str| {
                properties
                    .get::<Name<'_>>(key)
                    .is_some_and(|name| name.as_str() == value)
            };
            if let Some(text) = properties.get::<PdfString<'_>>("ActualText") {
                Marked::Text(Some(text_string(text.as_bytes())))
            } else if tag == b"Artifact" && is("Type", "Pagination") {
                Marked::Pagination
            } else {
                Marked::Other
            }
        });
        self.marked.push(marked);
    }

    fn end_marked_content(&mut self) {
        self.marked.pop();
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {}
    /// Each form begins with the clip to its box. (So do some paths; a page with a bound ends a little earlier for them.)
    fn push_clip_path(&mut self, _: &ClipPath) {
        self.forms_left = match self.forms_left {
            Some(0) => std::panic::resume_unwind(Box::new(TooManyForms)),
            Some(forms) => Some(forms - 1),
            None => None,
        };
    }

    fn push_clip_rect(&mut self, _: &Rect) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}
