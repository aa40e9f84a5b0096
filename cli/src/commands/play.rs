//! `troel play`: a person at the terminal against three bots.

use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;

use anyhow::Context;
use clap::ValueEnum;
use troel_agents::Entry;
use troel_env::rules::DealMethod;
use troel_env::{
    Action, ActionSet, Card, CardSet, ContractKind, N_ACTIONS, Observation, Seat, State, Suit,
};
use troel_protocol::{Opening, Table};

use crate::{commands, output};

/// Play against three bots at the terminal
///
/// Type the code of a call or a card, such as 8H, solo-6S, misere, QD or 10♥; ? lists what is legal, h shows what the
/// bot would do, u takes back, l shows the last trick, p shows the points, q ends the game. Set NO_COLOR to turn
/// colours off.
///
/// Example: troel play --rules wiezen --bot wiezen-v3 --seat S
#[derive(clap::Args)]
pub struct Args {
    /// Rule set, or path of a rule file
    #[arg(long, default_value = "luxembourg")]
    rules: String,
    /// Bot at the other three seats
    #[arg(long, default_value = "rules")]
    bot: String,
    /// Your seat
    #[arg(long, value_enum, default_value = "s", ignore_case = true)]
    seat: SeatArg,
    /// Seed of the cards (default: from the clock)
    #[arg(long)]
    seed: Option<u64>,
    /// Largest number of deals, if the match does not end before; 0 is no limit
    #[arg(long, default_value_t = 0)]
    deals: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum SeatArg {
    N,
    E,
    S,
    W,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let rules = commands::rules(&args.rules)?;
    let entry = Entry::find(&args.bot, rules)?;
    let seed = args.seed.unwrap_or_else(clock);
    let person = Seat::from_index(args.seat as usize);
    let opening = Opening { rules, bot: entry.seat(seed), seed };
    say(format_args!("{} · you are {} · seed {seed}", rules.spec().description, person.letter()))?;
    let mut terminal = Terminal {
        person,
        table: Table::new(opening, person),
        colour: std::env::var_os("NO_COLOR").is_none() && std::io::stdout().is_terminal(),
        input: Box::new(std::io::stdin().lock()),
    };
    terminal.play(args.deals)?;
    Ok(ExitCode::SUCCESS)
}

fn clock() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(1, |d| d.as_secs())
}

struct Terminal {
    person: Seat,
    table: Table,
    colour: bool,
    input: Box<dyn BufRead>,
}

/// Prints a line; a closed output is an error, not a panic.
fn say(text: std::fmt::Arguments<'_>) -> anyhow::Result<()> {
    output::line(&text.to_string())
}

impl Terminal {
    /// Plays to the end of the match, or at most `limit` deals if that is not 0.
    fn play(&mut self, limit: u64) -> anyhow::Result<()> {
        for n in 1.. {
            if !self.deal()? {
                break;
            }
            if n == limit || self.table.is_over() {
                return Ok(());
            }
            self.table.next_deal()?;
        }
        self.show_totals()
    }

    /// Plays a deal to its end; returns false if the person quits.
    fn deal(&mut self) -> anyhow::Result<bool> {
        self.show_start()?;
        loop {
            let before = self.table.view();
            if before.state().is_done() {
                self.show_end()?;
                return Ok(true);
            }
            if self.table.is_bots_turn() {
                self.table.let_bot_act()?;
            } else if !self.ask()? {
                return Ok(false);
            }
            self.show_progress(before.state(), &self.table.view())?;
        }
    }

