//! The charts of a task, as `bench` draws them into the run folder.

use maud::{Markup, PreEscaped, html};

use super::super::facts::counted;
use super::parts::{and_more, scrolling};
use crate::charts::NamedSvg;

/// Further charts are left to the files of the run folder.
const MOST_CHARTS: usize = 24;

pub fn section(algorithm: &str, drawn: &[NamedSvg]) -> Markup {
    let of_task = drawn.iter().filter(|chart| chart.algorithm == algorithm);
    let (first, mut further): (Vec<_>, Vec<_>) = of_task.partition(|chart| chart.page == 1);
    let hidden = further.split_off(further.len().min(MOST_CHARTS));
    html! {
        @if !first.is_empty() {
            h3 { "Charts" }
            @for chart in &first { (figure(chart)) }
            @if !further.is_empty() {
                details {
                    summary { (counted(further.len(), "image")) " with further panels" }
                    @for chart in &further { (figure(chart)) }
                    (and_more(hidden.len(), "are in the run folder"))
                }
            }
        }
    }
}

/// A chart with its words for those who don't see it.
pub fn figure(chart: &NamedSvg) -> Markup {
    let words = format!("{}. {}", chart.title, chart.caption.join(" "));
    let picture = html! {
        div.chart role="img" aria-label=(words) style={ "max-width:" (chart.width) "px" } {
            (PreEscaped(&chart.svg))
        }
    };
    html! { figure { (scrolling(&chart.title, &picture)) } }
}
