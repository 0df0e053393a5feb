//! Pieces that several sections are made of.

use maud::{Markup, html};
use text::{Foreign, SENTENCE};

/// A wide thing that scrolls by itself, so that the page does not.
pub fn scrolling(label: &str, content: &Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(label) { (content) }
    }
}

/// What did not fit, counted.
pub fn and_more(hidden: usize, what: &str) -> Markup {
    html! {
        @if hidden > 0 { p.quiet { "And " (hidden) " more " (what) "." } }
    }
}

/// Names with values; those that are not known, or empty, are left out.
pub fn facts(list: &[(&str, Option<String>)]) -> Markup {
    let known = list.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    html! {
        dl.facts {
            @for (name, value) in known.filter(|(_, value)| !value.is_empty()) {
                div { dt { (name) } dd { (value.shown().at_most(SENTENCE)) } }
            }
        }
    }
}

/// A number of an SVG attribute: a tenth of a pixel is enough.
pub fn pixels(value: f64) -> String {
    format!("{value:.1}")
}
