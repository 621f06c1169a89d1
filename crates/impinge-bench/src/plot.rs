//! Line plots as SVG, for the readers of a benchmark.
//!
//! ```text
//! title
//! y |      o---o  name     axes are linear or logarithmic; lines differ by colour and by stroke;
//!   |  o---        name    the legend is on the right
//!   +----------- x
//! ```
//!
//! The same plot gives the same text. Points that an axis cannot show (not finite, or not positive on a logarithmic one) are omitted.

use std::fmt::Write as _;

/// A plot.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Title above the plot.
    pub title: String,
    /// The axis along the bottom.
    pub x: Axis,
    /// The axis along the left.
    pub y: Axis,
    /// The lines, in the order of the legend.
    pub lines: Vec<Line>,
}

/// One of the two axes.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Its label, with the unit.
    pub label: String,
    /// Its scale.
    pub scale: Scale,
}

/// The scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences, equal lengths.
    Linear,
    /// Equal ratios, equal lengths.
    Log,
}

/// Points joined by a line.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// The points, from left to right.
    pub points: Vec<(f64, f64)>,
    /// Its stroke.
    pub stroke: Stroke,
    /// The index of its colour, modulo eight.
    pub colour: usize,
}

/// The stroke of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// Solid.
    Solid,
    /// Dashed.
    Dashed,
    /// Dotted.
    Dotted,
}

/// Sizes in pixels: the whole picture, and the frame around the lines within it.
const SIZE: (f64, f64) = (820.0, 460.0);
const FRAME: Frame = Frame { left: 78.0, right: 590.0, top: 42.0, bottom: 404.0 };
/// Distance of lines in the legend, pixels.
const LEGEND_STEP: f64 = 20.0;
/// Colours that are distinct for any colour vision [Okabe and Ito 2008].
const COLOURS: [&str; 8] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31"];

struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// An axis with its range and its place in the picture.
struct Ruler {
    scale: Scale,
    /// Ends of the range; their logarithms on a logarithmic axis.
    range: (f64, f64),
    pixels: (f64, f64),
}

impl Plot {
    /// Renders the picture.
    pub fn svg(&self) -> String {
        let values = |pick: fn(&(f64, f64)) -> f64| self.lines.iter().flat_map(|l| &l.points).map(pick).collect::<Vec<_>>();
        let x = Ruler::new(self.x.scale, &values(|p| p.0), (FRAME.left, FRAME.right));
        let y = Ruler::new(self.y.scale, &values(|p| p.1), (FRAME.bottom, FRAME.top));
        let mut out = String::new();
        let _ = writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"13\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
            SIZE.0, SIZE.1
        );
        text(&mut out, (FRAME.left, 24.0), "font-size=\"15\" font-weight=\"bold\"", &self.title);
        self.axes(&mut out, &x, &y);
        for (i, line) in self.lines.iter().enumerate() {
            line.draw(&mut out, i, &x, &y);
        }
        out + "</svg>\n"
    }

    fn axes(&self, out: &mut String, x: &Ruler, y: &Ruler) {
        for tick in x.ticks() {
            let Some(at) = x.place(tick) else { continue };
            rule(out, (at, FRAME.top), (at, FRAME.bottom));
            text(out, (at, FRAME.bottom + 18.0), "text-anchor=\"middle\"", &short(tick));
        }
        for tick in y.ticks() {
            let Some(at) = y.place(tick) else { continue };
            rule(out, (FRAME.left, at), (FRAME.right, at));
            text(out, (FRAME.left - 8.0, at + 4.0), "text-anchor=\"end\"", &short(tick));
        }
        let (width, height) = (FRAME.right - FRAME.left, FRAME.bottom - FRAME.top);
        let _ = writeln!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\" fill=\"none\" stroke=\"#444\"/>",
            FRAME.left, FRAME.top
        );
        let (middle, centre) = (0.5 * (FRAME.left + FRAME.right), 0.5 * (FRAME.top + FRAME.bottom));
        text(out, (middle, FRAME.bottom + 42.0), "text-anchor=\"middle\"", &self.x.label);
        let turned = format!("text-anchor=\"middle\" transform=\"rotate(-90 20 {centre})\"");
        text(out, (20.0, centre), &turned, &self.y.label);
    }
}

impl Line {
    /// Draws the line, its points, and its entry in the legend.
    fn draw(&self, out: &mut String, index: usize, x: &Ruler, y: &Ruler) {
        let colour = COLOURS[self.colour % COLOURS.len()];
        let dashes = match self.stroke {
            Stroke::Solid => "",
            Stroke::Dashed => " stroke-dasharray=\"8 4\"",
            Stroke::Dotted => " stroke-dasharray=\"2 4\"",
        };
        let pen = format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}");
        let places: Vec<(f64, f64)> = self.points.iter().filter_map(|&(px, py)| Some((x.place(px)?, y.place(py)?))).collect();
        let path: Vec<String> = places.iter().map(|(px, py)| format!("{px:.1},{py:.1}")).collect();
        let _ = writeln!(out, "<polyline points=\"{}\" {pen}/>", path.join(" "));
        for (px, py) in places {
            let _ = writeln!(out, "<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"3\" fill=\"{colour}\"/>");
        }
        let (left, at) = (FRAME.right + 14.0, FRAME.top + 10.0 + LEGEND_STEP * index as f64);
        let _ = writeln!(out, "<line x1=\"{left}\" y1=\"{at}\" x2=\"{}\" y2=\"{at}\" {pen}/>", left + 26.0);
        text(out, (left + 32.0, at + 4.0), "", &self.name);
    }
}

