//! Untrusted text as it is displayed: names and values from runs, files, plugins and command lines,
//! and names of files.
//!
//! Displayed unchanged, such a text could move the cursor, fake lines of this program, reverse the
//! text next to it, or fill screens. So it is escaped and shortened, by [`Foreign::shown`] or
//! [`Foreign::quoted`] where it enters a message, a table, a chart or a page. All output passes
//! [`lines`] once more, or [`json`], so that an omission is harmless.
//!
//! | module | content |
//! |---|---|
//! | `hidden` | invisible and misleading characters, and their escapes |
//! | `shown` | a text with its escapes, shortened |
//! | `borders` | whole texts before output |

mod borders;
mod hidden;
mod shown;

pub use borders::{colored_lines, json, lines, page};
pub use hidden::is_hidden;
pub use shown::{COMMAND, Foreign, SENTENCE, Shown};
