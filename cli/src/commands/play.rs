//! `troel play`: a person at the terminal against three bots.

use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;

use anyhow::Context;
use clap::ValueEnum;
use troel_agents::{Agent, Entry};
use troel_env::rules::DealMethod;
use troel_env::{
    Action, ActionSet, BySeat, Card, CardSet, Deal, Deals, Observation, Phase, RuleSet, Seat,
    State, Suit,
};

use crate::{commands, output};

/// Play against three bots at the terminal
///
/// Type the code of a call or a card, such as 8H, solo-6S, misere or QD; ? lists what is legal, h says what the bot
/// would do, q ends the game. Colours follow NO_COLOR.
///
/// Example: troel play --rules wiezen --bot wiezen-v1 --seat S
#[derive(clap::Args)]
pub struct Args {
    /// Rule set, or path of a rule file
    #[arg(long, default_value = "luxembourg")]
    rules: String,
    /// Who sits at the other three seats
    #[arg(long, default_value = "rules")]
    bot: String,
    /// Your seat
    #[arg(long, value_enum, default_value = "s", ignore_case = true)]
    seat: SeatArg,
    /// Seed of the cards (default: from the clock)
    #[arg(long)]
    seed: Option<u64>,
    /// Number of deals; 0 plays to the end of the match, or until you quit
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
    let mut game = Game {
        rules,
        person: Seat::from_index(args.seat as usize),
        bot: entry.seat(seed),
        totals: BySeat::default(),
        colour: std::env::var_os("NO_COLOR").is_none() && std::io::stdout().is_terminal(),
        input: Box::new(std::io::stdin().lock()),
    };
    let deals = Deals::new(rules, seed);
    say(format_args!(
        "{} · you are {} · seed {seed}",
        rules.spec().description,
        game.person.letter()
    ))?;
    game.play(&deals, args.deals)?;
    Ok(ExitCode::SUCCESS)
}

fn clock() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(1, |d| d.as_secs())
}

struct Game {
    rules: &'static RuleSet,
    person: Seat,
    bot: Box<dyn Agent>,
    totals: BySeat<i32>,
    colour: bool,
    input: Box<dyn BufRead>,
}

/// What the person typed.
enum Answer {
    Action(Action),
    /// Nothing that can be done; ask again.
    Again,
    Quit,
}

/// Prints a line; a closed output is an error, not a panic.
fn say(text: std::fmt::Arguments<'_>) -> anyhow::Result<()> {
    output::line(&text.to_string())
}

impl Game {
    fn play(&mut self, deals: &Deals, limit: u64) -> anyhow::Result<()> {
        let mut deal = deals.shuffled(0, deals.first_dealer(0));
        let target = self.rules.spec().match_target;
        for n in 1.. {
            let Some(end) = self.deal(&deal)? else { break };
            let won = target > 0 && self.totals.iter().any(|&t| t >= target);
            if n == limit || limit == 0 && won {
                break;
            }
            let moves = !end.is_void() || self.rules.spec().void_moves_dealer;
            let dealer = end.dealer().plus(usize::from(moves));
            deal = deals.after(n, dealer, &end);
        }
        self.show_totals()
    }

    /// Plays a deal; `None` if the person quits.
    fn deal(&mut self, deal: &Deal) -> anyhow::Result<Option<State>> {
        let mut state = State::new(self.rules, deal);
        let gathered = self.rules.spec().deal == DealMethod::Gather;
        say(format_args!(
            "\n{} deals{}.",
            deal.dealer.letter(),
            if gathered { " (never shuffled)" } else { "" }
        ))?;
        self.show_start(&state)?;
        while !state.is_done() {
            let seat = state.turn();
            let observation = state.observe(seat, self.totals);
            let action = if seat == self.person {
                match self.ask(&observation)? {
                    Some(action) => action,
                    None => return Ok(None),
                }
            } else {
                let mut action = [Action::PASS];
                self.bot.act(&[observation], &mut action);
                action[0]
            };
            let before = state;
            state.apply(action)?;
            self.show_action(&before, seat, action)?;
            self.show_progress(&before, &state)?;
        }
        self.show_end(&state)?;
        Ok(Some(state))
    }

    fn ask(&mut self, observation: &Observation) -> anyhow::Result<Option<Action>> {
        let legal = observation.legal_actions();
        say(format_args!("  your hand  {}", self.hand(observation.hand())))?;
        if legal.len() <= 13 {
            say(format_args!("  you may    {}", self.list(legal)))?;
        }
        loop {
            output::write(format!("  {}> ", observation.state().phase().name()).as_bytes())?;
            let mut line = String::new();
            if self.input.read_line(&mut line).context("standard input")? == 0 {
                say(format_args!(""))?;
                return Ok(None);
            }
            let word = line.trim();
            if matches!(word, "h" | "hint") {
                self.hint(observation)?;
                continue;
            }
            match self.read(word, observation, legal)? {
                Answer::Action(action) => return Ok(Some(action)),
                Answer::Quit => return Ok(None),
                Answer::Again => {}
            }
        }
    }

