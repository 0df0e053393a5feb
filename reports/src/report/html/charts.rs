//! The charts of a task, as they are drawn into the run folder.

use maud::{Markup, PreEscaped, html};
use text::{SENTENCE, Untrusted};

use super::super::facts::counted;
use super::parts::{and_more, scrolling};
use crate::charts::NamedSvg;

/// Maximum number of charts; further ones are only in the run folder.
const MAX_CHARTS: usize = 24;

/// Maximum magnification of a chart.
const MAX_SCALE: f64 = 1.5;
/// Width in pixels from which on charts do not fit side by side.
const WIDE: u32 = 900;

/// Maximum number of maps of winners at the top of the page.
pub const MAX_MAPS: usize = 3;

/// True for a map of winners.
pub fn is_map(chart: &NamedSvg) -> bool {
    chart.chart == "winners" && chart.page == 1
}

pub fn section(algorithm: &str, drawn: &[NamedSvg]) -> Markup {
    let maps = drawn.iter().filter(|chart| is_map(chart)).take(MAX_MAPS);
    let at_the_top: Vec<&str> = maps.map(|map| map.name.as_str()).collect();
    let of_task = drawn.iter().filter(|chart| chart.algorithm == algorithm);
    let of_task = of_task.filter(|chart| !at_the_top.contains(&chart.name.as_str()));
    let (first, mut further): (Vec<_>, Vec<_>) = of_task.partition(|chart| chart.page == 1);
    let hidden = further.split_off(further.len().min(MAX_CHARTS));
    html! {
        @if !first.is_empty() {
            h3 { "Charts" }
            div.charts { @for chart in &first { (figure(chart)) } }
            @if !further.is_empty() {
                details {
                    summary { (counted(further.len(), "image")) " with further panels" }
                    div.charts { @for chart in &further { (figure(chart)) } }
                    (and_more(hidden.len(), "are in the run folder"))
                }
            }
        }
    }
}

/// A chart with a text for screen readers.
pub fn figure(chart: &NamedSvg) -> Markup {
    let caption = chart.caption.iter().map(|line| line.escaped().at_most(SENTENCE).to_string());
    let caption = caption.collect::<Vec<_>>().join(" ");
    let answer = chart.headline.iter().map(|headline| format!("{}. ", headline.escaped()));
    let words = format!("{}{}. {caption}", answer.collect::<String>(), chart.title.escaped());
    let largest = MAX_SCALE * f64::from(chart.width);
    let is_wide = chart.width > WIDE;
    let picture = html! {
        div.chart role="img" aria-label=(words) style={ "max-width:" (largest) "px" } {
            (PreEscaped(&chart.svg))
        }
    };
    html! { figure.wide-chart[is_wide] { (scrolling(&chart.title.escaped().to_string(), &picture)) } }
}
