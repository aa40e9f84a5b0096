//! Properties that hold for any input: one function per target, which panics on a violation.
//!
//! `tests/bounded.rs` runs them on seeds and on random mutations of these. Longer runs need a
//! coverage-guided fuzzer with AddressSanitizer (`cargo install cargo-fuzz`):
//!
//! ```text
//! cargo run --release -p troel-fuzz --no-default-features --example write_seeds -- target/fuzz
//! cd cli
//! RUSTC_BOOTSTRAP=1 cargo fuzz run --no-default-features --features libfuzzer record ../target/fuzz/record -- -max_total_time=3600
//! ```
//!
//! The target `recipe` needs the feature `recipe` as well, and the trainer compiled with a
//! sanitizer.
#![allow(unsafe_code, reason = "the C interface is one of the targets")]

use std::ffi::{CStr, CString};
use std::path::Path;

use serde_json::{Value, json};
use troel_agents::{DecisionDetail, NetworkBot, decide_one};
use troel_capi::{
    troel_bot_answer, troel_bot_free, troel_bot_named, troel_bot_read, troel_table_do,
    troel_table_free, troel_table_new,
};
use troel_env::conformance::Explorer;
use troel_env::{BySeat, Deals, N_FEATURES, Record, RuleSet, Seat, State};
use troel_nn::Bundle;
use troel_protocol::{Message, Table, private_table};

mod responder;
mod seeds;
mod shared_table;

use responder::responder;
pub use seeds::seeds;
use shared_table::VisitedTable;

/// A target: a property that holds for any input.
pub type Target = fn(&[u8]);

/// The targets with their names.
pub const TARGETS: &[(&str, Target)] = &[
    ("record", record),
    ("rules", rules),
    ("bundle", bundle),
    ("protocol", protocol),
    ("table", table),
    ("shared_table", shared_table),
    ("c_interface", c_interface),
    #[cfg(feature = "recipe")]
    ("recipe", recipe),
];

/// Checks game records. The record of a replayed state leads to the same state. Each seat's view of
/// the record leads to the seat's observation. Observations of partial records have finite features
/// and survive a round trip.
pub fn record(data: &[u8]) {
    let Ok(record) = serde_json::from_slice::<Record>(data) else { return };
    let Some(rules) = RuleSet::built_in(&record.rules) else { return };
    let replayed = record.replay(rules, true);
    for seat in Seat::ALL {
        let Ok(obs) = record.observe(rules, seat) else { continue };
        let mut features = vec![f32::NAN; N_FEATURES];
        obs.encode(&mut features);
        assert!(features.iter().all(|feature| feature.is_finite()), "{record:?}");
        let again = Record::from_observation(&obs)
            .observe(rules, seat)
            .expect("an observation is a record");
        assert_eq!(again, obs, "{record:?}");
    }
    let Ok(state) = record.play(rules, |_, _| {}) else { return };
    let replayed = replayed.expect("what can be played can be replayed");
    if let (Some(scores), true) = (replayed.scores, rules.is_zero_sum()) {
        assert_eq!(scores.iter().sum::<i32>(), 0, "{record:?}");
    }
    let totals = BySeat(record.scores_before.unwrap_or_default());
    let own = Record::from_state(&state, &totals);
    assert_eq!(own.replay(rules, true).expect("a state's record is one"), replayed, "{record:?}");
    for seat in Seat::ALL {
        let view = record.view(rules, seat).expect("a record that can be played");
        let obs = view.observe(rules, seat).expect("a view is a record");
        assert_eq!(obs, state.observe(seat, totals), "{record:?}");
    }
}

/// Checks rule files. Accepted rules can be written and read again. Every deal ends, and its points
/// sum to zero under zero-sum rules.
pub fn rules(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(rules) = RuleSet::from_toml(text, "fuzz") else { return };
    let written = toml::to_string(rules.spec()).expect("plain data");
    let again = RuleSet::from_toml(&written, "written").expect("accepted before");
    assert_eq!(rules.hash(), again.hash());
    for seed in 0..8 {
        let mut explorer = Explorer::new(rules, seed, 0);
        let mut state = explorer.deal(rules, seed, seed % 4);
        while let Some(action) = explorer.choose(&state) {
            state.apply(action).expect("legal");
        }
        let scores = state.scores().expect("the deal is over");
        let sum: i64 = scores.iter().map(|&points| i64::from(points)).sum();
        assert!(!rules.is_zero_sum() || sum == 0, "{scores:?}");
    }
}

/// Checks the two files of a bot, which a zero byte separates. An accepted bot has finite weights.
/// It decides on a legal action or reports an error.
pub fn bundle(data: &[u8]) {
    let (info, weights) = halves(data);
    let Ok(info) = std::str::from_utf8(info) else { return };
    if let Ok(bundle) = Bundle::parse(Path::new("fuzz"), info, weights) {
        assert!(bundle.weights.values.iter().all(|weight| weight.is_finite()));
        let Ok(rules) = bundle.info.rule_set(Path::new("fuzz")) else { return };
        let mut bot = NetworkBot::from_bundle(&bundle);
        let state = State::new(rules, &Deals::new(rules, 1).shuffled(0, Seat::East));
        let obs = state.observe(state.turn(), BySeat::default());
        // Large finite weights can have an infinite sum, which is an error.
        if let Ok(decision) = decide_one(&mut bot, &obs, DecisionDetail::Policy) {
            assert!(obs.legal_actions().has(decision.action));
        }
    }
}

