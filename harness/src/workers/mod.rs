//! Worker processes: children that work on request, each in a process group of its own.
//!
//! Requests and responses are lines of JSON, on the worker's standard input and output. A worker
//! ends when its input is closed, and is killed with all its children when its parent ends or no
//! longer needs it. What it requests and answers is up to those that use workers: paired runs,
//! throughput, streams and trials of plugins.
//!
//! | module | does |
//! |---|---|
//! | `messages` | lines of JSON, on both sides |
//! | `process` | start and end of a worker, and its last lines of standard error |
//! | `pool` | workers by index, each with a listener thread |

mod messages;
mod pool;
mod process;

pub(crate) use messages::{IpcError, any_path, line, recv, send};
pub(crate) use pool::{Pool, Usage};
pub(crate) use process::{Ending, Process, Requests, Responses, Worker, bench, limit_data};
