//! See `troel_fuzz::protocol`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| troel_fuzz::protocol(data));
