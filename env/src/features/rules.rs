//! Features of the rules, for networks that play under rules that they were not trained for.
//!
//! They describe the points of contracts, their ranks, and the stakes. They are not part of the
//! feature vector: a network with `rule_features` has them as further inputs after it.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::layout::{Block, SuitSymmetry};
use crate::contract::ContractKind;
use crate::observation::Observation;
use crate::rules::{ContractSpec, DealMethod, MAX_CONTRACTS, RuleSet};
use crate::scoring::{score, score_side};
use crate::seat::{BySeat, Seat, SeatSet};

/// Suit has 8 to 13 tricks.
const SUIT_LEVELS: usize = 6;

/// Solo has 6 to 8 tricks.
const SOLO_LEVELS: usize = 3;

/// Abondance has 9 to 12 tricks.
const ABONDANCE_LEVELS: usize = 4;

/// Place of the first contract without levels.
const UNLEVELLED: usize = SUIT_LEVELS + SOLO_LEVELS + ABONDANCE_LEVELS;

/// Number of contracts that rule sets may have. Each kind without levels is one, trou and troel
/// together.
const CONTRACT_PLACES: usize = UNLEVELLED + 9;

/// Number of features per contract in [`RULE_BLOCKS`].
const PER_CONTRACT: usize = 5;

/// Number of features of the stakes of a deal: the length of [`Stakes::features`].
const N_STAKES: usize = 9;

/// Number of options that affect a deal and are not in the feature vector.
const N_RULE_OPTIONS: usize = 4;

/// The layout of the features of rules. Points are given as asinh(points / 10) / 2: 10 as 0.44, 30
/// as 0.91, 100 as 1.50, and 273 or more as 2. Contracts are in the order suit 8 to 13, solo 6 to
/// 8, abondance 9 to 12. Those of one row follow: small misère, misère, open misère, piccolo, trou
/// or troel, small slam, slam, alone, solo slim. A contract that the rules do not have is all
/// zeros.
pub const RULE_BLOCKS: &[Block] = &[
    Block {
        name: "RULE_OPTIONS",
        len: N_RULE_OPTIONS,
        symmetry: SuitSymmetry::NoSuit,
        doc: "misère ends proposals, turn-up always shown, deck gathered, open misère shown after tricks / 13",
    },
    Block {
        name: "CONTRACTS",
        len: PER_CONTRACT * CONTRACT_PLACES,
        symmetry: SuitSymmetry::NoSuit,
        doc: "by contract: rank of its row / 24, and points of a declarer who makes it, with an overtrick more, who fails by one trick, and of \
            a defender then; until there is a contract",
    },
    Block {
        name: "STAKES",
        len: N_STAKES,
        symmetry: SuitSymmetry::NoSuit,
        doc: "points under the contract, or the highest announcement: of a declarer who makes it, with one more trick, with all, who fails by one \
            trick, by two; of a defender in the first case, the fourth, the fifth, and if two declarers of a misère or piccolo fail",
    },
];

/// Version of the features of the rules. It is raised whenever one is added, moves or changes its
/// meaning.
pub const RULE_FEATURE_VERSION: u32 = 1;

/// Number of features of the rules.
pub const N_RULE_FEATURES: usize = N_RULE_OPTIONS + PER_CONTRACT * CONTRACT_PLACES + N_STAKES;

/// Offset of the stakes.
const AT_STAKES: usize = N_RULE_OPTIONS + PER_CONTRACT * CONTRACT_PLACES;

/// The rules at a decision, as input of a network with `rule_features`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RuleView {
    rules: Option<&'static RuleSet>,
    /// Row of the contract or of the highest announcement.
    row: Option<u8>,
    /// Whether there is no contract yet.
    is_auction: bool,
}

impl From<&Observation> for RuleView {
    fn from(obs: &Observation) -> RuleView {
        let public = obs.public();
        let rules = public.rules();
        let row = match public.contract() {
            Some(contract) => Some(contract.row),
            None => public.auction().highest_rank().row(),
        };
        RuleView { rules: Some(rules), row, is_auction: public.contract().is_none() }
    }
}

impl RuleView {
    /// Returns the view at the first call of a deal.
    pub fn at_start(rules: &'static RuleSet) -> RuleView {
        RuleView { rules: Some(rules), row: None, is_auction: true }
    }

    /// Returns the hash of the rule set as a number; 0 without a rule set.
    pub fn hash(&self) -> u64 {
        self.rules.map_or(0, |rules| rules.hash_number)
    }

