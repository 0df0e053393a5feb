//! What the generators promise, over all of them: their files, their encoders and the
//! data that they make.

mod digi_files;
mod generated_digis;
mod sts_physics;
mod sts_setup;
mod tpc;