    /// Shows the likeliest actions of the bot, and what it expects of the deal.
    fn hint(&mut self, observation: &Observation) -> anyhow::Result<()> {
        let mut thought = self.bot.think(observation);
        thought.policy.sort_by(|a, b| b.1.total_cmp(&a.1));
        for (action, p) in thought.policy.iter().take(5) {
            let what = action.as_card().map_or(action.to_string(), |card| self.card(card));
            say(format_args!("  {:>3.0} %  {what}", 100.0 * p))?;
        }
        match thought.value {
            Some(value) => say(format_args!("  expects {value:+.1} points")),
            None => Ok(()),
        }
    }

    fn read(
        &self,
        word: &str,
        observation: &Observation,
        legal: ActionSet,
    ) -> anyhow::Result<Answer> {
        match word {
            "" => return Ok(Answer::Again),
            "q" | "quit" => return Ok(Answer::Quit),
            "?" | "help" => {
                say(format_args!("  {}", self.list(legal)))?;
                return Ok(Answer::Again);
            }
            _ => {}
        }
        let phase = observation.state().phase();
        let action = Action::parse(word, phase)
            .or_else(|| Action::parse(&word.to_uppercase(), phase))
            .or_else(|| Action::parse(&word.to_lowercase(), phase));
        match action {
            Some(action) if legal.has(action) => return Ok(Answer::Action(action)),
            Some(action) => {
                say(format_args!("  {action} is not allowed here; ? lists what is"))?;
            }
            None => {
                say(format_args!(
                    "  {word:?} is neither a call nor a card; ? lists what is allowed"
                ))?;
            }
        }
        Ok(Answer::Again)
    }

    fn show_start(&self, state: &State) -> anyhow::Result<()> {
        let view = state.observe(self.person, self.totals);
        if let Some(seat) = state.auction().announcer() {
            say(format_args!("  {} announces {}", seat.letter(), forced_name(self.rules)))?;
        }
        if let Some(card) = view.turn_up() {
            say(format_args!("  turn-up    {}", self.card(card)))?;
        }
        Ok(())
    }

    fn show_action(&self, before: &State, seat: Seat, action: Action) -> anyhow::Result<()> {
        let hidden = before.phase() == Phase::Discard && seat != self.person;
        let what = match action.as_card() {
            _ if hidden => "lays a card aside".to_string(),
            Some(card) => self.card(card),
            None => action.to_string(),
        };
        say(format_args!("  {}  {what}", seat.letter()))?;
        Ok(())
    }

    fn show_progress(&self, before: &State, after: &State) -> anyhow::Result<()> {
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
        let taken = |s: &State| s.tricks().iter().sum::<u8>();
        if taken(after) > taken(before) {
            let winner = Seat::ALL.into_iter().find(|&s| after.tricks()[s] > before.tricks()[s]);
            let tricks: Vec<String> = Seat::ALL
                .iter()
                .map(|&s| format!("{} {}", s.letter(), after.tricks()[s]))
                .collect();
            let winner = winner.map_or('?', Seat::letter);
            say(format_args!("  — trick to {winner} ({})", tricks.join(", ")))?;
            let view = after.observe(self.person, self.totals);
            for seat in Seat::ALL {
                if seat != self.person && view.known(seat).len() > 1 {
                    say(format_args!(
                        "  {} shows    {}",
                        seat.letter(),
                        self.hand(view.known(seat))
                    ))?;
                }
            }
        }
        Ok(())
    }

    fn show_end(&mut self, state: &State) -> anyhow::Result<()> {
        let scores = state.scores().unwrap_or_default();
        if state.is_void() {
            say(format_args!("  — everybody passed"))?;
        }
        for seat in Seat::ALL {
            self.totals[seat] += scores[seat];
        }
        let line: Vec<String> =
            Seat::ALL.iter().map(|&s| format!("{} {:+}", s.letter(), scores[s])).collect();
        say(format_args!("  points     {}", line.join("  ")))?;
        self.show_totals()
    }

    fn show_totals(&self) -> anyhow::Result<()> {
        let line: Vec<String> =
            Seat::ALL.iter().map(|&s| format!("{} {}", s.letter(), self.totals[s])).collect();
        say(format_args!("  in all     {}", line.join("  ")))?;
        Ok(())
    }

    fn list(&self, legal: ActionSet) -> String {
        let shown = legal.into_iter().map(|a| match a.as_card() {
            Some(card) => self.card(card),
            None => a.to_string(),
        });
        shown.collect::<Vec<_>>().join(" ")
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

const fn sign(suit: Suit) -> &'static str {
    ["♠", "♣", "♦", "♥"][suit.index()]
}

fn forced_name(rules: &RuleSet) -> &'static str {
    let forced = rules.rows().iter().find(|r| r.kind.is_forced());
    forced.map_or("", |r| r.kind.name())
}
