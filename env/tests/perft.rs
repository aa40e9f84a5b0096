//! Counts of call sequences and of card sequences, as chess programs count moves ("perft"): the
//! number of different sequences of a given length from a fixed deal. The counts lie in
//! `perft/*.tsv` for review; those of depth 1 can be checked by hand against the rules, the others
//! pin the engine.
//!
//! `TROEL_PERFT=print cargo test --release -p troel-env --test perft -- --nocapture` prints the
//! lines of the files.

use troel_env::{Action, BySeat, Card, Deal, Phase, RuleSet, Seat, State};

/// The number of sequences of `depth` actions from a state; ones that end earlier are not counted.
fn count(state: &State, depth: u32) -> u64 {
    let legal = state.legal_actions();
    if depth <= 1 {
        return if depth == 1 { u64::from(legal.len()) } else { 1 };
    }
    let after = |action| {
        let mut after = *state;
        after.apply_unchecked(action);
        count(&after, depth - 1)
    };
    legal.iter().map(after).sum()
}

/// The same while the auction lasts: the number of sequences of `depth` calls, those that end it
/// included.
fn count_calls(state: &State, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if state.phase() != Phase::Auction {
        return 0;
    }
    let legal = state.legal_actions();
    if depth == 1 {
        return u64::from(legal.len());
    }
    let after = |action| {
        let mut after = *state;
        after.apply_unchecked(action);
        count_calls(&after, depth - 1)
    };
    legal.iter().map(after).sum()
}

/// North deals; where a card is turned up it is the ten of diamonds. A deal without three aces in a
/// hand, and one with three (North).
const PLAIN: &str = "N:752.7.AQT7.AT976 AJ984.AK9.2.KQ83 QT6.QT854.K83.J2 K3.J632.J9654.54";
const ACES: &str = "N:A52.A.QT72.AT976 J9874.K97.A.KQ83 QT6.QT854.K83.J2 K3.J632.J9654.54";

fn start(rules: &'static RuleSet, hands: &str, calls: &str) -> State {
    let hands = troel_env::parse_hands(hands).expect("hands");
    let hands = BySeat::from_fn(|s| hands[s].expect("all four"));
    let dealer = Seat::North;
    let turn_up = rules.has_turn_up().then(|| Card::parse("TD").expect("a card"));
    let deal = Deal { dealer, hands, turn_up };
    assert_eq!(deal.check(rules), Ok(()));
    let mut state = State::new(rules, &deal);
    for code in calls.split_whitespace() {
        state.apply(Action::parse(code, state.phase()).expect("a code")).expect("legal");
    }
    state
}

/// A position to count from: a name, the hands, calls made before, the greatest depth.
fn cases(rules: &RuleSet) -> Vec<(&'static str, &'static str, &'static str, u32)> {
    let luxembourg = [
        ("calls", PLAIN, "", 8),
        ("calls, aces", ACES, "", 10),
        ("cards, pair", PLAIN, "8H 8H pass pass", 11),
        ("cards, slam", PLAIN, "slam-H pass pass pass", 11),
        ("cards, trou", ACES, "pass pass pass keep", 10),
        ("cards, small misere", PLAIN, "small-misere pass pass pass", 7),
        ("cards, piccolo", PLAIN, "piccolo pass pass pass", 11),
    ];
    let flanders = [
        ("calls", PLAIN, "", 10),
        ("calls, aces", ACES, "", 9),
        ("cards, pair", PLAIN, "8D 8D pass pass", 11),
        ("cards, slam", PLAIN, "slam-H pass pass pass", 11),
        ("cards, troel", ACES, "pass pass pass keep", 11),
        ("cards, misere of two", PLAIN, "misere pass pass misere", 6),
        ("cards, open misere", PLAIN, "open-misere pass pass pass", 11),
    ];
    if rules.has_turn_up() { flanders.to_vec() } else { luxembourg.to_vec() }
}

#[test]
fn counts_are_as_pinned() {
    let print = std::env::var("TROEL_PERFT").is_ok();
    for name in RuleSet::built_in_names() {
        let rules = RuleSet::built_in(name).expect("built in");
        let mut found = String::from("what\tdeal\tbefore\tdepth\tsequences\n");
        for (what, hands, before, deepest) in cases(rules) {
            let state = start(rules, hands, before);
            for depth in 1..=deepest {
                let clock = std::time::Instant::now();
                let n = if what.starts_with("calls") {
                    count_calls(&state, depth)
                } else {
                    count(&state, depth)
                };
                found += &format!("{what}\t{hands}\t{before}\t{depth}\t{n}\n");
                if print {
                    println!("{name} {what} {depth} {n} {:.2} s", clock.elapsed().as_secs_f64());
                }
            }
        }
        let path = format!("{}/tests/perft/{name}.tsv", env!("CARGO_MANIFEST_DIR"));
        if print {
            println!("{found}");
            continue;
        }
        let pinned = std::fs::read_to_string(&path).expect("part of the repository");
        for (line, (found, pinned)) in found.lines().zip(pinned.lines()).enumerate() {
            assert_eq!(found, pinned, "{name}.tsv:{}", line + 1);
        }
        assert_eq!(found.lines().count(), pinned.lines().count(), "{name}.tsv");
    }
}
