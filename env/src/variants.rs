//! House rules drawn at random around a rule set. They have other points, other ranks, contracts
//! left out and options flipped.
//!
//! A network that learns under many of them does not learn one table by heart (domain
//! randomisation, Tobin et al. 2017).

use crate::contract::ContractKind;
use crate::rng::{Purpose, Stream};
use crate::rules::{ContractSpec, DealMethod, Family, MAX_POINTS, RuleSet, Spec};

/// Probability that a contract is left out. Contracts of a pair never are, because there is hardly
/// an auction without them.
const LEFT_OUT_PROBABILITY: f32 = 0.1;
/// Probability that a row changes places with the one above.
const MOVED_PROBABILITY: f32 = 0.1;
/// Probability that an option is flipped.
const FLIPPED_PROBABILITY: f32 = 0.2;
/// Probability that the time at which open misères are shown is drawn again.
const SHOWN_PROBABILITY: f32 = 0.3;
/// Largest power of 1.1 by which all points of a rule set are multiplied or divided.
const MAX_RULE_SET_STEPS: u32 = 4;
/// Largest power of 1.1 by which the points of one contract are multiplied or divided.
const MAX_CONTRACT_STEPS: u32 = 5;
/// Largest power of 1.1 by which the points of a failed contract are multiplied or divided.
const MAX_FAILURE_STEPS: u32 = 3;

impl RuleSet {
    /// Returns the variant of this number under a seed.
    ///
    /// The same seed and number give the same variant, other numbers give other variants. The
    /// identifier is that of these rules, shortened, with seed and number.
    pub fn variant(&self, seed: u64, number: u64) -> &'static RuleSet {
        // Numbers of different rule sets must not give the same draws.
        let stream = &mut Stream::new(seed ^ self.hash_number, Purpose::Rules, number);
        let spec =
            Spec { id: variant_id(self.id(), seed, number), ..random_variant(self.spec(), stream) };
        RuleSet::from_spec(spec, "variant").expect("drawn within the ranges of rule files")
    }
}

fn variant_id(id: &str, seed: u64, number: u64) -> String {
    // An identifier has at most 64 characters; two numbers and their separators have at most 42.
    let id: String = id.chars().take(20).collect();
    format!("{id}-{seed}-{number}")
}

/// Draws `true` with this probability.
fn chance(stream: &mut Stream, probability: f32) -> bool {
    stream.unit() < probability
}

/// Draws a factor around 1: 1.1 to a power of −`steps` to `steps`. It uses multiplication alone,
/// which every machine rounds alike.
fn factor(stream: &mut Stream, steps: u32) -> f32 {
    let power = stream.below(2 * steps + 1).abs_diff(steps);
    let factor = (0..power).fold(1.0, |factor, _| factor * 1.1);
    if chance(stream, 0.5) { factor } else { 1.0 / factor }
}

/// Draws a variant of a rule file.
fn random_variant(spec: &Spec, stream: &mut Stream) -> Spec {
    let mut spec = spec.clone();
    spec.description.clear();
    let is_turn_up = spec.family == Family::TurnUp;
    let cards = spec.cards_per_hand();
    let is_whole = spec.ranks.is_none();
    let options: [(&mut bool, bool); 8] = [
        (&mut spec.share_miseres, true),
        (&mut spec.void_moves_dealer, true),
        (&mut spec.stay, !is_turn_up),
        (&mut spec.solo_needs_proposal, !is_turn_up),
        (&mut spec.misere_ends_proposals, !is_turn_up),
        (&mut spec.turn_up_always_shown, is_turn_up),
        (&mut spec.exchange, is_turn_up && is_whole),
        (&mut spec.troel_leads_key_card, is_turn_up),
    ];
    for (option, exists) in options {
        *option ^= exists && chance(stream, FLIPPED_PROBABILITY);
    }
    if is_whole && chance(stream, FLIPPED_PROBABILITY) {
        spec.deal = match spec.deal {
            DealMethod::Shuffle => DealMethod::Gather,
            DealMethod::Gather => DealMethod::Shuffle,
        };
    }
    if chance(stream, SHOWN_PROBABILITY) {
        spec.open_misere_shown_after = (stream.below(3) as u8).min(cards);
    }
    let all = spec.contract.clone();
    spec.contract.retain(|row| row.kind.is_pair() || !chance(stream, LEFT_OUT_PROBABILITY));
    if spec.contract.is_empty() {
        spec.contract = all;
    }
    for lower in 1..spec.contract.len() {
        // Pairs bid a trick more each time: their order stays.
        let of_pairs = |row: usize| spec.contract[row].kind == ContractKind::Suit;
        if !(of_pairs(lower - 1) && of_pairs(lower)) && chance(stream, MOVED_PROBABILITY) {
            spec.contract.swap(lower - 1, lower);
        }
    }
    let all = factor(stream, MAX_RULE_SET_STEPS);
    for row in &mut spec.contract {
        let made = all * factor(stream, MAX_CONTRACT_STEPS);
        rescale(row, made, made * factor(stream, MAX_FAILURE_STEPS));
    }
    spec
}

