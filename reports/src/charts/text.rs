//! Text: the font, the width of lines, and line breaks.
//!
//! The font is built in because nodes of a cluster have none installed.

use std::sync::OnceLock;

use plotters::style::{FontStyle, IntoFont, register_font};
use text::{SENTENCE, Untrusted};

/// The name that the font is registered under. In an SVG it is a CSS keyword,
/// so that any viewer has a font for it.
pub const FAMILY: &str = "sans-serif";

/// Ascent plus descent of DejaVu Sans in ems: `ab_glyph` scales to that height.
const HEIGHT_OF_EM: f64 = 1.164;

/// The font of all text.
pub const FONT: &[u8] = include_bytes!("../../assets/DejaVuSans.ttf");

/// Registers the font with plotters; returns false on failure.
pub fn load_font() -> bool {
    static LOADED: OnceLock<bool> = OnceLock::new();
    *LOADED.get_or_init(|| register_font(FAMILY, FontStyle::Normal, FONT).is_ok())
}

/// The width of a line in pixels at `size` pixels an em.
pub fn width(text: &str, size: f64) -> f64 {
    // Measured at a large size because plotters rounds widths to whole pixels.
    const LARGE: f64 = 100.0;
    load_font();
    let text = text.escaped().at_most(SENTENCE).to_string();
    let font = (FAMILY, LARGE * HEIGHT_OF_EM).into_font();
    match font.box_size(&text) {
        Ok((pixels, _)) => f64::from(pixels) * size / LARGE,
        Err(_) => text.chars().count() as f64 * size * 0.6,
    }
}

/// Breaks a text between words so that each line fits `limit` pixels; a word that is wider is
/// split.
pub fn wrap(text: &str, size: f64, limit: f64) -> Vec<String> {
    let text = text.escaped().at_most(SENTENCE).to_string();
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ').flat_map(|word| cut(word, size, limit)) {
        let longer = if line.is_empty() { word.clone() } else { format!("{line} {word}") };
        if width(&longer, size) <= limit {
            line = longer;
        } else {
            lines.push(std::mem::replace(&mut line, word));
        }
    }
    lines.push(line);
    lines.retain(|line| !line.is_empty());
    lines
}

/// The pieces of a word that fit `limit`.
fn cut(word: &str, size: f64, limit: f64) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for letter in word.chars() {
        let last = pieces.len() - 1;
        let longer = format!("{}{letter}", pieces[last]);
        if pieces[last].is_empty() || width(&longer, size) <= limit {
            pieces[last] = longer;
        } else {
            pieces.push(letter.to_string());
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_texts_are_wider() {
        assert!(width("median time", 16.0) > width("median", 16.0));
        let ratio = width("median", 32.0) / width("median", 16.0);
        assert!((ratio - 2.0).abs() < 0.01);
    }

    #[test]
    fn lines_fit_and_lose_no_word() {
        let text = "a caption of several words that is too long for one line";
        let lines = wrap(text, 14.0, 120.0);
        assert!(lines.len() > 2);
        assert!(lines.iter().all(|line| width(line, 14.0) <= 120.0));
        assert_eq!(lines.join(" "), text);
    }

    #[test]
    fn a_word_without_spaces_is_cut() {
        let lines = wrap(&"x".repeat(100), 14.0, 120.0);
        assert!(lines.iter().all(|line| width(line, 14.0) <= 120.0));
        assert_eq!(lines.concat().len(), 100);
    }
}
