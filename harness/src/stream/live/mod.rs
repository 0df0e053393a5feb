//! What others are told of a stream while it runs: Prometheus, which asks, and InfluxDB, to which it
//! is pushed.
//!
//! Nothing of it is in the way of timeslices. The thread that looks after workers copies what is new
//! in the ledger and counts it; threads that go behind all others write that down and send it, and
//! nobody waits for them.
//!
//! | module | holds |
//! |---|---|
//! | `news` | what has happened in a ledger since somebody looked last |
//! | `count` | the same, counted |
//! | `follower` | what looks again and again |
//! | `board` | where numbers wait for those who ask |
//! | `behind` | threads that go behind all others |
//! | `endpoint`, `http` | for Prometheus |
//! | `push`, `influx` | for InfluxDB |

mod behind;
mod board;
mod count;
mod endpoint;
mod follower;
mod http;
mod influx;
mod news;
mod push;

use std::cell::Cell;
use std::sync::Arc;
use std::{env, io};

use reports::stream::StreamRow;
use reports::stream::live::LiveStream;
use text::Foreign;

use super::tally::Content;
use crate::request::StreamFlags;
use board::Board;
use endpoint::Endpoint;
use influx::Influx;
use push::{Deliveries, Pusher};

pub(super) use follower::Follower;
pub(super) use news::{News, Seen};

/// The variable that has the token for InfluxDB: command lines are kept in `run.json`.
const TOKEN: &str = "INFLUX_TOKEN";

/// Why nobody can be told of a stream.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The port is taken, or can't be had.
    #[error(
        "metrics can't be served at {}: {source}; choose another address or port with --metrics",
        address.shown()
    )]
    Port {
        /// As it was given.
        address: String,
        /// What the system said.
        source: io::Error,
    },
    /// A token that no server can have given.
    #[error("{TOKEN} has characters that no token has; set it to the token alone")]
    Token,
    /// The system gives no thread.
    #[error("metrics can't be pushed: {0}")]
    Thread(io::Error),
}

/// Those who are told of a stream.
pub(super) struct Live {
    board: Arc<Board>,
    endpoint: Option<Endpoint>,
    influx: Option<(String, Pusher)>,
}

impl Live {
    /// Opens the port and begins to push, as flags say.
    ///
    /// # Errors
    /// If the port can't be had or the token is none. Whether a server answers is seen later.
    pub(super) fn start(flags: &StreamFlags) -> Result<Self, LiveError> {
        let board = Arc::new(Board::default());
        let open = |address: &String| {
            let endpoint = Endpoint::open(address, Arc::clone(&board));
            endpoint.map_err(|source| LiveError::Port { address: address.clone(), source })
        };
        let push = |url: &String| {
            let influx = Influx::new(url, token()?);
            let name = influx.name().to_owned();
            let pusher = Pusher::start(influx, Arc::clone(&board)).map_err(LiveError::Thread)?;
            Ok((name, pusher))
        };
        let endpoint = flags.metrics.as_ref().map(open).transpose()?;
        let influx = flags.influx.as_ref().map(push).transpose()?;
        Ok(Live { board, endpoint, influx })
    }

    /// Where metrics are, if they are served.
    pub(super) fn url(&self) -> Option<String> {
        self.endpoint.as_ref().map(|endpoint| format!("http://{}/metrics", endpoint.address()))
    }

    /// Begins to follow a speed, if anybody wants to know.
    pub(super) fn follow<'a>(
        &'a self,
        row: &StreamRow,
        content: Content<'a>,
    ) -> Option<Follower<'a>> {
        if self.endpoint.is_none() && self.influx.is_none() {
            return None;
        }
        let StreamRow { variant, device, speed, timeslice_s, processes, .. } = row;
        let stream = LiveStream::new(variant, device, *speed, *timeslice_s, *processes);
        let place = self.board.put(stream);
        Some(Follower { board: &self.board, place, content, seen: Cell::default() })
    }

    /// What a user should know at once, once.
    pub(super) fn problem(&self) -> Option<String> {
        let (name, pusher) = self.influx.as_ref()?;
        let problem = pusher.first_problem()?;
        let name = name.shown();
        Some(format!("metrics are not delivered to {name}: {problem}; the stream goes on"))
    }

    /// Pushes what is left. Returns what could not be delivered, if anything.
    pub(super) fn end(&mut self) -> Option<String> {
        let (name, pusher) = self.influx.take()?;
        let Deliveries { tried, failed, problem } = pusher.end();
        let problem = problem?;
        let name = name.shown();
        Some(format!(
            "{failed} of {tried} deliveries of metrics to {name} failed, the last of them because \
             {problem}"
        ))
    }
}

/// The token for InfluxDB, if there is one.
fn token() -> Result<Option<String>, LiveError> {
    let Some(token) = env::var_os(TOKEN).filter(|token| !token.is_empty()) else {
        return Ok(None);
    };
    let token = token.into_string().map_err(|_| LiveError::Token)?;
    let is_fine = token.chars().all(|letter| letter.is_ascii_graphic());
    if is_fine { Ok(Some(token)) } else { Err(LiveError::Token) }
}