    /// Returns indices and values of the features that are not zero. Indices are 0 to
    /// `N_RULE_FEATURES - 1`, values −2 to 2.
    pub fn numbers(&self) -> impl Iterator<Item = (usize, f32)> {
        let table = self.rules.map_or(&[][..], RuleSet::feature_table);
        let start = table.iter().take(if self.is_auction { AT_STAKES } else { N_RULE_OPTIONS });
        let row = self.row.and_then(|row| table.get(AT_STAKES + N_STAKES * usize::from(row)..));
        let stakes = row.into_iter().flat_map(|row| row.iter().take(N_STAKES).enumerate());
        let all = start.enumerate().chain(stakes.map(|(i, value)| (AT_STAKES + i, value)));
        all.map(|(i, &value)| (i, value)).filter(|&(_, value)| value != 0.0)
    }
}

impl RuleSet {
    /// Returns the [`rule_table`] of the rule set, computed by the first call.
    fn feature_table(&self) -> &[f32] {
        self.feature_table.get_or_init(|| rule_table(self))
    }
}

/// Returns all features of a rule set. They are options, contracts, and from `AT_STAKES` on the
/// stakes of each row (`N_STAKES` numbers each).
fn rule_table(rules: &RuleSet) -> Box<[f32]> {
    let spec = rules.spec();
    let mut table = vec![
        f32::from(u8::from(spec.misere_ends_proposals)),
        f32::from(u8::from(spec.turn_up_always_shown)),
        f32::from(u8::from(spec.deal == DealMethod::Gather)),
        f32::from(spec.open_misere_shown_after) / 13.0,
    ];
    table.resize(AT_STAKES, 0.0);
    for (number, row) in rules.rows().iter().enumerate() {
        let stakes = Stakes::new(rules, number, row);
        let contract: [f32; PER_CONTRACT] = [
            (number + 1) as f32 / MAX_CONTRACTS as f32,
            stakes.made.declarer,
            stakes.overtrick.declarer,
            stakes.fails_by_one.declarer,
            stakes.fails_by_one.defender,
        ];
        let at = N_RULE_OPTIONS + PER_CONTRACT * place(row);
        table[at..at + PER_CONTRACT].copy_from_slice(&contract);
        table.extend(stakes.features());
    }
    table.into_boxed_slice()
}

/// Returns the place of a contract among those that rule sets may have.
fn place(row: &ContractSpec) -> usize {
    use ContractKind as K;
    let level = usize::from(row.level);
    match row.kind {
        K::Suit => level - 8,
        K::Solo => SUIT_LEVELS + level - 6,
        K::Abondance => SUIT_LEVELS + SOLO_LEVELS + level - 9,
        K::SmallMisere => UNLEVELLED,
        K::Misere => UNLEVELLED + 1,
        K::OpenMisere => UNLEVELLED + 2,
        K::Piccolo => UNLEVELLED + 3,
        K::Trou | K::Troel => UNLEVELLED + 4,
        K::SmallSlam => UNLEVELLED + 5,
        K::Slam => UNLEVELLED + 6,
        K::Alone => UNLEVELLED + 7,
        K::SoloSlim => UNLEVELLED + 8,
    }
}

/// Points of a declarer and of a defender after a deal, scaled as in [`RULE_BLOCKS`].
#[derive(Clone, Copy)]
struct SidePoints {
    declarer: f32,
    defender: f32,
}

impl SidePoints {
    /// Scales the scores of a deal in which North is a declarer and East a defender.
    fn from_scores(scores: &BySeat<i32>) -> SidePoints {
        let scaled = |seat| ((scores[seat] as f32 / 10.0).asinh() / 2.0).clamp(-2.0, 2.0);
        SidePoints { declarer: scaled(Seat::North), defender: scaled(Seat::East) }
    }
}

/// Stakes under a row of the contract table: the points of each outcome.
///
/// In a misère or piccolo `overtrick` and `all_tricks` equal `made`, and `fails_by_two` equals
/// `fails_by_one`.
struct Stakes {
    /// The declarers take the tricks they need, and no more.
    made: SidePoints,
    /// They take one trick more.
    overtrick: SidePoints,
    /// They take all tricks.
    all_tricks: SidePoints,
    /// They miss the contract by one trick.
    fails_by_one: SidePoints,
    /// They miss it by two tricks.
    fails_by_two: SidePoints,
    /// Both declarers of a misère or piccolo miss it. Equal to `fails_by_one` in other contracts.
    both_fail: SidePoints,
}

