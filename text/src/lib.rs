//! Untrusted text as it is displayed: names and values from runs, files, plugins and command lines,
//! and names of files.
//!
//! Displayed unchanged, such a text could move the cursor, fake lines of this program, reverse the
//! text next to it, or fill screens. So it is escaped and shortened, by [`Untrusted::escaped`] or
//! [`Untrusted::quoted`] where it enters a message, a table, a chart or a page. All output passes
//! [`lines`] once more, or [`json`], so that an omission is harmless.
//!
//! | module | content |
//! |---|---|
//! | `hidden` | invisible and misleading characters, and their escapes |
//! | `escaped` | a text with its escapes, shortened |
//! | `borders` | whole texts before output |
//! | `counts` | counts of things in messages |

mod borders;
mod counts;
mod escaped;
mod hidden;

pub use borders::{colored_lines, json, lines, page};
pub use counts::counted;
pub use escaped::{COMMAND, Escaped, SENTENCE, Untrusted};
pub use hidden::is_hidden;
