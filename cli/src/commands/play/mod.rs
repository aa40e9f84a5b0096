//! `troel play`: a person at the terminal against three bots.

mod help;
mod input;
mod speech;

use std::cell::Cell;
use std::fs::File;
use std::io::{BufRead, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use troel_agents::{NamedBot, with_threads};
use troel_env::rules::DealMethod;
use troel_env::{
    Action, Bid, Card, CardSet, ContractKind, Observation, Phase, Seat, SeatSet, Suit, printable,
};
use troel_protocol::{LiveMatch, MatchSettings, TableError};
use troel_web::{Words, fill};

use self::speech::Speech;
use crate::commands::{self, SeatArg, seat_key};
use crate::lines::read_line;
use crate::output;

/// Play against three bots at the terminal
///
/// Type the code of a call or a card, such as 8H, solo-6S, misere, QD or 10♥, or say it in the
/// language of the match: "solo 6 spades", "ask hearts", "go along", "queen of diamonds". The key ?
/// lists the legal actions, h shows the best actions and the probability that the bot takes each, u
/// takes back, l shows the last trick, p shows the points, q ends the game. Set NO_COLOR to turn
/// colours off.
///
/// Example: troel play --rules wiezen --bot wiezen-v5 --seat S
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    rules: commands::RulesArg,
    /// Bot for the other three seats and for hints, as for `troel eval` [default: the released bot
    /// of the rule set; for house rules universal-v2; expert if that bot cannot be used]
    #[arg(long)]
    bot: Option<String>,
    /// Your seat
    #[arg(long, value_enum, default_value = "s", ignore_case = true)]
    seat: SeatArg,
    /// Seed of the cards [default: from the clock]
    #[arg(long, value_parser = commands::seed)]
    seed: Option<u64>,
    /// Language
    #[arg(long, default_value = "en", value_parser = commands::language_codes())]
    language: String,
    /// Append the record of each finished deal to this file, for troel review
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// Maximum number of deals; the match may end earlier. 0 means no limit
    #[arg(long, default_value_t = 0, value_parser = commands::number(0..=u64::MAX))]
    deals: u64,
}

/// Largest part of a line that is read, in bytes. All codes are shorter.
const MAX_ANSWER_BYTES: u64 = 80;

/// Largest number of legal actions that are shown with every question.
const MAX_SHOWN_ACTIONS: u32 = 13;

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let named: Vec<&str> = args.bot.as_deref().into_iter().collect();
    let rules = commands::rules_for(args.rules.name(), &named)?;
    let bot = match &args.bot {
        Some(name) => NamedBot::find(name, rules)?,
        None => commands::default_bot(rules)?,
    };
    let seed = args.seed.unwrap_or_else(clock);
    let person = Seat::from(args.seat);
    let settings = MatchSettings::new(rules, bot, seed);
    let words = commands::words(&args.language)?;
    let where_to = words.text("terminal.you").replace("{}", words.text(seat_key(person)));
    // Rule sets are described in English only.
    let title = match args.language.as_str() {
        "en" => printable(&rules.spec().description),
        _ => rules.id().into(),
    };
    say(format_args!("{title}"))?;
    say(format_args!("  {where_to} · seed {seed}"))?;
    say(format_args!("  {}", words.text("terminal.help")))?;
    if let Some(path) = &args.records {
        output::check_path(path).context("--records")?;
    }
    let open = |path: &PathBuf| {
        let opened = File::options().append(true).create(true).open(path);
        opened.with_context(|| format!("--records {}", path.display()))
    };
    let records = args.records.as_ref().map(open).transpose()?;
    let mut terminal = Terminal {
        person,
        words,
        records,
        live_match: LiveMatch::new(settings, SeatSet::single(person))?,
        colour: output::has_colour(&std::io::stdout()),
        confirms: std::io::stdin().is_terminal(),
        has_explained_announced: Cell::new(false),
        input: Box::new(std::io::stdin().lock()),
    };
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    with_threads(cores, || terminal.play(args.deals))?;
    Ok(ExitCode::SUCCESS)
}

fn clock() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(1, |d| d.as_secs())
}

