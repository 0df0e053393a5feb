//! Pages of a time frame, as they are sent, stored and decoded.
//!
//! | module | content |
//! |---|---|
//! | `raw` | pages by stream: the input of decoders |
//! | `assemble` | from the pages of heartbeat frames to streams |

mod assemble;
mod raw;

pub use assemble::{Framing, SectorFrames, SectorPages};
pub use raw::{FramePages, RawPages, StreamId, StreamPages};
