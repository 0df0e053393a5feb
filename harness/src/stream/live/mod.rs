//! Live monitoring of a stream: Prometheus, which polls, and InfluxDB, to which data are pushed.
//!
//! Monitoring does not delay timeslices. The thread that monitors workers copies changes of the
//! log and counts them; threads with the lowest priority format and send the counts, and no
//! other thread waits for them.
//!
//! | module | holds |
//! |---|---|
//! | `live_counts` | counts of log changes and their periodic update, for the threads that publish them |
//! | `endpoint` | endpoint for Prometheus |
//! | `push` | client for InfluxDB |

mod endpoint;
mod live_counts;
mod push;

use std::cell::Cell;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::{env, io};

use nix::libc;
use reports::export::live::LiveStream;
use reports::stream::StreamRow;
use text::Untrusted;

use super::data::Content;
use crate::request::StreamFlags;
use endpoint::Endpoint;
pub(super) use live_counts::Follower;
use live_counts::LiveCounts;
use push::{Deliveries, Influx, Pusher};

/// Environment variable with the token for InfluxDB; a flag would be stored in `run.json`.
const TOKEN: &str = "INFLUX_TOKEN";

/// Error of live monitoring.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The port is taken or not available.
    #[error(
        "metrics can't be served at {}: {source}; choose another address or port with --metrics",
        address.escaped()
    )]
    Port {
        /// Address as specified by the user.
        address: String,
        /// Error of the system.
        source: io::Error,
    },
    /// A token with characters that no token has.
    #[error("{TOKEN} has characters that no token has; set it to the token alone")]
    Token,
    /// The system refuses a thread.
    #[error("metrics can't be pushed: {0}")]
    Thread(io::Error),
}

/// Live monitoring of a run.
pub(super) struct Live {
    live_counts: Arc<LiveCounts>,
    endpoint: Option<Endpoint>,
    influx: Option<(String, Pusher)>,
}

impl Live {
    /// Opens the port and starts pushing, as flags specify. A server that does not answer is
    /// noticed later.
    pub(super) fn start(flags: &StreamFlags) -> Result<Self, LiveError> {
        let live_counts = Arc::new(LiveCounts::default());
        let open = |address: &String| {
            let endpoint = Endpoint::open(address, Arc::clone(&live_counts));
            endpoint.map_err(|source| LiveError::Port { address: address.clone(), source })
        };
        let push = |url: &String| {
            let influx = Influx::new(url, token()?);
            let name = influx.name().to_owned();
            let pusher =
                Pusher::start(influx, Arc::clone(&live_counts)).map_err(LiveError::Thread)?;
            Ok((name, pusher))
        };
        let endpoint = flags.metrics.as_ref().map(open).transpose()?;
        let influx = flags.influx.as_ref().map(push).transpose()?;
        Ok(Live { live_counts, endpoint, influx })
    }

    /// URL of the metrics, if they are served.
    pub(super) fn url(&self) -> Option<String> {
        self.endpoint.as_ref().map(|endpoint| format!("http://{}/metrics", endpoint.address()))
    }

    /// Starts to follow a speed, if live monitoring is enabled.
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
        let index = self.live_counts.put(stream);
        Some(Follower { live_counts: &self.live_counts, index, content, cursor: Cell::default() })
    }

    /// First delivery problem, returned once.
    pub(super) fn problem(&self) -> Option<String> {
        let (name, pusher) = self.influx.as_ref()?;
        let problem = pusher.first_problem()?;
        let name = name.escaped();
        Some(format!("metrics are not delivered to {name}: {problem}; the stream continues"))
    }

    /// Pushes the remaining counts. Returns a note on failed deliveries, if any.
    pub(super) fn end(&mut self) -> Option<String> {
        let (name, pusher) = self.influx.take()?;
        let Deliveries { tried, failed, problem } = pusher.end();
        let problem = problem?;
        let name = name.escaped();
        Some(format!(
            "{failed} of {tried} deliveries of metrics to {name} failed, the last of them because \
             {problem}"
        ))
    }
}

/// Token for InfluxDB, if there is one.
fn token() -> Result<Option<String>, LiveError> {
    let Some(token) = env::var_os(TOKEN).filter(|token| !token.is_empty()) else {
        return Ok(None);
    };
    let token = token.into_string().map_err(|_| LiveError::Token)?;
    let is_fine = token.chars().all(|letter| letter.is_ascii_graphic());
    if is_fine { Ok(Some(token)) } else { Err(LiveError::Token) }
}

/// Niceness of a thread that runs only on otherwise idle CPUs.
const LOWEST_PRIORITY: i32 = 19;

/// Starts a thread with the lowest priority, which threads that it starts inherit.
fn spawn_low_priority<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    Builder::new().name(name.to_owned()).spawn(move || {
        // SAFETY: this system call takes integers and accesses no memory of the process. On Linux
        // it affects only this thread.
        unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, LOWEST_PRIORITY) };
        work()
    })
}
