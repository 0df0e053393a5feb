//! Breakdown of the time of a variant: its stages as parts of a bar.

use maud::{Markup, html};
use text::Untrusted;

use super::super::facts::settings::Settings;
use super::parts::and_more;
use crate::breakdown::{Bar, Breakdown, OTHER, Part, breakdowns, stages};
use crate::charts::series_color;
use crate::record::SummaryRow;
use crate::shape::name;
use crate::units;

/// Maximum number of settings; further ones are in the tables only.
const MAX_SETTINGS: usize = 12;
/// Minimum share of the width for a part whose share is written in it.
const ROOM_FOR_SHARE: f64 = 0.1;
/// The colour of the remainder, which was not measured itself.
const REST: &str = "#8a8a8a";

pub fn section(rows: &[&SummaryRow], settings: &Settings) -> Markup {
    let breakdowns = breakdowns(rows, name);
    let stages = stages(&breakdowns);
    html! {
        @if !breakdowns.is_empty() {
            h3 { "Stages" }
            p.quiet { "Medians of the stages; other: the remainder of the median total. The bars \
                of a setting have one scale." }
            ul.legend { @for (i, stage) in stages.iter().enumerate() {
                li { span.swatch style={ "background:" (color(stage, i)) } {} (stage.escaped()) }
            } }
            @for breakdown in breakdowns.iter().take(MAX_SETTINGS) {
                (figure(breakdown, &stages, settings))
            }
            (and_more(breakdowns.len().saturating_sub(MAX_SETTINGS), "settings are in the tables"))
        }
    }
}

fn figure(breakdown: &Breakdown, stages: &[&str], settings: &Settings) -> Markup {
    let longest = breakdown.bars.iter().map(|bar| bar.sum_s().max(bar.total_s));
    let longest = longest.fold(0.0, f64::max);
    html! {
        figure {
            figcaption { (settings.apart(&breakdown.axes)) }
            dl.bars { @for bar in &breakdown.bars {
                dt { (bar.variant.escaped()) " " span.quiet { (units::seconds(bar.total_s, 3)) } }
                dd { (picture(bar, stages, longest)) }
            } }
        }
    }
}

/// The colour of a stage as in the charts, for CSS.
fn color(stage: &str, index: usize) -> String {
    if stage == OTHER {
        return REST.to_owned();
    }
    let (red, green, blue) = series_color(index);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The parts of a bar as boxes, whose texts keep their size on a small screen.
fn picture(bar: &Bar, stages: &[&str], longest: f64) -> Markup {
    let width = |seconds: f64| format!("{:.2}%", 100.0 * seconds / longest);
    html! {
        div.stacked role="img" aria-label=(words(bar)) {
            @for part in &bar.parts {
                @let index = stages.iter().position(|name| *name == part.stage).unwrap_or(0);
                @let (width, color) = (width(part.seconds), color(&part.stage, index));
                span title=(part_words(part, bar))
                    style={ "width:" (width) ";background:" (color) } {
                    @if part.seconds / longest > ROOM_FOR_SHARE { (share(part.seconds, bar)) }
                }
            }
        }
    }
}

/// `count 1.20 ms (12 %), scatter 8.80 ms (88 %)`.
fn words(bar: &Bar) -> String {
    let parts = bar.parts.iter();
    let parts = parts.map(|part| part_words(part, bar));
    parts.collect::<Vec<_>>().join(", ")
}

fn part_words(part: &Part, bar: &Bar) -> String {
    let Part { stage, seconds, given } = part;
    let given =
        if given.is_empty() { String::new() } else { format!(", given {}", given.escaped()) };
    format!("{} {} ({}){given}", stage.escaped(), units::seconds(*seconds, 3), share(*seconds, bar))
}

fn share(seconds: f64, bar: &Bar) -> String {
    format!("{:.0} %", 100.0 * seconds / bar.total_s)
}