impl Ruler {
    /// Returns a range that contains all values that can be shown, slightly enlarged.
    fn new(scale: Scale, values: &[f64], pixels: (f64, f64)) -> Self {
        let shown = values.iter().filter_map(|&v| measure(scale, v));
        let (lo, hi) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
        let (lo, hi) = if lo <= hi { (lo, hi) } else { (0.0, 1.0) };
        let pad = if hi > lo { 0.04 * (hi - lo) } else { 0.5 };
        Ruler { scale, range: (lo - pad, hi + pad), pixels }
    }

    /// Returns the pixels of a value; `None` if the axis cannot show it.
    fn place(&self, value: f64) -> Option<f64> {
        let share = (measure(self.scale, value)? - self.range.0) / (self.range.1 - self.range.0);
        Some(self.pixels.0 + share * (self.pixels.1 - self.pixels.0)).filter(|p| p.is_finite())
    }

    /// Returns round numbers within the range.
    fn ticks(&self) -> Vec<f64> {
        let (lo, hi) = self.range;
        let inside = |v: &f64| measure(self.scale, *v).is_some_and(|m| lo <= m && m <= hi);
        let candidates: Vec<f64> = match self.scale {
            Scale::Linear => {
                let step = round_step((hi - lo) / 6.0);
                (0..=8).map(|i| ((lo / step).ceil() + f64::from(i)) * step).collect()
            }
            Scale::Log => {
                let digits: &[f64] = if hi - lo > 3.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
                let decades = lo.floor() as i32..=hi.ceil() as i32;
                decades.flat_map(|k| digits.iter().map(move |d| d * 10f64.powi(k))).collect()
            }
        };
        candidates.into_iter().filter(inside).collect()
    }
}

/// Converts a value to a length on its axis, if it has one.
fn measure(scale: Scale, value: f64) -> Option<f64> {
    match scale {
        Scale::Linear => Some(value),
        Scale::Log if value > 0.0 => Some(value.log10()),
        Scale::Log => None,
    }
    .filter(|m| m.is_finite())
}

/// Returns 1, 2 or 5 times a power of ten, about `step`.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0].map(|d| d * power).into_iter().find(|&s| s >= step).unwrap_or(10.0 * power)
}

/// Formats a number without trailing zeros.
fn short(value: f64) -> String {
    if value != 0.0 && !(1e-4..1e6).contains(&value.abs()) {
        format!("{value:.0e}")
    } else {
        format!("{}", (value * 1e6).round() / 1e6)
    }
}

fn text(out: &mut String, (x, y): (f64, f64), style: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let gap = if style.is_empty() { "" } else { " " };
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\"{gap}{style}>{words}</text>");
}

fn rule(out: &mut String, from: (f64, f64), to: (f64, f64)) {
    let _ =
        writeln!(out, "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#ddd\"/>", from.0, from.1, to.0, to.1);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(scale: Scale, points: Vec<(f64, f64)>) -> Plot {
        let axis = |label: &str| Axis { label: label.into(), scale };
        let line = |name: &str, stroke, colour| Line { name: name.into(), points: points.clone(), stroke, colour };
        let lines = vec![line("ours & \"theirs\"", Stroke::Solid, 3), line("a < b > c", Stroke::Dotted, 19)];
        Plot { title: "1 < 2 & 3".into(), x: axis("degrees"), y: axis("µs <each>"), lines }
    }

    /// Counts of elements by name.
    fn count(svg: &str, name: &str) -> usize {
        let document = roxmltree::Document::parse(svg).expect("well-formed XML");
        document.descendants().filter(|n| n.tag_name().name() == name).count()
    }

    #[test]
    fn a_plot_is_well_formed_and_shows_every_point() {
        for scale in [Scale::Linear, Scale::Log] {
            let svg = plot(scale, vec![(1.0, 0.02), (5.0, 3.0), (30.0, 700.0)]).svg();
            assert_eq!((count(&svg, "polyline"), count(&svg, "circle")), (2, 6));
            let document = roxmltree::Document::parse(&svg).expect("well-formed XML");
            let words: Vec<_> = document.descendants().filter_map(|n| n.text()).collect();
            assert!(["1 < 2 & 3", "a < b > c", "ours & \"theirs\"", "µs <each>"].iter().all(|w| words.contains(w)), "{words:?}");
            assert_eq!(svg, plot(scale, vec![(1.0, 0.02), (5.0, 3.0), (30.0, 700.0)]).svg());
        }
    }

    #[test]
    fn numbers_that_have_no_place_are_left_out() {
        let odd = vec![(f64::NAN, 1.0), (1.0, f64::INFINITY), (0.0, 1.0), (2.0, -3.0), (4.0, 4.0)];
        assert_eq!(count(&plot(Scale::Log, odd.clone()).svg(), "circle"), 2);
        assert_eq!(count(&plot(Scale::Linear, odd).svg(), "circle"), 6);
        for scale in [Scale::Linear, Scale::Log] {
            assert_eq!(count(&plot(scale, Vec::new()).svg(), "circle"), 0);
            assert_eq!(count(&plot(scale, vec![(3.0, 3.0)]).svg(), "circle"), 2);
            assert_eq!(count(&plot(scale, vec![(1e-300, 1e-300), (1e300, 1e300)]).svg(), "circle"), 4);
        }
    }

    #[test]
    fn larger_numbers_stand_farther_to_the_right_and_all_stand_inside() {
        for scale in [Scale::Linear, Scale::Log] {
            let values = [0.3, 1.0, 2.5, 900.0];
            let ruler = Ruler::new(scale, &values, (10.0, 110.0));
            let places = values.map(|v| ruler.place(v).expect("positive"));
            assert!(places.is_sorted() && places[0] > 10.0 && places[3] < 110.0, "{places:?}");
            let ticks = ruler.ticks();
            assert!((3..=12).contains(&ticks.len()), "{ticks:?}");
        }
    }
}
