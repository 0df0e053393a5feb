//! Draws a station of CBM's tracker as SVG: its modules, the darker the more digis they
//! have, and where the particles of one collision go through.
//!
//! `cargo run --release -p generators-sts --example draw_station > docs/images/sts-station.svg`

use std::collections::HashSet;
use std::fmt::Write;

use generators_common::DataError;
use generators_sts::physics::{Crossing, Preset, Simulation};
use generators_sts::setup::Module;

/// The fourth station, in cm from the target.
const STATION: f64 = 60.0;
/// A part of the preset that fills all modules.
const SCALE: f64 = 0.1;
const PIXELS_PER_CM: f64 = 8.0;
const MARGIN_CM: f64 = 2.0;
/// Digis of a strip and collision that are drawn darkest.
const DARKEST: f64 = 0.06;

fn main() -> Result<(), DataError> {
    let scenario = Preset::CbmAuAu.scenario().scaled(SCALE);
    let simulation = Simulation::new(&scenario, 1)?;
    let simulated = simulation.timeslice(0);
    let modules = simulation.setup().modules();
    let is_in_station = |index: &usize| (modules[*index].translation[2] - STATION).abs() < 2.0;
    let numbers: HashSet<_> = (0..modules.len()).filter(is_in_station).collect();
    let mut drawing = Drawing::around(numbers.iter().map(|index| &modules[*index]));
    let strips = 1024.0 * f64::from(scenario.collisions());
    let mut sorted: Vec<_> = numbers.iter().copied().collect();
    sorted.sort_unstable();
    for index in sorted {
        let digis = simulated.digis.segment(index).len() as f64;
        drawing.module(&modules[index], digis / strips);
    }
    let crossings = simulated.truth.crossings().iter();
    let first = |crossing: &&Crossing| crossing.collision == 0;
    for crossing in crossings.filter(first) {
        if numbers.contains(&(crossing.module as usize)) {
            drawing.crossing(crossing);
        }
    }
    print!("{}", drawing.finish());
    Ok(())
}

/// A picture in centimetres, y upwards, around the beam.
struct Drawing {
    svg: String,
    half: [f64; 2],
}

impl Drawing {
    fn around<'a>(modules: impl Iterator<Item = &'a Module>) -> Self {
        let mut half = [0.0_f64; 2];
        for module in modules {
            let [x, y, _] = module.translation;
            half[0] = half[0].max(x.abs() + 512.0 * module.pitch + MARGIN_CM);
            half[1] = half[1].max(y.abs() + 0.5 * module.height + MARGIN_CM);
        }
        let [width, height] = half.map(|half| 2.0 * half * PIXELS_PER_CM);
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        Drawing { svg, half }
    }

    fn pixel(&self, x: f64, y: f64) -> [f64; 2] {
        [(self.half[0] + x) * PIXELS_PER_CM, (self.half[1] - y) * PIXELS_PER_CM]
    }

    fn module(&mut self, module: &Module, occupancy: f64) {
        let [x, y, _] = module.translation;
        let [width, height] = [1024.0 * module.pitch, module.height];
        let [left, top] = self.pixel(x - 0.5 * width, y + 0.5 * height);
        let opacity = (occupancy / DARKEST).sqrt().min(1.0);
        self.line(format_args!(
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" \
             fill=\"#2a6f97\" fill-opacity=\"{opacity:.2}\" stroke=\"#264653\" \
             stroke-width=\"0.8\"/>",
            width * PIXELS_PER_CM,
            height * PIXELS_PER_CM
        ));
    }

    fn crossing(&mut self, crossing: &Crossing) {
        let [x, y] = self.pixel(crossing.x.into(), crossing.y.into());
        self.line(format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2\" fill=\"#e76f51\"/>"));
    }

    fn line(&mut self, line: std::fmt::Arguments) {
        // Writing to a text can't fail.
        let _ = writeln!(self.svg, "{line}");
    }

    fn finish(mut self) -> String {
        self.svg.push_str("</svg>\n");
        self.svg
    }
}