impl Stakes {
    /// Returns the stakes under row `number` of the contract table, which is `row`.
    fn new(rules: &RuleSet, number: usize, row: &ContractSpec) -> Stakes {
        let alone = SeatSet::single(Seat::North);
        let two = alone | SeatSet::single(Seat::South);
        let contract = |declarers| rules.contract_of_row(number as u8, None, declarers);
        let of_side = contract(if row.kind.is_pair() { two } else { alone });
        let points = |taken: u8| SidePoints::from_scores(&score_side(rules, &of_side, taken));
        let (aim, more, all, less, least) = match row.kind {
            ContractKind::Piccolo => (1, 1, 1, 2, 2),
            kind if kind.is_misere() => (0, 0, 0, 1, 1),
            _ => {
                let (goal, all) = (row.goal(), rules.cards_per_hand());
                (goal, (goal + 1).min(all), all, goal - 1, goal.saturating_sub(2))
            }
        };
        let fails_by_one = points(less);
        let both_fail = if row.kind.is_negative() {
            let tricks = BySeat::from_fn(|seat| if two.has(seat) { less } else { 0 });
            SidePoints::from_scores(&score(rules, &contract(two), &tricks))
        } else {
            fails_by_one
        };
        Stakes {
            made: points(aim),
            overtrick: points(more),
            all_tricks: points(all),
            fails_by_one,
            fails_by_two: points(least),
            both_fail,
        }
    }

    /// Returns the features, in the order that [`RULE_BLOCKS`] documents.
    fn features(&self) -> [f32; N_STAKES] {
        [
            self.made.declarer,
            self.overtrick.declarer,
            self.all_tricks.declarer,
            self.fails_by_one.declarer,
            self.fails_by_two.declarer,
            self.made.defender,
            self.fails_by_one.defender,
            self.fails_by_two.defender,
            self.both_fail.defender,
        ]
    }
}

/// Serialised form of a [`RuleView`]: the hash of the rule set, the row, whether it is an auction.
#[derive(Serialize, Deserialize)]
struct SavedRuleView(Option<u64>, Option<u8>, bool);

impl Serialize for RuleView {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        SavedRuleView(self.rules.map(|_| self.hash()), self.row, self.is_auction).serialize(to)
    }
}

impl<'de> Deserialize<'de> for RuleView {
    /// Reads a view; this process must know its rule set.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<RuleView, D::Error> {
        let SavedRuleView(hash, row, is_auction) = SavedRuleView::deserialize(from)?;
        let find = |hash| {
            let unknown =
                || D::Error::custom("the rule set of a sample is not known to this process");
            RuleSet::from_hash(hash).ok_or_else(unknown)
        };
        Ok(RuleView { rules: hash.map(find).transpose()?, row, is_auction })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deals::Deals;
    use crate::rng::{Purpose, Stream};
    use crate::state::State;

    fn dense(view: &RuleView) -> [f32; N_RULE_FEATURES] {
        let mut dense = [0.0; N_RULE_FEATURES];
        view.numbers().for_each(|(i, value)| dense[i] = value);
        dense
    }

    fn points(scaled: f32) -> i32 {
        ((2.0 * scaled).sinh() * 10.0).round() as i32
    }

