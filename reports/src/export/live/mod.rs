//! Metrics of a running stream, for monitoring.
//!
//! | module | holds |
//! |---|---|
//! | `series` | progress of a speed |
//! | `histogram` | times in buckets |
//! | `metrics` | names and values of metrics |
//! | `prometheus` | text format for scrapes |
//! | `influx` | lines for pushes |

mod histogram;
mod influx;
mod metrics;
mod prometheus;
mod series;

pub use histogram::{Histogram, LATENCY, LATENESS};
pub use influx::lines;
pub use metrics::{Kind, METRICS, Metric};
pub use prometheus::{CONTENT_TYPE, page};
pub use series::{LiveStream, LiveWorker};

#[cfg(test)]
mod fixture {
    use super::{LiveStream, LiveWorker};

    /// Twelve timeslices were due; one worker is busy, the other one was lost.
    pub fn stream(speed: f64) -> LiveStream {
        let mut stream = LiveStream::new("time-sweep", "cpu", speed, 0.05, 2);
        (stream.due, stream.emitted) = (12, 9);
        (stream.done, stream.lost, stream.dropped) = (2, 1, 1);
        stream.in_work = 1;
        for seconds in [0.05, 0.06] {
            stream.latency.add(seconds);
            stream.work.add(0.04);
        }
        stream.workers[1] = LiveWorker { is_there: false, done: 1, busy_s: 0.25 };
        stream
    }
}
