//! Reports of synthetic runs: their content, their size, and their display in a browser.

mod browser;
mod fixture;
mod page;
