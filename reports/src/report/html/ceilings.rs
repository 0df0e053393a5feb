//! Bandwidth of variants relative to the measured copy bandwidth.

use maud::{Markup, html};
use text::Untrusted;

use super::super::facts::counted;
use super::super::facts::position::{Position, positions};
use super::super::facts::settings::Settings;
use super::parts::{and_more, pixels, scrolling};
use crate::record::{Ceiling, SummaryRow};
use crate::units;

/// Maximum number of bars; further variants are in the tables only.
const MAX_BARS: usize = 40;
const WIDTH: f64 = 300.0;
const BAR: f64 = 18.0;

pub fn section(rows: &[&SummaryRow], settings: &Settings) -> Markup {
    let positions = positions(rows);
    let longest = positions.iter().map(|position| position.best).fold(1.0, f64::max);
    html! {
        @if !positions.is_empty() {
            h3 { "Share of the measured ceilings" }
            p.quiet {
                "The bytes that any implementation must move, over the median, as a share of the \
                 copy bandwidth measured with the same number of threads in the same run. Bars \
                 reach to the best setting, the notch is at the worst; the line is the ceiling."
                @if positions.iter().any(|position| position.under == Ceiling::Link) {
                    " On a GPU, that holds for kernels; the ceiling of complete runs is the \
                     bandwidth of the link, both directions at the same time. Sequential copies \
                     reach half of it."
                }
                @if longest > 1.0 { " Bars beyond the line were served by caches." }
            }
            (scrolling("Share of the measured ceilings", &table(&positions, settings, longest)))
            (and_more(positions.len().saturating_sub(MAX_BARS), "variants"))
        }
    }
}

fn table(positions: &[Position], settings: &Settings, longest: f64) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" { "variant" }
                th.number scope="col" { "threads" }
                th.number scope="col" { "share" }
                th scope="col" { "0 to " (percent(longest)) }
                th.number scope="col" { "bytes/s" }
                th.number scope="col" { "ceiling" }
                th scope="col" { "best at" }
            } }
            tbody { @for position in positions.iter().take(MAX_BARS) { tr {
                th scope="row" { (position.variant.escaped()) }
                td.number { (position.threads) }
                td.number { (percent(position.best)) }
                td { (bar(position, longest)) }
                td.number { (units::bytes_per_second(position.bytes_per_s)) }
                td.number { (ceiling(position)) }
                td.quiet.settings { (settings.apart(&position.at)) }
            } } }
        }
    }
}

fn bar(position: &Position, longest: f64) -> Markup {
    let x = |share: f64| WIDTH * share / longest;
    html! {
        svg.ceiling role="img" aria-label=(words(position)) width=(WIDTH) height=(BAR)
            viewBox={ "0 0 " (WIDTH) " " (BAR) } {
            rect.track x="0" y="3" width=(WIDTH) height="12" {}
            rect.fill x="0" y="3" width=(pixels(x(position.best))) height="12" {}
            @if position.settings > 1 {
                path.notch d={ "M" (pixels(x(position.worst))) " 3v12" } {}
            }
            path.line d={ "M" (pixels(x(1.0).min(WIDTH - 1.0))) " 0v" (BAR) } {}
        }
    }
}

/// `30 GB/s copy`, `100 GB/s link`.
fn ceiling(position: &Position) -> String {
    let name = match position.under {
        Ceiling::Copy => "copy",
        Ceiling::Link => "link",
    };
    format!("{} {name}", units::bytes_per_second(position.ceiling()))
}

/// `14 % of the ceiling, 5 % at the worst of 8 settings`.
fn words(position: &Position) -> String {
    let best = format!("{} of the ceiling", percent(position.best));
    match position.settings {
        1 => best,
        count => format!(
            "{best}, {} at the worst of {}",
            percent(position.worst),
            counted(count, "setting")
        ),
    }
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        percent if percent < 10.0 => format!("{percent:.1} %"),
        percent => format!("{percent:.0} %"),
    }
}