    /// Checks figures of the rules (docs/rules), in points: the table of contracts and the stakes.
    #[test]
    fn features_of_rules_are_their_points() {
        let rules = RuleSet::built_in("luxembourg").unwrap();
        let of = |rules: &'static RuleSet, kind: ContractKind, level: u8| {
            let row = rules.row_of(kind, level).unwrap();
            let at = N_RULE_OPTIONS + PER_CONTRACT * place(&rules.rows()[row]);
            let start = RuleView::at_start(rules);
            let played = RuleView { row: Some(row as u8), is_auction: false, ..start };
            assert_eq!(dense(&start)[at], (row + 1) as f32 / MAX_CONTRACTS as f32);
            assert_eq!(dense(&start)[AT_STAKES..], [0.0; N_STAKES]);
            assert_eq!(
                dense(&played)[N_RULE_OPTIONS..AT_STAKES],
                [0.0; AT_STAKES - N_RULE_OPTIONS]
            );
            let table: Vec<i32> =
                dense(&start)[at + 1..at + 5].iter().map(|&t| points(t)).collect();
            let stakes: Vec<i32> = dense(&played)[AT_STAKES..].iter().map(|&t| points(t)).collect();
            (table, stakes)
        };
        let (table, stakes) = of(rules, ContractKind::Suit, 8);
        assert_eq!(table, [7, 10, -10, 10]);
        assert_eq!(stakes, [7, 10, 30, -10, -13, 0, 10, 13, 10]);
        let (table, stakes) = of(rules, ContractKind::SmallMisere, 0);
        assert_eq!(table, [18, 18, -18, 12]);
        assert_eq!(stakes, [18, 18, 18, -18, -18, 0, 12, 12, 18]);
        // Everybody pays everybody: three opponents, and two members of a side from two.
        let iwwa = RuleSet::built_in("iwwa").unwrap();
        assert_eq!(of(iwwa, ContractKind::Misere, 0).1, [21, 21, 21, -21, -21, -7, 7, 7, 14]);
        assert_eq!(of(iwwa, ContractKind::Suit, 8).1, [2, 3, 14, -6, -8, -2, 6, 8, 6]);
    }

    /// Checks that points, ranks and options change the features. Also checks that no two contracts
    /// share a place.
    #[test]
    fn other_rules_have_other_features() {
        let start = |rules| dense(&RuleView::at_start(rules));
        for rules in RuleSet::all_built_in() {
            let change = |change: fn(&mut crate::rules::Spec)| {
                let mut spec = rules.spec().clone();
                change(&mut spec);
                RuleSet::from_spec(spec, "changed").unwrap()
            };
            for other in [
                change(|spec| spec.contract[0].made[0] += 1),
                change(|spec| spec.contract[0].failed += 1),
                change(|spec| spec.contract.swap(1, 2)),
                change(|spec| drop(spec.contract.pop())),
                change(|spec| spec.open_misere_shown_after += 1),
            ] {
                assert_ne!(start(rules), start(other), "{}", rules.id());
            }
        }
    }

    #[test]
    fn every_contract_has_a_place_of_its_own() {
        assert_eq!(RULE_BLOCKS.iter().map(|block| block.len).sum::<usize>(), N_RULE_FEATURES);
        // All that a rule file may have, tried out.
        let mut places = Vec::new();
        for rules in ["luxembourg", "wiezen"].map(|name| RuleSet::built_in(name).unwrap()) {
            for kind in ContractKind::ALL {
                for level in 0..=13 {
                    let row = ContractSpec { kind, level, ..rules.rows()[0].clone() };
                    let contract = vec![ContractSpec { no_trumps: false, made: vec![1], ..row }];
                    let spec = crate::rules::Spec { contract, ..rules.spec().clone() };
                    if let Ok(rules) = RuleSet::from_spec(spec, "one") {
                        places.push((place(&rules.rows()[0]), kind.is_announced(), kind, level));
                        assert!(rule_table(rules).iter().all(|value| value.abs() <= 2.0));
                    }
                }
            }
        }
        places.sort_by_key(|&(place, ..)| place);
        // Some are in both families; trou and troel share a place.
        places.dedup_by(|a, b| (a.2, a.3) == (b.2, b.3) || a.1 && b.1 && a.0 == b.0);
        let found: Vec<usize> = places.iter().map(|&(place, ..)| place).collect();
        assert_eq!(found, (0..CONTRACT_PLACES).collect::<Vec<_>>(), "{places:?}");
    }

    /// Checks along random deals that a view survives writing and reading. Also checks that nothing
    /// is out of range.
    #[test]
    fn views_survive_writing() {
        let mut stream = Stream::new(8, Purpose::Action, 0);
        for rules in RuleSet::all_built_in() {
            for rules in [rules, rules.variant(5, 0)] {
                let mut state = State::new(rules, &Deals::new(rules, 2).shuffled(3, Seat::North));
                while !state.is_done() {
                    let view = RuleView::from(&state.observe(state.turn(), BySeat::default()));
                    let text = serde_json::to_string(&view).unwrap();
                    assert_eq!(serde_json::from_str::<RuleView>(&text).unwrap(), view);
                    assert!(view.numbers().all(|(i, v)| i < N_RULE_FEATURES && v.abs() <= 2.0));
                    assert_eq!(state.contract().is_none(), view.is_auction);
                    let legal = state.legal_actions();
                    state.apply(legal.draw(&mut stream).unwrap()).unwrap();
                }
            }
        }
        let unknown = serde_json::from_str::<RuleView>("[17,null,true]").unwrap_err();
        assert!(unknown.to_string().contains("not known"), "{unknown}");
    }
}
