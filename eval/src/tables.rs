//! Duplicate tables of two bots in every composition: 1 + 3, 2 + 2 and 3 + 1.
//!
//! One challenger against three copies of the baseline shows whether the challenger invades a table
//! of the baseline. It does not show the results of two against two, or of one baseline against
//! three challengers. Here each deal is played with all 16 ways to seat two bots, `A` and `B`, and
//! points are averaged by composition.
//!
//! If one number per bot described all results, the lead of an A seat would be the same at every
//! mixed table. Where points add up to zero, a seat then gains the difference of strengths from
//! each opponent. The change of that lead between 1 A + 3 B and 3 A + 1 B measures the rest
//! ([`CompositionResults::lead_change`]).

use std::fmt::Write;

use serde::Serialize;
use troel_agents::NamedBot;
use troel_agents::driver::{BotTable, Seating};
use troel_env::{BySeat, Deals, Seat};

use crate::chunks::{chunks, play_chunks, play_seatings};
use crate::compare::{CellMeans, SeedComparison, independent_units, is_seedless, mean_by_unit};
use crate::deal_range::DealRange;
use crate::duplicate::DuplicateConfig;
use crate::error::EvalError;
use crate::forfeits::Forfeits;
use crate::progress::{ChunkProgress, ProgressFn};
use crate::statistics::Estimate;

/// Number of seats of A, and for two seats their arrangement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Composition {
    /// Four B.
    #[serde(rename = "all-second")]
    AllB,
    /// One A against three B.
    #[serde(rename = "one-first")]
    OneA,
    /// Two A opposite each other, two B.
    TwoOpposite,
    /// Two A side by side, two B.
    TwoAdjacent,
    /// Three A and one B.
    #[serde(rename = "three-first")]
    ThreeA,
    /// Four A.
    #[serde(rename = "all-first")]
    AllA,
}

impl Composition {
    /// All compositions, from no A to four.
    pub const ALL: [Composition; 6] = [
        Composition::AllB,
        Composition::OneA,
        Composition::TwoOpposite,
        Composition::TwoAdjacent,
        Composition::ThreeA,
        Composition::AllA,
    ];

    /// Returns the composition of a table at which A has the seats whose bits are set. Seat 0 is
    /// the lowest bit.
    fn of(seats: usize) -> Composition {
        match seats.count_ones() {
            0 => Composition::AllB,
            1 => Composition::OneA,
            2 if seats == 0b0101 || seats == 0b1010 => Composition::TwoOpposite,
            2 => Composition::TwoAdjacent,
            3 => Composition::ThreeA,
            _ => Composition::AllA,
        }
    }

    /// Returns the name on screen.
    pub const fn name(self) -> &'static str {
        ["4 B", "1 A + 3 B", "2 A + 2 B, opposite", "2 A + 2 B, adjacent", "3 A + 1 B", "4 A"]
            [self as usize]
    }
}

/// Ways to seat two bots: a bit for each seat of A.
const SEATINGS: usize = 16;

/// Index of A in [`Points`] and in the seatings.
const A: usize = 0;

/// Index of B in [`Points`] and in the seatings.
const B: usize = 1;

/// Points of A and of B per seat in one deal, by composition; 0 for a bot that has no seat.
type Points = [[f64; 2]; Composition::ALL.len()];

/// Points at the tables of one composition, in points per deal and seat.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CompositionPoints {
    /// The composition.
    pub composition: Composition,
    /// Points of a seat of A, if it has one.
    #[serde(rename = "first")]
    pub a: Option<SeedComparison>,
    /// Points of a seat of B, if it has one.
    #[serde(rename = "second")]
    pub b: Option<SeedComparison>,
    /// Points of a seat of A minus those of a seat of B, if both have one.
    pub lead: Option<SeedComparison>,
}

/// Results of two bots, or of two groups of bots of one recipe each, in every composition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CompositionResults {
    /// By composition, from four B to four A.
    pub compositions: Vec<CompositionPoints>,
    /// Points of one A against three B beyond a seat at a table of four B. The second entry is one
    /// B against three A.
    #[serde(rename = "alone")]
    pub gain_alone: [SeedComparison; 2],
    /// Lead of an A seat at 1 A + 3 B minus its lead at 3 A + 1 B. It is 0 if a single strength
    /// describes both. Above 0, the two bots together score more among copies of the other bot than
    /// among copies of themselves; below 0, less.
    #[serde(rename = "strangers")]
    pub lead_change: SeedComparison,
    /// Deals that A (`challenger`) and B (`baseline`) forfeited.
    pub forfeits: Forfeits,
}

