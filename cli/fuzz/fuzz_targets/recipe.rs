//! See `troel_fuzz::recipe`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| troel_fuzz::recipe(data));
