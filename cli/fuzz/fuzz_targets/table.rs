//! See `troel_fuzz::table`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| troel_fuzz::table(data));