impl CompositionResults {
    /// Formats the tables of these two bots, or groups of bots, as text.
    pub fn table(&self, [first, second]: [&[NamedBot]; 2]) -> String {
        let names =
            |bots: &[NamedBot]| bots.iter().map(NamedBot::name).collect::<Vec<_>>().join(", ");
        let mut out = format!("\nA: {}\nB: {}\n", names(first), names(second));
        let _ = writeln!(
            out,
            "{:<20}  {:>15}  {:>15}  {:>15}",
            "table", "an A seat", "a B seat", "lead of A"
        );
        for at in self.compositions.iter().rev() {
            let cell = |of: &Option<SeedComparison>| of.as_ref().map(cell).unwrap_or_default();
            let row = format!(
                "{:<20}  {:>15}  {:>15}  {:>15}",
                at.composition.name(),
                cell(&at.a),
                cell(&at.b),
                cell(&at.lead)
            );
            let _ = writeln!(out, "{}", row.trim_end());
        }
        let [a, b] = &self.gain_alone;
        let _ = writeln!(out, "one A among three B gains  {:>15}", cell(a));
        let _ = writeln!(out, "one B among three A gains  {:>15}", cell(b));
        let verdict = match estimate(&self.lead_change).interval() {
            change if change.low > 0.0 => "each does better as the stranger",
            change if change.high < 0.0 => "each does worse as the stranger",
            _ => "not significant",
        };
        let _ = writeln!(
            out,
            "lead of A changes by       {:>15}  from 3 A + 1 B to 1 A + 3 B: {verdict}",
            cell(&self.lead_change)
        );
        let (seeds, seedless) = (self.lead_change.seeds, self.lead_change.seedless);
        let _ = match (seeds, self.lead_change.half_width) {
            _ if seedless == [true; 2] => writeln!(out, "95 % over deals"),
            ([1, 1], _) => writeln!(out, "95 % over deals; these bots, not their recipes"),
            (_, None) => writeln!(
                out,
                "95 % over deals only: with one training seed on a side, no result about the \
                 recipes"
            ),
            _ => {
                let side = |nth| self.lead_change.side(nth);
                writeln!(out, "95 % over deals and training seeds: {} against {}", side(0), side(1))
            }
        };
        let forfeits = self.forfeits;
        for (bots, lost) in [(first, forfeits.challenger), (second, forfeits.baseline)] {
            if lost > 0 {
                let _ = writeln!(out, "{} forfeited {lost} deals", names(bots));
            }
        }
        out
    }
}

/// Returns the mean with its interval: over seeds and deals if there are enough seeds, else deals.
fn estimate(found: &SeedComparison) -> Estimate {
    if found.half_width.is_some() { found.estimate() } else { found.estimate_over_deals() }
}

fn cell(found: &SeedComparison) -> String {
    estimate(found).text(2)
}

/// Plays every bot A of a group with every bot B of another in all compositions, on the same deals.
///
/// Intervals of one pair are over deals (series of deals where the deck is never shuffled).
/// Intervals of groups are also over training seeds ([`SeedComparison`]). `progress` counts every
/// deal once for each pair of bots. The scope and lineup are ignored.
///
/// # Errors
/// A bot failed.
///
/// # Panics
/// A group is empty, or the range of deals holds fewer than two independent units
/// ([`independent_units`]).
pub fn play_compositions(
    config: &DuplicateConfig,
    group_a: &[NamedBot],
    group_b: &[NamedBot],
    progress: ProgressFn<'_>,
) -> Result<CompositionResults, EvalError> {
    assert!(!group_a.is_empty() && !group_b.is_empty(), "a group without bots");
    assert!(independent_units(config) > 1, "fewer than two independent units");
    let pairs = PairPoints::play(config, group_a, group_b, progress)?;
    Ok(CompositionResults {
        compositions: Composition::ALL.map(|composition| pairs.points_at(composition)).into(),
        gain_alone: [
            pairs.gain_alone(A, Composition::OneA, Composition::AllB),
            pairs.gain_alone(B, Composition::ThreeA, Composition::AllA),
        ],
        lead_change: pairs.lead_change(),
        forfeits: pairs.forfeits,
    })
}

/// Points of every pair of bots in all compositions.
struct PairPoints<'a> {
    config: &'a DuplicateConfig,
    /// Whether the bots of each group have no training seed.
    seedless: [bool; 2],
    /// The indices are `[bot of group A][bot of group B][deal]`.
    points: Vec<Vec<Vec<Points>>>,
    forfeits: Forfeits,
}

