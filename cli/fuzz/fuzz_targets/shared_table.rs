//! See `troel_fuzz::shared_table`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| troel_fuzz::shared_table(data));