    /// Asks until the person has acted or taken something back; returns false if the person quits.
    fn ask(&mut self) -> anyhow::Result<bool> {
        let view = self.table.view();
        let legal = view.legal_actions();
        say(format_args!("  your hand  {}", self.hand(view.hand())))?;
        if legal.len() <= 13 {
            say(format_args!("  you may    {}", self.list(legal)))?;
        }
        let phase = view.state().phase();
        loop {
            output::write(format!("  {}> ", phase.name()).as_bytes())?;
            let mut line = String::new();
            if self.input.read_line(&mut line).context("standard input")? == 0 {
                say(format_args!(""))?;
                return Ok(false);
            }
            match line.trim() {
                "" => {}
                "q" | "quit" => return Ok(false),
                "?" | "help" => {
                    say(format_args!("  {}", self.list(legal)))?;
                    say(format_args!("  h hint · u take back · l last trick · p points · q quit"))?;
                }
                "h" | "hint" => self.hint()?,
                "l" | "last" => {
                    say(format_args!("  last trick {}", self.trick(self.table.last_trick())))?;
                }
                "p" | "points" => self.show_totals()?,
                "u" | "undo" => match self.table.undo() {
                    Ok(()) => return self.show_back().map(|()| true),
                    Err(reason) => say(format_args!("  {reason}"))?,
                },
                word => match read(word, legal.into_iter()) {
                    Some(action) => {
                        let done = self.table.act(&action.to_string());
                        return Ok(done.map(|()| true)?);
                    }
                    None => {
                        let known = read(word, (0..N_ACTIONS).filter_map(Action::from_index));
                        let fault = match known {
                            Some(_) => "is not allowed here",
                            None => "is neither a call nor a card",
                        };
                        say(format_args!("  {word:?} {fault}; ? lists what is allowed"))?;
                    }
                },
            }
        }
    }

    /// Shows the bot's likeliest actions, and the points that it expects of the deal.
    fn hint(&mut self) -> anyhow::Result<()> {
        let decision = match self.table.hint() {
            Ok(decision) => decision,
            Err(reason) => return say(format_args!("  {reason}")),
        };
        let likely =
            decision.policy.iter().enumerate().filter(|(i, (_, p))| *i == 0 || *p >= 0.005);
        for (_, (action, p)) in likely.take(5) {
            say(format_args!("  {:>3.0} %  {}", 100.0 * p, self.action(*action)))?;
        }
        match decision.value {
            Some(value) => say(format_args!("  expects {value:+.1} points")),
            None => Ok(()),
        }
    }

    fn show_start(&self) -> anyhow::Result<()> {
        let view = self.table.view();
        let state = view.state();
        let gathered = state.rules().spec().deal == DealMethod::Gather;
        let shuffled = if gathered { " (never shuffled)" } else { "" };
        say(format_args!("\n{} deals{shuffled}.", state.dealer().letter()))?;
        if let Some(seat) = state.auction().announcer() {
            let name = state.rules().announced().map_or("", ContractKind::name);
            say(format_args!("  {} announces {name}", seat.letter()))?;
        }
        if let Some(card) = view.turn_up() {
            say(format_args!("  turn-up    {}", self.card(card)))?;
        }
        Ok(())
    }

    /// Shows the cards on the table after something was taken back.
    fn show_back(&self) -> anyhow::Result<()> {
        let view = self.table.view();
        let trick: Vec<_> = view.state().trick().cards().collect();
        say(format_args!("  — taken back; on the table: {}", self.trick(&trick)))
    }

    fn show_progress(&self, before: &State, view: &Observation) -> anyhow::Result<()> {
        let after = view.state();
        // After taking back there is nothing new in the history.
        for (seat, action) in after.history().iter().skip(before.history().len()) {
            let what = action.map_or("lays a card aside".to_string(), |a| self.action(a));
            say(format_args!("  {}  {what}", seat.letter()))?;
        }
        if before.contract().is_none()
            && let Some(contract) = after.contract()
        {
            let who: String = contract.declarers.iter().map(Seat::letter).collect();
            let level =
                if contract.level > 0 { format!(" {}", contract.level) } else { String::new() };
            let trump = contract.trump.map(|t| format!(", trumps {}", self.suit(t)));
            say(format_args!(
                "  — {}{level} by {who}{}",
                contract.kind.name(),
                trump.unwrap_or_default()
            ))?;
        }
        let winner = Seat::ALL.into_iter().find(|&s| after.tricks()[s] > before.tricks()[s]);
        let Some(winner) = winner else { return Ok(()) };
        let tricks: Vec<String> =
            Seat::ALL.iter().map(|&s| format!("{} {}", s.letter(), after.tricks()[s])).collect();
        say(format_args!("  — trick to {} ({})", winner.letter(), tricks.join(", ")))?;
        for seat in Seat::ALL {
            if seat != self.person && view.known(seat).len() > 1 {
                say(format_args!("  {} shows    {}", seat.letter(), self.hand(view.known(seat))))?;
            }
        }
        Ok(())
    }