impl<'a> PairPoints<'a> {
    /// Plays every pair of bots of the two groups.
    fn play(
        config: &'a DuplicateConfig,
        group_a: &[NamedBot],
        group_b: &[NamedBot],
        progress: ProgressFn<'_>,
    ) -> Result<PairPoints<'a>, EvalError> {
        let mut points = Vec::new();
        let mut forfeits = Forfeits::default();
        for a in group_a {
            let mut row = Vec::new();
            for b in group_b {
                let (by_deal, lost) = play_pair(config, [a, b], progress)?;
                forfeits += lost;
                row.push(by_deal);
            }
            points.push(row);
        }
        let seedless = [group_a, group_b].map(is_seedless);
        Ok(PairPoints { config, seedless, points, forfeits })
    }

    /// Returns the points at the tables of one composition.
    fn points_at(&self, composition: Composition) -> CompositionPoints {
        let of_seat = |side: usize| self.mean(|points| points[composition as usize][side]);
        let has_a = composition != Composition::AllB;
        let has_b = composition != Composition::AllA;
        CompositionPoints {
            composition,
            a: has_a.then(|| of_seat(A)),
            b: has_b.then(|| of_seat(B)),
            lead: (has_a && has_b).then(|| self.mean(|points| lead(points, composition))),
        }
    }

    /// Returns the points of a bot at `alone`, beyond those of a seat at a table of four opponents.
    ///
    /// `alone` is the composition in which the bot has one seat.
    fn gain_alone(
        &self,
        side: usize,
        alone: Composition,
        opponents: Composition,
    ) -> SeedComparison {
        self.mean(|points| points[alone as usize][side] - points[opponents as usize][1 - side])
    }

    /// Returns the lead of A at 1 A + 3 B minus its lead at 3 A + 1 B.
    fn lead_change(&self) -> SeedComparison {
        self.mean(|points| lead(points, Composition::OneA) - lead(points, Composition::ThreeA))
    }

    /// Returns the mean over all pairs and deals of `value`, computed from the points of one deal.
    fn mean(&self, value: impl Fn(&Points) -> f64 + Copy) -> SeedComparison {
        let by_unit = |deals: &Vec<Points>| {
            let values: Vec<f64> = deals.iter().map(value).collect();
            mean_by_unit(self.config, &values)
        };
        let values: CellMeans =
            self.points.iter().map(|row| row.iter().map(by_unit).collect()).collect();
        SeedComparison::new(&values, self.config.deals.len(), self.seedless)
    }
}

/// Returns the points of a seat of A minus those of a seat of B at the tables of one composition.
fn lead(points: &Points, composition: Composition) -> f64 {
    let of_seat = points[composition as usize];
    of_seat[A] - of_seat[B]
}

/// Returns the points of two bots deal by deal, and their forfeits.
fn play_pair(
    config: &DuplicateConfig,
    bots: [&NamedBot; 2],
    progress: ProgressFn<'_>,
) -> Result<(Vec<Points>, Forfeits), EvalError> {
    let parts =
        play_chunks(&chunks(config.deals), |range| play_chunk(config, range, bots, progress))?;
    let (mut points, mut forfeits) = (Vec::new(), Forfeits::default());
    for (more, lost) in parts {
        points.extend(more);
        forfeits += lost;
    }
    Ok((points, forfeits))
}

fn play_chunk(
    config: &DuplicateConfig,
    range: DealRange,
    bots: [&NamedBot; 2],
    progress: ProgressFn<'_>,
) -> Result<(Vec<Points>, Forfeits), EvalError> {
    let deals = Deals::for_evaluation(config.rules, config.seed).with_scenario(config.scenario);
    let seatings: [Seating; SEATINGS] =
        std::array::from_fn(|seats| Seating::full(BySeat::from_fn(|seat| side(seats, seat))));
    let mut progress = ChunkProgress::new(progress, range.len());
    let (tables, forfeits) =
        play_seatings(&deals, range, &seatings, bots, config.seed, &mut progress)?;
    progress.reach(1.0);
    Ok((tables.chunks(SEATINGS).map(points_of).collect(), forfeits.into()))
}

/// Returns [`A`] if the seat is A's, [`B`] if it is B's.
fn side(seats: usize, seat: Seat) -> usize {
    1 - (seats >> seat.index() & 1)
}

/// Returns the mean points per seat of the tables of one deal, in the order of the seatings.
fn points_of(tables: &[BotTable]) -> Points {
    let (mut points, mut counts) = (Points::default(), [[0.0_f64; 2]; Composition::ALL.len()]);
    for (seats, table) in tables.iter().enumerate() {
        let scores = table.session.state().scores().expect("a finished deal");
        let composition = Composition::of(seats) as usize;
        for seat in Seat::ALL {
            let side = side(seats, seat);
            points[composition][side] += f64::from(scores[seat]);
            counts[composition][side] += 1.0;
        }
    }
    for (points, counts) in points.iter_mut().flatten().zip(counts.iter().flatten()) {
        *points /= counts.max(1.0);
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_seatings_have_the_six_compositions() {
        let count = |c: Composition| (0..SEATINGS).filter(|&s| Composition::of(s) == c).count();
        assert_eq!(Composition::ALL.map(count), [1, 4, 2, 4, 4, 1]);
        assert_eq!(side(0b0100, Seat::South), 0);
        assert_eq!(side(0b0100, Seat::East), 1);
    }
}
