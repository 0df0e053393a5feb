//! One panel: data between two rulers.

use plotters::style::RGBColor;

use super::super::scene::{Anchor, Label, Mark};
use super::super::text::{width, wrap};
use super::grid::Surroundings;
use super::{INK, LEADING};

/// Pixels an em of the title of a panel.
const PANEL_TITLE: f64 = 15.0;
/// Pixels an em of the name of an axis.
pub const AXIS_LABEL: f64 = 15.0;
/// Pixels an em of the labels of ticks.
pub const TICK: f64 = 14.0;

/// From the middle of a line of text to its baseline, in ems.
const HALF_HEIGHT: f64 = 0.36;

const AXIS: RGBColor = RGBColor(110, 110, 110);
const GRID: RGBColor = RGBColor(228, 228, 228);

/// A labelled position along a ruler, in pixels from the plot's upper left.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Pixels.
    pub at: f64,
    /// What is written there.
    pub label: String,
}

/// An axis as it is drawn.
#[derive(Clone, Debug, Default)]
pub struct Ruler {
    /// What the axis is.
    pub label: String,
    /// Labelled positions.
    pub ticks: Vec<Tick>,
    /// Positions without a label, in pixels.
    pub minor: Vec<f64>,
    /// Whether faint lines cross the plot at the ticks.
    pub grid: bool,
}

/// One panel.
#[derive(Clone, Debug)]
pub struct Plot {
    /// What tells this panel from the others.
    pub title: String,
    /// Pixels across, without what surrounds the plot.
    pub width: f64,
    /// Pixels down.
    pub height: f64,
    /// The horizontal axis.
    pub x: Ruler,
    /// The vertical axis.
    pub y: Ruler,
    /// The data, in pixels from the plot's upper left.
    pub marks: Vec<Mark>,
}

impl Ruler {
    /// Whether the labels stand beside each other without touching.
    pub fn fits(&self) -> bool {
        self.ticks.windows(2).all(|pair| apart(&pair[0], &pair[1]))
    }

    /// The same ruler with labels only where there is room, and at the end.
    pub fn thinned(self) -> Ruler {
        let (mut kept, mut minor) = (Vec::new(), self.minor);
        let mut ticks = self.ticks;
        let last = ticks.pop();
        for tick in ticks {
            let before = kept.last();
            match before.into_iter().chain(&last).all(|other| apart(other, &tick)) {
                true => kept.push(tick),
                false => minor.push(tick.at),
            }
        }
        kept.extend(last);
        Ruler { ticks: kept, minor, ..self }
    }

    /// The width of the widest label.
    pub fn label_width(&self) -> f64 {
        let widths = self.ticks.iter().map(|tick| width(&tick.label, TICK));
        widths.fold(0.0, f64::max)
    }

    /// How far labels reach beyond the end of a ruler of this length.
    pub fn overhang(&self, length: f64) -> f64 {
        let ends = self.ticks.iter().map(|tick| tick.at + width(&tick.label, TICK) / 2.0);
        ends.fold(0.0, |most, end| most.max(end - length))
    }
}

impl Plot {
    /// The panel with its labels, in pixels from the plot's upper left.
    pub fn draw(&self, around: &Surroundings) -> Vec<Mark> {
        let mut marks = self.draw_y(around);
        marks.extend(self.draw_x(around));
        marks.extend(self.draw_title());
        marks.retain(|mark| !matches!(mark, Mark::Text(label) if label.text.is_empty()));
        marks.extend(self.marks.iter().cloned());
        marks
    }

    /// The height of the title over the plot.
    pub fn title_height(&self) -> f64 {
        match self.title_lines().len() {
            0 => 14.0,
            lines => (lines as f64 * LEADING + 0.8) * PANEL_TITLE,
        }
    }

    fn title_lines(&self) -> Vec<String> {
        wrap(&self.title, PANEL_TITLE, self.width)
    }

    fn draw_title(&self) -> Vec<Mark> {
        let lines = self.title_lines();
        let count = lines.len();
        let line = |(i, text): (usize, String)| {
            let below = (count - 1 - i) as f64;
            let y = -PANEL_TITLE * (0.7 + below * LEADING);
            let label = Label::new(text, (self.width / 2.0, y), PANEL_TITLE, INK);
            Mark::Text(label.anchored(Anchor::Middle))
        };
        lines.into_iter().enumerate().map(line).collect()
    }

