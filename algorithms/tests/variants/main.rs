//! Every variant is right: on what is hard to get right, and on data whose answer is
//! known.

mod common;
mod cpu;
mod cuda;
mod tpc_pages;
