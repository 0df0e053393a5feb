//! SVG as PNG.

use std::sync::{Arc, OnceLock};

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use super::text::FONT;

/// Rasterises a picture to a PNG of the same size, on white.
pub fn png(svg: &str) -> Result<Vec<u8>, String> {
    let options = Options { fontdb: fonts(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let size = tree.size().to_int_size();
    let mut pixels = Pixmap::new(size.width(), size.height())
        .ok_or_else(|| format!("{} × {} pixels are too many", size.width(), size.height()))?;
    pixels.fill(Color::WHITE);
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}

/// The built-in font, by the name that pictures use.
fn fonts() -> Arc<fontdb::Database> {
    static FONTS: OnceLock<Arc<fontdb::Database>> = OnceLock::new();
    let load = || {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_source(fontdb::Source::Binary(Arc::new(FONT)));
        let name = fonts.faces().next().and_then(|face| face.families.first());
        if let Some((name, _)) = name.cloned() {
            fonts.set_sans_serif_family(name);
        }
        Arc::new(fonts)
    };
    Arc::clone(FONTS.get_or_init(load))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(content: &str) -> String {
        format!("<svg xmlns='http://www.w3.org/2000/svg' width='40' height='20'>{content}</svg>")
    }

    #[test]
    fn letters_are_painted() {
        let text = "<text x='2' y='15' font-family='sans-serif' font-size='14'>ns</text>";
        let [empty, written] = ["", text].map(|content| png(&picture(content)).expect("a picture"));
        assert!(empty.starts_with(b"\x89PNG"));
        assert_ne!(empty, written);
    }

    #[test]
    fn invalid_pictures_are_errors() {
        assert!(png("<svg").is_err());
    }
}
