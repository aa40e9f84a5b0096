//! Runs the targets on their seeds and on random mutations of these: 3,000 inputs each, or the
//! number in `TROEL_FUZZ`.

#![cfg(feature = "recipe")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use troel_env::rng::{Purpose, Stream};
use troel_env::{Record, RuleSet};
use troel_fuzz::{TARGETS, seeds};
use troel_nn::Bundle;
use troel_train::TrainConfig;

/// Mutates an input as fuzzers do: changes bits, bytes or numbers, removes or repeats a part, or
/// copies one from another input.
fn mutate(input: &mut Vec<u8>, others: &[Vec<u8>], stream: &mut Stream) {
    let place = |stream: &mut Stream, len: usize| stream.below(len as u32 + 1) as usize;
    let at = place(stream, input.len());
    let until = (at + place(stream, 30)).min(input.len());
    match stream.below(8) {
        0 if at < input.len() => input[at] ^= 1 << stream.below(8),
        1 if at < input.len() => input[at] = stream.bits() as u8,
        2 => drop(input.drain(at..until)),
        3 => {
            let twice = input[at..until].to_vec();
            drop(input.splice(at..at, twice));
        }
        4 => {
            const NUMBERS: [&str; 10] = [
                "0",
                "-1",
                "1e999",
                "nan",
                "2147483647",
                "-2147483648",
                "18446744073709551616",
                "",
                "null",
                "[[[[[[",
            ];
            let number = NUMBERS[stream.below(NUMBERS.len() as u32) as usize];
            drop(input.splice(at..until, number.bytes()));
        }
        // Changes a digit, which keeps the structure of the text.
        5 => {
            let digits: Vec<usize> =
                (0..input.len()).filter(|&i| input[i].is_ascii_digit()).collect();
            if !digits.is_empty() {
                input[digits[stream.below(digits.len() as u32) as usize]] =
                    b'0' + stream.below(10) as u8;
            }
        }
        _ => {
            let other = &others[stream.below(others.len() as u32) as usize];
            let from = place(stream, other.len());
            let to = (from + place(stream, 60)).min(other.len());
            drop(input.splice(at..until, other[from..to].iter().copied()));
        }
    }
}

#[test]
fn the_properties_hold_for_any_input() {
    let count: u64 = std::env::var("TROEL_FUZZ").map_or(3_000, |n| n.parse().expect("a number"));
    for (name, target) in TARGETS {
        let seeds = seeds(name);
        assert!(!seeds.is_empty(), "{name}");
        for number in 0..count {
            let mut stream = Stream::new(1, Purpose::Action, number);
            let mut input = seeds[number as usize % seeds.len()].clone();
            // The seeds themselves come first.
            if number as usize >= seeds.len() {
                (0..=stream.below(4)).for_each(|_| mutate(&mut input, &seeds, &mut stream));
            }
            if catch_unwind(AssertUnwindSafe(|| target(&input))).is_err() {
                panic!("{name} fails for input {number}: {}", input.escape_ascii());
            }
        }
    }
}

/// A target that refuses its seeds would check little.
#[test]
fn seeds_are_accepted() {
    for seed in seeds("record") {
        let record: Record = serde_json::from_slice(&seed).expect("a record");
        let rules = RuleSet::built_in(&record.rules).expect("built in");
        record.replay(rules, false).expect("played");
    }
    for seed in seeds("rules") {
        RuleSet::from_toml(&String::from_utf8_lossy(&seed), "seed").expect("rules");
    }
    for seed in seeds("bundle") {
        let middle = seed.iter().position(|&byte| byte == 0).expect("two files");
        let info = std::str::from_utf8(&seed[..middle]).expect("text");
        Bundle::parse(Path::new("seed"), info, &seed[middle + 1..]).expect("a bot");
    }
    for seed in seeds("recipe") {
        TrainConfig::parse(&String::from_utf8_lossy(&seed)).expect("a recipe");
    }
    for seed in seeds("shared_table") {
        let text = String::from_utf8(seed).expect("text");
        assert!(text.matches("\"act\"").count() > 30 && text.contains("next"), "{text}");
    }
    for seed in seeds("table") {
        let text = String::from_utf8(seed).expect("text");
        assert!(text.matches("act").count() > 10 && text.contains("next"), "{text}");
    }
}
