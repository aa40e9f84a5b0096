//! Fit of the expert's model: double-dummy tricks of random deals as lines in the estimate of a
//! hand.
//!
//! `cargo run --release -p troel-agents --example calibrate -- 1000` (hands of each kind; a minute
//! or more)

use troel_env::hand::trick_estimate;
use troel_env::{Deal, Deals, RuleSet, Seat, SeatSet, Suit};
use troel_solver::{Goal, Objective, Position, PositionError, Solver};

/// Sums of a least-squares fit of `y` to three regressors, the first of them 1.
#[derive(Default)]
struct Fit {
    sums: [[f64; 4]; 3],
    squares: f64,
    n: f64,
}

impl Fit {
    fn add(&mut self, x: [f64; 3], y: f64) {
        for (row, &a) in self.sums.iter_mut().zip(&x) {
            for (sum, &b) in row.iter_mut().zip(x.iter().chain([&y])) {
                *sum += a * b;
            }
        }
        self.squares += y * y;
        self.n += 1.0;
    }

    /// Returns the coefficients and the standard deviation of the residuals.
    fn solve(&self) -> ([f64; 3], f64) {
        let mut a = self.sums;
        for i in 0..3 {
            let pivot = a[i][i];
            a[i].iter_mut().for_each(|v| *v /= pivot);
            let row = a[i];
            for (_, other) in a.iter_mut().enumerate().filter(|(j, _)| *j != i) {
                let factor = other[i];
                other.iter_mut().zip(row).for_each(|(v, r)| *v -= factor * r);
            }
        }
        let fit = [a[0][3], a[1][3], a[2][3]];
        let explained: f64 = fit.iter().zip(&self.sums).map(|(c, row)| c * row[3]).sum();
        (fit, ((self.squares - explained) / self.n).max(0.0).sqrt())
    }

    fn print(&self, name: &str, trumps: u8) {
        let ([base, slope, trump], spread) = self.solve();
        println!(
            "{name:<22} {:>5.0} hands: {base:+.2} {slope:+.2} × estimate {trump:+.2} × (trumps − {trumps}), \
             give or take {spread:.2}",
            self.n
        );
    }
}

fn estimate(deal: &Deal, seat: Seat, suit: Suit) -> f64 {
    f64::from(trick_estimate(deal.hands[seat], Some(suit)))
}

fn trumps(deal: &Deal, seat: Seat, suit: Suit) -> f64 {
    f64::from(deal.hands[seat].of(suit).len())
}

fn main() -> Result<(), PositionError> {
    let wanted: f64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(500.0);
    let Some(rules) = RuleSet::built_in("luxembourg") else { return Ok(()) };
    let deals = Deals::new(rules, 99);
    let mut solver = Solver::default();
    let [mut alone, mut leading, mut proposer, mut partner] = [(); 4].map(|()| Fit::default());
    for n in 0.. {
        if alone.n >= wanted && proposer.n >= wanted {
            break;
        }
        let deal = deals.shuffled(n, Seat::North);
        let seat = Seat::from_index_wrapping(n as usize);
        let best =
            |a: &Suit, b: &Suit| estimate(&deal, seat, *a).total_cmp(&estimate(&deal, seat, *b));
        let Some(suit) = Suit::ALL.into_iter().max_by(best) else { continue };
        let (own, length) = (estimate(&deal, seat, suit), trumps(&deal, seat, suit));
        let mut tricks = |declarers, leader| -> Result<f64, PositionError> {
            let objective = Objective { declarers, trump: Some(suit), goal: Goal::Most };
            Ok(f64::from(solver.value(&Position::new(objective, deal.hands, leader)?)))
        };
        if own >= 4.5 && alone.n < wanted {
            let lone = SeatSet::single(seat);
            let other = seat.plus(1 + n as usize / 4 % 3);
            alone.add([1.0, own, length - 5.0], tricks(lone, other)?);
            leading.add([1.0, own, length - 5.0], tricks(lone, seat)?);
        }
        // The likeliest partner is the other seat with the best hand.
        let support =
            |a: &Seat, b: &Seat| estimate(&deal, *a, suit).total_cmp(&estimate(&deal, *b, suit));
        let Some(mate) = (1..4).map(|step| seat.plus(step)).max_by(support) else { continue };
        let theirs = estimate(&deal, mate, suit);
        if own >= 3.5 && length >= 4.0 && theirs >= 2.5 && proposer.n < wanted {
            let pair = SeatSet::single(seat) | SeatSet::single(mate);
            let taken = tricks(pair, Seat::from_index_wrapping(n as usize / 4))?;
            proposer.add([1.0, own, length - 4.0], taken);
            partner.add([1.0, theirs, trumps(&deal, mate, suit) - 3.0], taken);
        }
    }
    alone.print("alone", 5);
    leading.print("alone, leading", 5);
    proposer.print("pair, by the proposer", 4);
    partner.print("pair, by the partner", 3);
    Ok(())
}
