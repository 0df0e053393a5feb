//! Text of others, as it is shown to people: names and values from runs, files, plugins and
//! command lines, and names of files.
//!
//! Shown as it is, such a text could move the cursor, fake lines of this program, turn around
//! what stands beside it, or fill screens. So it is shown escaped and shortened, by
//! [`Foreign::shown`] or [`Foreign::quoted`] where it enters a message, a table, a chart or a
//! page. What leaves passes [`lines`] once more, or [`json`]: what was forgotten above can still
//! do no harm there.
//!
//! | module | holds |
//! |---|---|
//! | `hidden` | which characters are not seen for what they are, and how they are escaped |
//! | `shown` | a text with its escapes, shortened |
//! | `borders` | whole texts on their way out |

mod borders;
mod hidden;
mod shown;

pub use borders::{colored_lines, json, lines, page};
pub use hidden::is_hidden;
pub use shown::{COMMAND, Foreign, SENTENCE, Shown};
