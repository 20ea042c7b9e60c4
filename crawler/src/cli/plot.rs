//! What the plots of the commands are drawn with: lines with dots, labels, and a legend, in SVG.

use std::fmt::Write;

/// The height of an entry of the legend, in pixels.
pub(super) const LEGEND_LINE: f64 = 20.0;

/// Colours that people with colour blindness can distinguish (Okabe and Ito 2008).
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
];
/// Dashes that distinguish lines of the same colour.
const DASHES: [&str; 4] = ["none", "6 3", "2 3", "9 3 2 3"];

/// An SVG document.
pub(super) struct Svg(String);

impl Svg {
    /// A white image of this size in pixels, with a title that begins at `left`. `label` is for those who do not see it.
    pub fn new((width, height): (f64, f64), left: f64, label: &str, title: &str) -> Self {
        Self(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"13\" role=\"img\" aria-label=\"{label}\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"{left}\" y=\"24\" font-size=\"15\">{title}</text>\n"
        ))
    }

    /// The line `number` of the plot through `points`, each with a dot.
    pub fn curve(&mut self, number: usize, points: &[(f64, f64)], dot: f64) {
        let (colour, stroke) = (COLOURS[number % COLOURS.len()], stroke(number));
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let path = path.join(" ");
        self.push(format_args!("<polyline fill=\"none\" {stroke} points=\"{path}\"/>"));
        for (x, y) in points {
            self.push(format_args!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{dot}\" fill=\"{colour}\"/>"
            ));
        }
    }

    /// The entry of the line `number` in the legend: a piece of it from `from` to `to`, and its name behind a gap.
    pub fn legend(&mut self, number: usize, y: f64, (from, to, gap): (f64, f64, f64), name: &str) {
        let stroke = stroke(number);
        self.push(format_args!(
            "<line x1=\"{from}\" y1=\"{y}\" x2=\"{to}\" y2=\"{y}\" {stroke}/>"
        ));
        self.text(to + gap, y + 4.0, "start", name);
    }

    /// `content` needs no escaping: it holds names of features, weights and rules, and numbers.
    pub fn text(&mut self, x: f64, y: f64, anchor: &str, content: &str) {
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{content}</text>"
        ));
    }

    /// Any other element.
    pub fn push(&mut self, element: std::fmt::Arguments<'_>) {
        let line = writeln!(self.0, "{element}");
        debug_assert!(line.is_ok(), "writing to a String cannot fail");
    }

    /// The complete document.
    pub fn finish(self) -> String {
        self.0 + "</svg>\n"
    }
}

fn stroke(number: usize) -> String {
    let colour = COLOURS[number % COLOURS.len()];
    let dashes = DASHES[number / COLOURS.len() % DASHES.len()];
    format!("stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"")
}