struct Terminal {
    person: Seat,
    words: Words,
    /// File that records are appended to, if any.
    records: Option<File>,
    live_match: LiveMatch,
    colour: bool,
    /// Whether a slam has to be typed twice.
    confirms: bool,
    /// Whether trou or troel has been explained in this match.
    has_explained_announced: Cell<bool>,
    input: Box<dyn BufRead>,
}

/// Prints a line, with its colours; a closed output is an error, not a panic.
fn say(text: std::fmt::Arguments<'_>) -> anyhow::Result<()> {
    output::write(format!("{text}\n").as_bytes())
}

/// Returns whether an action bids a slam.
fn is_slam(action: Action) -> bool {
    let bid = action.as_bid();
    bid.is_some_and(|Bid { kind, .. }| {
        matches!(kind, ContractKind::SmallSlam | ContractKind::Slam | ContractKind::SoloSlim)
    })
}

impl Terminal {
    fn speech(&self) -> Speech<'_> {
        let rules = self.live_match.rules();
        Speech { words: &self.words, rules, person: self.person }
    }

    fn name(&self, seat: Seat) -> &str {
        self.speech().name(seat)
    }

    fn text(&self, key: &'static str) -> &str {
        self.words.text(key)
    }

    /// Plays to the end of the match, or at most `limit` deals if that is not 0.
    fn play(&mut self, limit: u64) -> anyhow::Result<()> {
        for n in 1.. {
            if !self.deal()? {
                break;
            }
            if self.live_match.is_over() {
                return say(format_args!("  {}", self.speech().winners(self.live_match.totals())));
            }
            if n == limit {
                return Ok(());
            }
            self.live_match.next_deal()?;
        }
        self.show_totals()
    }

    /// Plays a deal to its end; returns false if the person quits.
    fn deal(&mut self) -> anyhow::Result<bool> {
        self.show_start()?;
        loop {
            let before = self.live_match.observe_as(self.person);
            if before.public().is_done() {
                self.show_end()?;
                if let Some(file) = &mut self.records {
                    writeln!(file, "{}", serde_json::to_string(&self.live_match.record())?)?;
                }
                return Ok(true);
            }
            if self.live_match.is_bots_turn() {
                self.live_match.play_bot_turn()?;
            } else if !self.ask()? {
                return Ok(false);
            }
            self.show_progress(&before, &self.live_match.observe_as(self.person))?;
        }
    }

    /// Returns the question that the person answers.
    fn prompt(&self, obs: &Observation) -> String {
        match obs.public().phase() {
            Phase::Auction => self.text("auction").to_string(),
            Phase::Trump => self.text("trump").to_string(),
            Phase::Discard => self.text("discard").to_string(),
            Phase::Exchange => self.text("exchange").to_string(),
            Phase::Answer => {
                let card = obs.asked_for().map(|card| self.card(card)).unwrap_or_default();
                self.text("answer").replace("{}", &card)
            }
            Phase::Play | Phase::Done => {
                let turn = self.text("yourTurn");
                let contract = obs.public().contract();
                contract.map_or(turn.to_string(), |contract| {
                    let rules = self.live_match.rules();
                    format!("{} · {turn}", self.painted(&self.words.contract(contract, rules)))
                })
            }
        }
    }

    /// Returns the reason of a refusal, in the person's language where it has words for it.
    fn refusal(&self, error: &TableError) -> String {
        match error {
            TableError::NothingToTakeBack => self.text("notNow").to_string(),
            TableError::NotYourTurn => self.text("notYourTurn").to_string(),
            other => other.to_string(),
        }
    }

    /// Asks until the person has acted or taken something back; returns false if the person quits.
    fn ask(&mut self) -> anyhow::Result<bool> {
        let obs = self.live_match.observe_as(self.person);
        let legal = obs.legal_actions();
        say(format_args!("  {}  {}", self.text("yourHand"), self.hand(obs.hand())))?;
        if legal.len() <= MAX_SHOWN_ACTIONS {
            // Cards are shown in the order of the hand, other actions as a list.
            let actions: Vec<Action> = legal.into_iter().collect();
            let cards: Option<CardSet> = actions.iter().map(|action| action.as_card()).collect();
            let shown = cards.map_or_else(|| self.list(&actions), |cards| self.hand(cards));
            say(format_args!("  {}  {shown}", self.text("terminal.may")))?;
        }
        let prompt = self.prompt(&obs);
        let mut slam = None;
        loop {
            output::write(format!("  {prompt}> ").as_bytes())?;
            let line = read_line(&mut self.input, MAX_ANSWER_BYTES).context("standard input")?;
            let Some(line) = line else {
                say(format_args!(""))?;
                return Ok(false);
            };
            match String::from_utf8_lossy(&line).trim() {
                "" => {}
                "q" | "quit" => return Ok(false),
                "?" | "help" => {
                    self.show_list(legal)?;
                    say(format_args!("  {}", self.text("terminal.help")))?;
                }
                "h" | "hint" => self.hint()?,
                "l" | "last" => {
                    let last = self.trick(self.live_match.last_trick());
                    say(format_args!("  {}  {last}", self.text("lastTrick")))?;
                }
                "p" | "points" => self.show_totals()?,
                "u" | "undo" => match self.live_match.undo(self.person) {
                    Ok(()) => return self.show_back().map(|()| true),
                    Err(error) => say(format_args!("  {}", self.refusal(&error)))?,
                },
                word => match input::understood(word, &obs, &self.words, self.live_match.rules()) {
                    Some(call) if self.confirms && is_slam(call) && slam != Some(call) => {
                        slam = Some(call);
                        let call = self.words.call(&call.to_string(), self.live_match.rules());
                        say(format_args!(
                            "  {}",
                            self.text("terminal.again").replace("{}", &call)
                        ))?;
                        continue;
                    }
                    Some(action) => {
                        let done = self.live_match.act(self.person, &action.to_string());
                        return Ok(done.map(|()| true)?);
                    }
                    None => self.show_fault(word, &obs)?,
                },
            }
            slam = None;
        }
    }

    fn show_start(&self) -> anyhow::Result<()> {
        let obs = self.live_match.observe_as(self.person);
        let public = obs.public();
        let gathered = public.rules().spec().deal == DealMethod::Gather;
        let dealer = if public.dealer() == self.person {
            self.text("dealerYou").to_string()
        } else {
            format!("{} {}", self.name(public.dealer()), self.text("dealer"))
        };
        let how =
            if gathered { format!(" ({})", self.text("terminal.gathered")) } else { String::new() };
        say(format_args!("\n— {dealer}{how}"))?;
        if let Some(seat) = public.auction().announcer() {
            let kind = public.rules().announced().map_or("", ContractKind::name);
            let kind = self.words.call(kind, public.rules());
            let form = if seat == self.person { "announcesYou" } else { "announces" };
            let text = fill(self.text(form), &[("name", self.name(seat)), ("", &kind)]);
            say(format_args!("  {text}"))?;
        }
        if let Some(card) = obs.turn_up() {
            say(format_args!("  {}  {}", self.text("turnUp"), self.card(card)))?;
        }
        Ok(())
    }

    /// Shows the cards on the table after something was taken back, or the calls so far.
    fn show_back(&self) -> anyhow::Result<()> {
        let obs = self.live_match.observe_as(self.person);
        let trick: Vec<_> = obs.public().trick().cards().collect();
        say(format_args!("  — {}", self.text("terminal.back").replace("{}", &self.trick(&trick))))?;
        if obs.public().phase() != Phase::Auction {
            return Ok(());
        }
        if let Some(card) = obs.turn_up() {
            say(format_args!("  {}  {}", self.text("turnUp"), self.card(card)))?;
        }
        self.show_actions(0)
    }

    /// Shows the actions of the deal after the first `skipped`.
    fn show_actions(&self, skipped: usize) -> anyhow::Result<()> {
        let obs = self.live_match.observe_as(self.person);
        let mut lines = Vec::new();
        let mut seen = obs.history().iter();
        self.live_match.record().play(self.live_match.rules(), |state, _| {
            // The person does not see each card that another seat lays aside.
            let action = seen.next().and_then(|(_, action)| action);
            lines.push(match action.and_then(Action::as_card) {
                Some(card) if state.phase() == Phase::Play => {
                    format!("{}{}{}", self.name(state.turn()), self.text("colon"), self.card(card))
                }
                _ => self.painted(&self.speech().saying(state, action)),
            });
        })?;
        lines.iter().skip(skipped).try_for_each(|line| say(format_args!("  {line}")))
    }

    fn show_progress(&self, before: &Observation, obs: &Observation) -> anyhow::Result<()> {
        // After taking back there is nothing new in the history.
        self.show_actions(before.history().len())?;
        let (before, after) = (before.public(), obs.public());
        if before.contract().is_none()
            && let Some(contract) = after.contract()
        {
            let who: Vec<&str> = contract.declarers.iter().map(|seat| self.name(seat)).collect();
            let what = self.painted(&self.words.contract(contract, after.rules()));
            say(format_args!("  — {what} · {}", who.join(" + ")))?;
            // No seat bids trou or troel: partner, leader and trumps are explained once.
            if contract.kind.is_announced() && !self.has_explained_announced.replace(true) {
                let key = format!("guide.calls.{}", contract.kind.name());
                let explanation = self.words.text(&key);
                say(format_args!("    {explanation}"))?;
            }
        }
        let winner = Seat::ALL.into_iter().find(|&s| after.tricks()[s] > before.tricks()[s]);
        let Some(winner) = winner else { return Ok(()) };
        let tricks: Vec<String> =
            Seat::ALL.iter().map(|&s| format!("{} {}", self.name(s), after.tricks()[s])).collect();
        let own = winner == self.person;
        let text = self.text(if own { "terminal.trickToYou" } else { "terminal.trickTo" });
        let text = text.replace("{name}", self.name(winner));
        say(format_args!("  — {}", text.replace("{tricks}", &tricks.join(", "))))?;
        for seat in Seat::ALL {
            if seat != self.person && obs.known(seat).len() > 1 {
                let text = self.text("terminal.shows").replace("{}", self.name(seat));
                say(format_args!("  {text}  {}", self.hand(obs.known(seat))))?;
            }
        }
        Ok(())
    }

    fn show_end(&self) -> anyhow::Result<()> {
        let scores = self.live_match.scores().unwrap_or_default();
        let obs = self.live_match.observe_as(self.person);
        let public = obs.public();
        if public.is_passed_out() {
            say(format_args!("  — {}", self.text("everybodyPassed")))?;
        } else if let Some(contract) = public.contract() {
            for sentence in self.speech().result(contract, public.tricks()) {
                say(format_args!("  — {}", self.painted(&sentence)))?;
            }
        }
        say(format_args!("  {}  {}", self.text("points"), self.speech().points(&scores, true)))?;
        self.show_totals()
    }

    fn show_totals(&self) -> anyhow::Result<()> {
        let totals = self.speech().points(self.live_match.totals(), false);
        say(format_args!("  {}  {totals}", self.text("total")))
    }

    fn trick(&self, cards: &[(Seat, Card)]) -> String {
        let cards = cards.iter().map(|&(s, card)| format!("{} {}", self.name(s), self.card(card)));
        let shown = cards.collect::<Vec<_>>().join("   ");
        if shown.is_empty() { "–".to_string() } else { shown }
    }

    fn action(&self, action: Action) -> String {
        action.as_card().map_or_else(|| action.to_string(), |card| self.card(card))
    }

    fn list(&self, actions: &[Action]) -> String {
        actions.iter().map(|&a| self.action(a)).collect::<Vec<_>>().join(" ")
    }

    fn hand(&self, hand: CardSet) -> String {
        let suits = [Suit::Spades, Suit::Hearts, Suit::Clubs, Suit::Diamonds];
        let groups = suits.map(|suit| {
            let mut cards: Vec<Card> = hand.of(suit).iter().collect();
            cards.reverse();
            cards.iter().map(|&c| self.card(c)).collect::<Vec<_>>().join(" ")
        });
        groups.iter().filter(|g| !g.is_empty()).cloned().collect::<Vec<_>>().join("   ")
    }

    fn card(&self, card: Card) -> String {
        self.paint(card.suit(), &self.words.card(card))
    }

    /// Returns a text with its suits in colour.
    fn painted(&self, text: &str) -> String {
        let paint = |text: String, suit: Suit| {
            let symbol = suit.symbol().to_string();
            text.replace(&symbol, &self.paint(suit, &symbol))
        };
        Suit::ALL.into_iter().fold(text.to_string(), paint)
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
