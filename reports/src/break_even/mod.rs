//! From how much work on a GPU is worth it.
//!
//! A GPU has much to do before the first item and little for each further one, so
//! there is a size from which on it is the faster. Where that is depends on whether
//! the data have to be brought there and back.
//!
//! | module | does |
//! |---|---|
//! | `size` | finds the axis that makes inputs larger |
//! | `sweep` | picks the fastest at each size |
//! | `words` | says from where on who is the faster |
//!
//! Where two are equally fast is found by [`statistics::crossings`].

mod size;
mod sweep;
mod words;

pub use sweep::{Curve, Duel, Sweep, Way, sweeps};
pub use words::{entrants, sentences};
