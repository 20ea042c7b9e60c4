//! The forms that a page draws (form XObjects, ISO 32000-2, section 8.10), counted before the page is interpreted.
//!
//! A form may draw other forms. In a file of a few kilobytes, twenty forms that each draw the next one ten times make 10²⁰ drawings, and an
//! interpreter follows each of them. So the drawings of a document have a bound. To count them, it is enough to read each form once.

use std::collections::HashMap;
use std::rc::Rc;

use hayro_interpret::hayro_syntax::content::TypedIter;
use hayro_interpret::hayro_syntax::content::ops::TypedInstruction;
use hayro_interpret::hayro_syntax::object::{Dict, Name, ObjectIdentifier, Stream};
use hayro_interpret::hayro_syntax::page::{Page, Resources};

/// hayro draws no form that lies deeper.
const MAX_DEPTH: usize = 50;

/// What a drawing costs beside the bytes of its content, in bytes.
const COST: u64 = 1024;

/// The bound on the drawings of forms in one document: on the bytes of their contents, each as often as it is drawn.
#[derive(Debug)]
pub(super) struct FormBudget {
    bytes_left: u64,
    is_spent: bool,
}

impl FormBudget {
    pub fn new(bytes: u64) -> Self {
        Self {
            bytes_left: bytes,
            is_spent: false,
        }
    }

    /// Whether a page had more drawings than the budget.
    pub fn is_spent(&self) -> bool {
        self.is_spent
    }

    /// Takes the drawings of the page from the budget. Returns their number as far as the budget reaches; `None` if it reaches for all.
    pub fn take(&mut self, page: &Page<'_>) -> Option<usize> {
        if !has_forms(page.resources()) {
            return None;
        }
        let mut forms = Forms::of(page);
        // The forms that are being drawn, each with the number of the next one in it.
        let mut open = vec![(0, 0)];
        let mut begun = 0;
        while let Some((form, next)) = open.last_mut() {
            let Some(drawn) = forms.drawn_by(*form, *next) else {
                open.pop();
                continue;
            };
            *next += 1;
            if open.len() > MAX_DEPTH {
                continue;
            }
            match self.bytes_left.checked_sub(forms.cost(drawn)) {
                Some(left) => self.bytes_left = left,
                None => {
                    self.is_spent = true;
                    return Some(begun);
                }
            }
            begun += 1;
            open.push((drawn, 0));
        }
        None
    }
}

fn has_forms(resources: &Resources<'_>) -> bool {
    let mut names = resources.x_objects.keys();
    names.any(|name| resources.get_x_object(&name).is_some_and(|stream| is_form(&stream)))
}

fn is_form(stream: &Stream<'_>) -> bool {
    let subtype = stream.dict().get::<Name<'_>>("Subtype");
    subtype.is_some_and(|name| name.as_str() == "Form")
}

/// The forms of a page. Number 0 is the content of the page itself.
struct Forms<'a> {
    forms: Vec<Form<'a>>,
    /// A form without resources uses those of the form that draws it, so it counts once for each of them.
    numbers: HashMap<(ObjectIdentifier, usize), usize>,
}

struct Form<'a> {
    stream: Option<Stream<'a>>,
    /// The resources that its content uses, and the number of the form that has them.
    resources: Rc<Resources<'a>>,
    owner: usize,
    read: Option<Read>,
}

/// The content of a form.
struct Read {
    bytes: usize,
    /// The numbers of the forms that it draws, in order.
    draws: Vec<usize>,
}

impl<'a> Forms<'a> {
    fn of(page: &Page<'a>) -> Self {
        let mut forms = Self {
            forms: vec![Form {
                stream: None,
                resources: Rc::new(page.resources().clone()),
                owner: 0,
                read: None,
            }],
            numbers: HashMap::new(),
        };
        let content = page.page_stream().unwrap_or_default();
        forms.forms[0].read = Some(forms.read(0, content));
        forms
    }

    /// The number of the `at`-th form that a form draws.
    fn drawn_by(&mut self, form: usize, at: usize) -> Option<usize> {
        if self.forms[form].read.is_none() {
            let stream = self.forms[form].stream.clone();
            let content = stream.and_then(|stream| Some(stream.decoded_data().ok()?.into_owned()));
            let read = self.read(form, &content.unwrap_or_default());
            self.forms[form].read = Some(read);
        }
        self.forms[form].read.as_ref()?.draws.get(at).copied()
    }

    /// What one drawing of the form costs.
    fn cost(&mut self, form: usize) -> u64 {
        self.drawn_by(form, 0);
        let bytes = self.forms[form].read.as_ref().map_or(0, |read| read.bytes);
        COST + bytes as u64
    }

    fn read(&mut self, form: usize, content: &[u8]) -> Read {
        let (resources, owner) = (Rc::clone(&self.forms[form].resources), self.forms[form].owner);
        let mut by_name: HashMap<Vec<u8>, Option<usize>> = HashMap::new();
        let mut draws = Vec::new();
        let mut operations = TypedIter::new(content);
        while let Some(operation) = operations.next() {
            let TypedInstruction::XObject(named) = operation else {
                continue;
            };
            let name: &[u8] = named.0.as_ref();
            let number = match by_name.get(name) {
                Some(number) => *number,
                None => {
                    let number = resources
                        .get_x_object(named.0)
                        .and_then(|stream| self.number(stream, &resources, owner));
                    by_name.insert(name.to_owned(), number);
                    number
                }
            };
            draws.extend(number);
        }
        Read {
            bytes: content.len(),
            draws,
        }
    }

    /// The number of a form that is drawn with these resources; `None` for an image.
    fn number(&mut self, stream: Stream<'a>, resources: &Rc<Resources<'a>>, owner: usize) -> Option<usize> {
        let dict = stream.dict();
        if !is_form(&stream) || dict.get::<[f32; 4]>("BBox").is_none() {
            return None;
        }
        let next = self.forms.len();
        let own = dict.get::<Dict<'a>>("Resources").map(Resources::new);
        // The identifier of a form with resources of its own is enough.
        let key = (stream.obj_id(), if own.is_some() { usize::MAX } else { owner });
        if let Some(number) = self.numbers.get(&key) {
            return Some(*number);
        }
        self.numbers.insert(key, next);
        self.forms.push(match own {
            Some(own) => Form {
                stream: Some(stream),
                resources: Rc::new(own),
                owner: next,
                read: None,
            },
            None => Form {
                stream: Some(stream),
                resources: Rc::clone(resources),
                owner,
                read: None,
            },
        });
        Some(next)
    }
}
