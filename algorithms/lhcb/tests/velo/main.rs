//! The VELO's references against what the experiment's own code made of the fixtures in `../shared`.

mod expected;
mod references;
mod variants;
