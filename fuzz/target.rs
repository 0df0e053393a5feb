//! The target that has the name of the binary.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    fuzz_readers::run(env!("CARGO_BIN_NAME"), input);
});
