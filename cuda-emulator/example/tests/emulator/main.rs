//! The emulator runs correct kernels and finds the bugs of wrong ones.

mod correct;
mod device;
mod queues;
mod speed;
mod traffic;
mod wrong;