    fn draw_y(&self, around: &Surroundings) -> Vec<Mark> {
        let across = |from: f64, to: f64, y: f64, color| Mark::line((from, y), (to, y), color, 1);
        let mut marks = Vec::new();
        for tick in &self.y.ticks {
            if self.y.grid {
                marks.push(across(0.0, self.width, tick.at, GRID));
            }
            marks.push(across(-5.0, 0.0, tick.at, AXIS));
            let at = (-9.0, tick.at + TICK * HALF_HEIGHT);
            let label = Label::new(&tick.label, at, TICK, INK);
            marks.push(Mark::Text(label.anchored(Anchor::End)));
        }
        marks.extend(self.y.minor.iter().map(|at| across(-3.0, 0.0, *at, AXIS)));
        marks.push(Mark::line((0.0, 0.0), (0.0, self.height), AXIS, 1));
        if let Some(x) = around.y_name {
            let label = Label::new(&self.y.label, (x, self.height / 2.0), AXIS_LABEL, INK);
            marks.push(Mark::Text(label.anchored(Anchor::Middle).upwards()));
        }
        marks
    }

    fn draw_x(&self, around: &Surroundings) -> Vec<Mark> {
        let bottom = self.height;
        let down = |x: f64, from: f64, to: f64, color| Mark::line((x, from), (x, to), color, 1);
        let mut marks = Vec::new();
        for tick in &self.x.ticks {
            if self.x.grid {
                marks.push(down(tick.at, 0.0, bottom, GRID));
            }
            marks.push(down(tick.at, bottom, bottom + 5.0, AXIS));
            marks.push(Mark::Text(x_label(tick, bottom + 9.0, around.upright)));
        }
        let minor = self.x.minor.iter();
        marks.extend(minor.map(|at| down(*at, bottom, bottom + 3.0, AXIS)));
        marks.push(Mark::line((0.0, bottom), (self.width, bottom), AXIS, 1));
        if let Some(y) = around.x_name {
            let label = Label::new(&self.x.label, (self.width / 2.0, y), AXIS_LABEL, INK);
            marks.push(Mark::Text(label.anchored(Anchor::Middle)));
        }
        marks
    }
}

/// Whether the labels of two ticks stand beside each other without touching.
fn apart(one: &Tick, other: &Tick) -> bool {
    let gap = TICK * 0.7;
    let needed = (width(&one.label, TICK) + width(&other.label, TICK)) / 2.0;
    (other.at - one.at).abs() >= needed + gap
}

/// The label of a tick under `top`.
fn x_label(tick: &Tick, top: f64, upright: bool) -> Label {
    if upright {
        let at = (tick.at + TICK * HALF_HEIGHT, top);
        let label = Label::new(&tick.label, at, TICK, INK);
        return label.upwards().anchored(Anchor::End);
    }
    let at = (tick.at, top + TICK * 0.8);
    Label::new(&tick.label, at, TICK, INK).anchored(Anchor::Middle)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    fn ruler(distance: f64, label: &str) -> Ruler {
        let tick = |i: usize| Tick { at: i as f64 * distance, label: label.into() };
        Ruler { ticks: (0..5).map(tick).collect(), ..Ruler::default() }
    }

    /// A panel of 300 by 200 pixels.
    pub fn plot() -> Plot {
        Plot {
            title: "n = 1".into(),
            width: 300.0,
            height: 200.0,
            x: ruler(60.0, "1 k"),
            y: ruler(40.0, "10"),
            marks: vec![],
        }
    }

    #[test]
    fn labels_that_touch_do_not_fit() {
        assert!(ruler(60.0, "1 k").fits());
        assert!(!ruler(20.0, "1000000").fits());
    }

    #[test]
    fn a_thinned_ruler_fits_and_keeps_its_end() {
        let thin = ruler(20.0, "1000000").thinned();
        assert!(thin.fits());
        assert_eq!(thin.ticks.last().map(|tick| tick.at), Some(80.0));
        assert_eq!(thin.ticks.len() + thin.minor.len(), 5);
    }

    #[test]
    fn labels_reach_beyond_the_end() {
        let long = ruler(75.0, "a long label");
        assert!(long.overhang(300.0) > 20.0);
        assert_eq!(long.overhang(500.0), 0.0);
    }
}
