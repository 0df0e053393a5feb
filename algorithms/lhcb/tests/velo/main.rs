//! The VELO's references against what the experiment's own code made of the fixtures in `../shared`.

mod capacities;
mod cuts;
mod expected;
mod large;
mod physics;
mod references;
mod variants;
