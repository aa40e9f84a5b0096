//! The program as users run it: real processes, good and bad input.

mod arguments;
mod bid;
mod first_steps;
mod printing;
mod records;
#[path = "../support/mod.rs"]
mod support;
mod training;

/// A record of a void deal, with a note, as a line of JSON.
const GOOD: &str = r#"{"rules":"wiezen","dealer":"S","deal":"N:J73.Q.KT94.JT986 KQ98.J654.AJ8.Q2 A2.KT987.Q6.K754 T654.A32.7532.A3","turn_up":"KC","actions":["pass","pass","pass","8C","pass"],"note":"kept"}"#;