/// Checks requests of the bot protocol. Each is answered with one JSON object, which has the
/// request's `id` and either an error or the answer. An action in it is legal.
pub fn protocol(data: &[u8]) {
    let text = responder().answer(data);
    let answer: Value = serde_json::from_str(&text).expect("JSON");
    assert!(!text.contains('\n') && answer.get("id").is_some(), "{text}");
    let fields = answer.as_object().expect("an object").len();
    assert!(fields == 2 || fields > 2 && answer.get("error").is_none(), "{text}");
    let Ok(Value::Object(mut asked)) = serde_json::from_slice(data) else {
        assert!(answer.get("error").is_some(), "{text}");
        return;
    };
    if let Some(id) = asked.get("id").filter(|_| answer.get("error").is_none()) {
        assert_eq!(&answer["id"], id, "{text}");
    }
    let Some(action) = answer.get("action") else { return };
    asked.insert("cmd".to_string(), Value::from("legal"));
    let legal = responder().answer(Value::Object(asked).to_string().as_bytes());
    let legal: Value = serde_json::from_str(&legal).expect("JSON");
    let legal = legal["legal"].as_array().expect("a seat that may act has legal actions");
    assert!(legal.contains(action), "{text}");
}

/// Checks commands of a front end, one per line. Each is answered, and a refused one changes
/// nothing.
pub fn table(data: &[u8]) {
    let mut table: Option<Table> = None;
    for line in data.split(|&byte| byte == b'\n').take(100) {
        let show =
            |table: &Table| table.owner().map(|seat| table.show(seat, None)).expect("private");
        let shown = |table: &Option<Table>| json!(table.as_ref().map(show));
        let before = shown(&table);
        let answers = private_table::handle(&mut table, line, responder());
        assert!(!answers.is_empty());
        if answers.iter().any(|answer| matches!(answer, Message::Refused(_))) {
            assert_eq!(shown(&table), before);
        }
    }
}

/// Checks events at a shared table, one per line (see `VisitedTable`). No event of a person
/// disturbs the others, and a refused command changes nothing.
pub fn shared_table(data: &[u8]) {
    let mut visited = VisitedTable::default();
    data.split(|&byte| byte == b'\n').take(100).for_each(|event| visited.take(event));
    visited.leave();
}

/// Checks the C interface with buffers whose size is the first byte. The library writes nothing
/// outside of them, which AddressSanitizer would report. A buffer holds the answer as far as it
/// fits. A panic that the library catches fails the check.
pub fn c_interface(data: &[u8]) {
    let Some((&size, rest)) = data.split_first() else { return };
    let (request, more) = halves(rest);
    let text = CString::new(request).expect("cut at the first zero byte");
    let (mut answer, mut error) = (vec![1_u8; usize::from(size)], vec![1_u8; usize::from(size)]);
    // SAFETY: the strings end with a zero byte, the buffers and the files have the lengths given,
    // and the pointers come from the library and are freed once.
    let has_bot = unsafe {
        let bot = troel_bot_named(c"rules".as_ptr(), std::ptr::null_mut(), 0);
        let written =
            troel_bot_answer(bot, text.as_ptr(), answer.as_mut_ptr().cast(), answer.len());
        let expected = responder().answer(request);
        assert_eq!(written, expected.len());
        check_buffer(&answer, &expected);
        let table = troel_table_new(bot);
        for line in request.split(|&byte| byte == b'\n').take(30) {
            let line = CString::new(line).expect("no zero byte");
            let answers = CStr::from_ptr(troel_table_do(table, line.as_ptr()));
            let answers = answers.to_str().expect("UTF-8");
            assert!(!answers.contains(INTERNAL), "{answers}");
            assert!(serde_json::from_str::<Vec<Value>>(answers).is_ok(), "{answers}");
        }
        troel_table_free(table);
        troel_bot_free(bot);
        let (info, weights) = (request.as_ptr(), more.as_ptr());
        let (to, len) = (error.as_mut_ptr().cast(), error.len());
        let name = c"fuzz".as_ptr();
        let bot = troel_bot_read(name, info, request.len(), weights, more.len(), to, len);
        troel_bot_free(bot);
        !bot.is_null()
    };
    if !has_bot && let Some(end) = error.iter().position(|&byte| byte == 0) {
        assert!(!String::from_utf8_lossy(&error[..end]).contains(INTERNAL));
    }
    assert!(has_bot || error.is_empty() || error.contains(&0), "an error ends with a zero byte");
}

/// Beginning of the messages of the C interface about a panic.
const INTERNAL: &str = "an internal error";

/// Checks that a buffer holds the text as far as it fits, in whole characters, and then a zero
/// byte.
fn check_buffer(buffer: &[u8], text: &str) {
    if let Some(last) = buffer.len().checked_sub(1) {
        let end = text.floor_char_boundary(last);
        assert_eq!((&buffer[..end], buffer[end]), (&text.as_bytes()[..end], 0));
    }
}

/// Checks recipes. An accepted recipe is the same after it is written and read again.
#[cfg(feature = "recipe")]
pub fn recipe(data: &[u8]) {
    use troel_train::TrainConfig;
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(config) = TrainConfig::parse(text) else { return };
    let written = toml::to_string(&config).expect("plain data");
    let again = TrainConfig::parse(&written).unwrap_or_else(|error| panic!("{error}:\n{written}"));
    assert_eq!(again, config);
}

/// Splits an input at its first zero byte.
fn halves(data: &[u8]) -> (&[u8], &[u8]) {
    let middle = data.iter().position(|&byte| byte == 0).unwrap_or(data.len());
    (&data[..middle], data.get(middle + 1..).unwrap_or_default())
}
