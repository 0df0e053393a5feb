#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    fuzz_readers::run("digi_parquet", input);
});
