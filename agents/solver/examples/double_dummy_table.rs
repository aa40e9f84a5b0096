//! The double-dummy table of a bridge deal: tricks of each declarer with each suit as trumps and
//! without.
//!
//! `cargo run --release -p troel-solver --example double_dummy_table -- "N:QJ6.K652.J85.T98 …"`
//! (four hands, spades.hearts.diamonds.clubs, clockwise from the named seat; the default is a
//! built-in deal)

use std::error::Error;

use troel_env::{Seat, SeatSet, Suit, parse_four_hands};
use troel_solver::{Goal, Objective, Position, Solver};

const DEAL: &str = "N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3";

fn main() -> Result<(), Box<dyn Error>> {
    let text = std::env::args().nth(1).unwrap_or_else(|| DEAL.to_string());
    let hands = parse_four_hands(&text)?;
    let mut solver = Solver::default();
    println!("{text}\n    N  E  S  W");
    let strains =
        [None, Some(Suit::Spades), Some(Suit::Hearts), Some(Suit::Diamonds), Some(Suit::Clubs)];
    for trump in strains {
        let mut line = trump.map_or("NT".to_string(), |suit| format!("{} ", suit.letter()));
        for declarer in Seat::ALL {
            let pair = SeatSet::single(declarer) | SeatSet::single(declarer.plus(2));
            let objective = Objective { declarers: pair, trump, goal: Goal::Most };
            // The seat after the declarer leads.
            let position = Position::new(objective, hands, declarer.next())?;
            line += &format!(" {:2}", solver.value(&position));
        }
        println!("{line}");
    }
    Ok(())
}
