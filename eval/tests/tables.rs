//! Two bots at tables in every composition.

use std::ops::Range;

use troel_agents::{NamedBot, find_rules};
use troel_eval::{
    Composition, CompositionResults, DuplicateBots, DuplicateConfig, play_compositions,
    play_duplicate,
};

fn config(rules: &str, deals: Range<u64>) -> DuplicateConfig {
    DuplicateConfig::new(find_rules(rules).expect("built in"), deals, 11)
}

fn find_bots(config: &DuplicateConfig, names: &[&str]) -> Vec<NamedBot> {
    names.iter().map(|name| NamedBot::find(name, config.rules).expect("a bot")).collect()
}

fn play(config: &DuplicateConfig, first: &[&str], second: &[&str]) -> CompositionResults {
    let (first, second) = (find_bots(config, first), find_bots(config, second));
    play_compositions(config, &first, &second, &|_| {}).expect("no bot fails")
}

/// A bot against itself has the same points in all compositions.
#[test]
fn a_bot_among_itself_leads_nowhere() {
    for rules in ["luxembourg", "wiezen"] {
        let found = play(&config(rules, 0..40), &["rules"], &["rules"]);
        let own = found.compositions[0].b.as_ref().expect("four seats").mean;
        for at in &found.compositions {
            if let Some(lead) = &at.lead {
                assert!(lead.mean.abs() < 1e-9, "{rules} {at:?}");
            }
            let seats = [&at.a, &at.b].into_iter().flatten();
            seats.for_each(|seat| assert!((seat.mean - own).abs() < 1e-9, "{rules} {at:?}"));
        }
        assert!(found.gain_alone.iter().all(|gain| gain.mean.abs() < 1e-9));
        assert!(found.lead_change.mean.abs() < 1e-9);
    }
}

/// Points of a zero-sum table add up to zero; one against three is what `troel eval` plays.
#[test]
fn compositions_agree_with_duplicate_comparisons() {
    for rules in ["wiezen", "horesca", "iwwa"] {
        let config = config(rules, 0..64);
        let found = play(&config, &["rules"], &["random"]);
        let bots = find_bots(&config, &["rules", "random"]);
        let duel = |a: usize, b: usize| {
            let found = play_duplicate(&config, DuplicateBots::full(&bots[a], &bots[b]), &|_| {});
            found.expect("no bot fails").difference
        };
        for (gain, duel) in found.gain_alone.iter().zip([duel(0, 1), duel(1, 0)]) {
            // Draws of `random` differ: its stream depends on the tables that it plays at.
            let error = gain.half_width_of_deals + duel.half_width();
            assert!((gain.mean - duel.mean()).abs() < error, "{rules}: {gain:?} {duel:?}");
        }
        assert!(found.gain_alone[0].mean > 1.0 && found.gain_alone[1].mean < -1.0, "{found:?}");
        if !config.rules.is_zero_sum() {
            continue;
        }
        for at in &found.compositions {
            let seats = match at.composition {
                Composition::AllB => [0.0, 4.0],
                Composition::OneA => [1.0, 3.0],
                Composition::TwoOpposite | Composition::TwoAdjacent => [2.0, 2.0],
                Composition::ThreeA => [3.0, 1.0],
                Composition::AllA => [4.0, 0.0],
            };
            let sides = [&at.a, &at.b].into_iter().zip(seats);
            let sum: f64 =
                sides.map(|(side, n)| side.as_ref().map_or(0.0, |side| n * side.mean)).sum();
            assert!(sum.abs() < 1e-9, "{rules} {at:?}");
        }
    }
}

#[test]
fn groups_are_compared_over_seeds_and_threads_change_nothing() {
    let config = config("wiezen", 0..130);
    let one = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| play(&config, &["rules", "random"], &["random", "rules"]))
    };
    let found = one(1);
    assert_eq!(found, one(2));
    assert_eq!(found.lead_change.seeds, [2, 2]);
    let lead = found.compositions[1].lead.as_ref().expect("both sit there");
    assert!(lead.half_width.is_some_and(|half| half > lead.mean.abs()), "equal groups: {lead:?}");
    let pair = play(&config, &["rules"], &["random"]);
    // Neither bot has a training seed: the interval is over deals.
    assert_eq!(pair.lead_change.seedless, [true; 2]);
    assert_eq!(pair.lead_change.half_width, Some(pair.lead_change.half_width_of_deals));
}
