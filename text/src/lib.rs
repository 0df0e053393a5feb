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
//! | `escaped` | hidden characters; a text with its escapes, shortened |
//! | `borders` | whole texts before output; counts of things in messages |

mod borders;
mod escaped;

pub use borders::{colored_lines, counted, json, lines, page};
pub use escaped::{COMMAND, Escaped, SENTENCE, Untrusted, is_hidden};