/// Multiplies the points of a row. Points other than zero stay at least one and within the range of
/// rule files.
fn rescale(row: &mut ContractSpec, made: f32, failed: f32) {
    let times = |points: &mut i32, factor: f32| {
        if *points > 0 {
            *points = ((*points as f32 * factor).round() as i32).clamp(1, MAX_POINTS);
        }
    };
    row.made.iter_mut().for_each(|points| times(points, made));
    times(&mut row.overtrick, made);
    for points in
        [&mut row.failed, &mut row.undertrick, &mut row.opponents, &mut row.opponents_undertrick]
    {
        times(points, failed);
    }
    if let Some(several) = &mut row.opponents_several {
        times(several, failed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::check;
    use crate::env::EnvConfig;
    use crate::session::Episode;

    #[test]
    fn variants_are_whole_rule_sets() {
        for rules in RuleSet::all_built_in() {
            let mut found: Vec<Spec> = Vec::new();
            for number in 0..40 {
                let variant = rules.variant(7, number);
                assert!(std::ptr::eq(variant, rules.variant(7, number)));
                // Not by their names alone.
                let spec = Spec { id: String::new(), ..variant.spec().clone() };
                assert!(!found.contains(&spec), "{variant:?}");
                found.push(spec);
                let config = EnvConfig { episode: Episode::Deals(2), ..EnvConfig::default() };
                check(variant, config, number, 1).unwrap_or_else(|e| panic!("{variant:?}: {e}"));
            }
            let other = Spec { id: String::new(), ..rules.variant(8, 0).spec().clone() };
            assert!(!found.contains(&other));
        }
    }

    /// Checks rule files of one contract, and of the largest figures there may be.
    #[test]
    fn odd_rules_have_variants() {
        for rules in RuleSet::all_built_in() {
            for row in rules.rows() {
                let largest = ContractSpec {
                    made: vec![MAX_POINTS; row.made.len()],
                    failed: MAX_POINTS,
                    ..row.clone()
                };
                for contract in [vec![row.clone()], vec![largest]] {
                    let id = "odd".repeat(21);
                    let odd = Spec { id, contract, ..rules.spec().clone() };
                    let odd = RuleSet::from_spec(odd, "odd").unwrap();
                    assert!((0..30).all(|number| odd.variant(u64::MAX, number).rows().len() == 1));
                }
            }
        }
    }

    /// Checks that made contracts score more with more tricks. Also checks that each thing varies
    /// at least once.
    #[test]
    fn variants_differ_in_everything() {
        let rules = RuleSet::built_in("wiezen").unwrap();
        let [mut points, mut ranks, mut fewer, mut options, mut dealt] = [0; 5];
        for number in 0..400 {
            let (spec, then) = (rules.variant(1, number).spec(), rules.spec());
            for row in &spec.contract {
                assert!(row.made.is_sorted(), "{row:?}");
                let same =
                    then.contract.iter().find(|r| (r.kind, r.level) == (row.kind, row.level));
                points += u32::from(same.is_some_and(|same| same.made != row.made));
            }
            let kinds = |spec: &Spec| -> Vec<_> {
                spec.contract.iter().map(|row| (row.kind, row.level)).collect()
            };
            let (now, mut left) = (kinds(spec), kinds(then));
            left.retain(|row| now.contains(row));
            ranks += u32::from(now != left);
            fewer += u32::from(spec.contract.len() < then.contract.len());
            options += u32::from(spec.exchange != then.exchange);
            dealt += u32::from(spec.deal != then.deal);
        }
        // Each is expected in a fifth of the 400 variants or more.
        let counts = [points, ranks, fewer, options, dealt];
        assert!(counts.iter().all(|&n| n > 50), "{counts:?}");
    }
}