    fn show_end(&self) -> anyhow::Result<()> {
        let scores = self.table.scores().unwrap_or_default();
        if self.table.view().state().is_passed_out() {
            say(format_args!("  — everybody passed"))?;
        }
        let line: Vec<String> =
            Seat::ALL.iter().map(|&s| format!("{} {:+}", s.letter(), scores[s])).collect();
        say(format_args!("  points     {}", line.join("  ")))?;
        self.show_totals()
    }

    fn show_totals(&self) -> anyhow::Result<()> {
        let totals = self.table.totals();
        let line: Vec<String> =
            Seat::ALL.iter().map(|&s| format!("{} {}", s.letter(), totals[s])).collect();
        say(format_args!("  in all     {}", line.join("  ")))
    }

    fn trick(&self, cards: &[(Seat, Card)]) -> String {
        let cards = cards.iter().map(|&(s, card)| format!("{} {}", s.letter(), self.card(card)));
        let shown = cards.collect::<Vec<_>>().join("   ");
        if shown.is_empty() { "–".to_string() } else { shown }
    }

    fn action(&self, action: Action) -> String {
        action.as_card().map_or_else(|| action.to_string(), |card| self.card(card))
    }

    fn list(&self, legal: ActionSet) -> String {
        legal.into_iter().map(|a| self.action(a)).collect::<Vec<_>>().join(" ")
    }

    fn hand(&self, hand: CardSet) -> String {
        let suits = [Suit::Spades, Suit::Hearts, Suit::Clubs, Suit::Diamonds];
        let groups = suits.map(|suit| {
            let mut cards: Vec<Card> = hand.of(suit).collect();
            cards.reverse();
            cards.iter().map(|&c| self.card(c)).collect::<Vec<_>>().join(" ")
        });
        groups.iter().filter(|g| !g.is_empty()).cloned().collect::<Vec<_>>().join("   ")
    }

    fn card(&self, card: Card) -> String {
        let code = card.to_string();
        self.paint(card.suit(), &code.replace(card.suit().letter(), sign(card.suit())))
    }

    fn suit(&self, suit: Suit) -> String {
        self.paint(suit, sign(suit))
    }

    fn paint(&self, suit: Suit, text: &str) -> String {
        let code = match suit {
            _ if !self.colour => return text.to_string(),
            Suit::Hearts => 31,
            Suit::Diamonds => 33,
            Suit::Clubs => 32,
            Suit::Spades => 34,
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// The one of these actions that was typed: a code in any case, suits as letters or symbols, `10` or `T`.
fn read(word: &str, actions: impl Iterator<Item = Action>) -> Option<Action> {
    let mut code = word.to_string();
    for suit in [Suit::Spades, Suit::Clubs, Suit::Diamonds, Suit::Hearts] {
        code = code.replace(sign(suit), &suit.letter().to_string());
    }
    // `10H` is the code of a call, and the card `TH` otherwise; an exact match comes first.
    let card = code.replacen("10", "T", 1);
    let codes = actions.map(|action| (action, action.to_string()));
    codes
        .filter(|(_, known)| [&code, &card].iter().any(|code| known.eq_ignore_ascii_case(code)))
        .max_by_key(|(_, known)| known.eq_ignore_ascii_case(&code))
        .map(|(action, _)| action)
}

const fn sign(suit: Suit) -> &'static str {
    ["♠", "♣", "♦", "♥"][suit.index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_type_is_understood() {
        let all = || (0..N_ACTIONS).filter_map(Action::from_index);
        let cards = || all().filter(|a| a.as_card().is_some());
        let read = |word: &str, cards_only: bool| {
            let action = if cards_only { read(word, cards()) } else { read(word, all()) };
            action.map(|a| (a.to_string(), a.as_card().is_some()))
        };
        for word in ["10♥", "t♥", "TH", "10h"] {
            assert_eq!(read(word, true), Some(("TH".to_string(), true)), "{word}");
        }
        assert_eq!(read("10h", false), Some(("10H".to_string(), false)));
        assert_eq!(read("Abondance-10♣", false), Some(("abondance-10C".to_string(), false)));
        assert_eq!(read("Small-slam-nt", false), Some(("small-slam-NT".to_string(), false)));
        assert_eq!(read("11♥", true), None);
        assert_eq!(read("", false), None);
    }
}
