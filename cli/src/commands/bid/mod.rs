//! `troel bid`.

mod hand;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use serde::Serialize;
use troel_agents::{Decision, DecisionDetail, NamedBot, decide_one, with_threads};
use troel_env::{
    Action, Card, CardSet, N_ACTIONS, Observation, Record, RecordError, RuleSet, Seat,
};

use crate::{commands, output};

/// Show what a bot calls with a hand of your choice
///
/// HAND has the cards in spades, hearts, diamonds and clubs, separated by dots or spaces. T or 10
/// is the ten, - a suit without cards. West deals, and North speaks first. The hand is that of the
/// seat to call next after --calls.
///
/// Example: troel bid KQT63.A84.K92.A5 --rules luxembourg --calls pass,8H
#[derive(clap::Args)]
pub struct Args {
    /// The hand
    #[arg(allow_hyphen_values = true)]
    hand: String,
    /// The other suits of a hand with spaces and without quotes
    #[arg(hide = true)]
    more_suits: Vec<String>,
    #[command(flatten)]
    rules: commands::RulesArg,
    /// Bot, as for `troel eval` [default: the released bot of the rule set; for house rules
    /// universal-v2; expert if that bot cannot be used]
    #[arg(long)]
    bot: Option<String>,
    /// Calls of the seats before, as codes of records, such as pass,8H
    #[arg(long, value_name = "CALLS", value_delimiter = ',')]
    calls: Vec<String>,
    /// The dealer's card that is turned up, such as JH, for rules that turn one up
    #[arg(long, value_name = "CARD")]
    turn_up: Option<String>,
    /// Seed of the bot's random draws
    #[arg(long, default_value_t = 1, value_parser = commands::seed)]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The dealer. The seat after it speaks first.
const DEALER: Seat = Seat::West;

/// Largest number of calls in the text.
const MAX_SHOWN_CALLS: usize = 5;

/// Smallest probability of a call in the text, unless it is the chosen one.
const MIN_SHOWN_PROBABILITY: f32 = 0.005;

/// The answer, as `--json` prints it.
#[derive(Serialize)]
struct Answer {
    rules: &'static str,
    bot: String,
    hand: String,
    seat: Seat,
    dealer: Seat,
    calls: Vec<String>,
    turn_up: Option<Card>,
    /// Code of the chosen call.
    action: String,
    /// Probabilities above 0 by code; `None` if the bot has none or the call is forced.
    #[serde(skip_serializing_if = "Option::is_none")]
    probabilities: Option<BTreeMap<String, f32>>,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let named: Vec<&str> = args.bot.as_deref().into_iter().collect();
    let rules = commands::rules_for(args.rules.name(), &named)?;
    let typed = format!("{} {}", args.hand, args.more_suits.join(" "));
    let position = Position {
        rules,
        hand: hand::read(&typed, rules.cards_per_hand()).context("HAND")?,
        calls: args.calls.iter().map(|call| code(call)).collect(),
        turn_up: turn_up(args.turn_up.as_deref(), rules)?,
    };
    let obs = position.observation()?;
    let bot = match &args.bot {
        Some(name) => NamedBot::find(name, rules)?,
        None => commands::default_bot(rules)?,
    };
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let decision = with_threads(cores, || {
        decide_one(bot.instantiate(args.seed).as_mut(), &obs, DecisionDetail::Policy)
    })?;
    if args.json {
        output::line(&serde_json::to_string(&position.answer(&obs, &bot, &decision))?)?;
    } else {
        output::text(&position.text(&obs, &bot, &decision))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the card of `--turn-up`, which the rules decide about.
fn turn_up(option: Option<&str>, rules: &RuleSet) -> anyhow::Result<Option<Card>> {
    match option {
        Some(text) => {
            let id = rules.id();
            ensure!(rules.has_turn_up(), "--turn-up: {id} turns up no card; leave the option out");
            Ok(Some(hand::read_card(text).context("--turn-up")?))
        }
        None if rules.has_turn_up() => bail!(
            "--turn-up is missing: {} turns up a card of the dealer; add one, such as --turn-up JH",
            rules.id()
        ),
        None => Ok(None),
    }
}

/// Returns the code of a call in any letter case; other texts are returned as they are.
fn code(text: &str) -> String {
    let text = text.trim();
    let calls = (0..N_ACTIONS).filter_map(Action::from_index).filter(|a| a.as_card().is_none());
    let mut codes = calls.map(|call| call.to_string());
    codes.find(|code| code.eq_ignore_ascii_case(text)).unwrap_or_else(|| text.to_string())
}

/// A hand in an auction.
struct Position {
    rules: &'static RuleSet,
    hand: CardSet,
    /// Codes of the calls so far.
    calls: Vec<String>,
    turn_up: Option<Card>,
}

impl Position {
    /// Returns the record in which `seat` has the hand, and the other hands are hidden.
    fn record(&self, seat: Seat) -> Record {
        let hands =
            Seat::ALL.map(|s| if s == seat { self.hand.to_string() } else { "-".to_string() });
        Record {
            rules: self.rules.id().to_string(),
            dealer: DEALER,
            deal: format!("N:{}", hands.join(" ")),
            turn_up: self.turn_up.map(|card| card.to_string()),
            actions: self.calls.clone(),
            scores_before: None,
            extra: serde_json::Map::new(),
        }
    }

    /// Returns the observation of the seat with the hand, which is to call.
    ///
    /// # Errors
    /// A call is not allowed, the auction is over, or the turn-up contradicts the hand.
    fn observation(&self) -> anyhow::Result<Observation> {
        // The seat to act depends on the rules and, after an announcement, on the hand. It is the
        // one that is to act when it has the hand.
        let mut turn = None;
        let mut errors = Vec::new();
        for seat in (1..=Seat::ALL.len()).map(|steps| DEALER.plus(steps)) {
            match self.record(seat).observe(self.rules, seat) {
                Ok(obs) if obs.public().is_done() || !obs.public().phase().is_bidding() => {
                    bail!("--calls: the auction is over after these calls; leave the last one out")
                }
                Ok(obs) if obs.public().turn() == seat => return Ok(obs),
                Ok(obs) => turn = turn.or(Some(obs.public().turn())),
                Err(error) => errors.push((seat, error)),
            }
        }
        let of_turn = errors.iter().position(|(seat, _)| turn == Some(*seat)).unwrap_or(0);
        if errors.is_empty() {
            bail!("--calls: with this hand no seat is to call after these calls; check the calls");
        }
        let (seat, error) = errors.swap_remove(of_turn);
        Err(self.explained(turn.unwrap_or(seat), error))
    }

    /// Returns the error of a record in terms of the options.
    fn explained(&self, seat: Seat, error: RecordError) -> anyhow::Error {
        if let Some(at) = error.at {
            let prefix = format!("action {at}: ");
            let message = error.message.strip_prefix(&prefix).unwrap_or(&error.message);
            let before = Position { calls: self.calls[..at].to_vec(), ..*self };
            let allowed = before.observation().map(|obs| {
                let codes = obs.legal_actions().into_iter().map(|call| call.to_string());
                format!("; allowed: {}", codes.collect::<Vec<_>>().join(", "))
            });
            return anyhow::anyhow!(
                "--calls: call {}: {message}{}",
                at + 1,
                allowed.unwrap_or_default()
            );
        }
        match self.turn_up {
            Some(card) if seat == DEALER && !self.hand.has(card) => anyhow::anyhow!(
                "--turn-up {card}: after these calls the hand is the dealer's; name a card of it"
            ),
            Some(card) if seat != DEALER && self.hand.has(card) => anyhow::anyhow!(
                "--turn-up {card}: the dealer has this card, not you; name another one"
            ),
            Some(card) if !self.rules.deck().has(card) => {
                anyhow::anyhow!("--turn-up {card}: not in the deck of {}", self.rules.id())
            }
            _ => error.into(),
        }
    }

    fn answer(&self, obs: &Observation, bot: &NamedBot, decision: &Decision) -> Answer {
        let likely = decision.policy.iter().filter(|(_, p)| *p > 0.0);
        let probabilities = likely.map(|(action, p)| (action.to_string(), *p)).collect();
        Answer {
            rules: self.rules.id(),
            bot: bot.name().to_string(),
            hand: self.hand.to_string(),
            seat: obs.seat(),
            dealer: DEALER,
            calls: self.calls.clone(),
            turn_up: self.turn_up,
            action: decision.action.to_string(),
            probabilities: has_probabilities(decision).then_some(probabilities),
        }
    }

    fn text(&self, obs: &Observation, bot: &NamedBot, decision: &Decision) -> String {
        let before = match self.calls.as_slice() {
            [] => "first to speak".to_string(),
            calls => format!("after {}", calls.join(", ")),
        };
        let mut text = format!("{} · {} · {before}", self.rules.id(), bot.name());
        if let Some(card) = self.turn_up {
            let rank = card.to_string().replace(card.suit().letter(), "");
            let _ = write!(text, " · turn-up {rank}{}", card.suit().symbol());
        }
        let hand = self.hand.to_string();
        let suits = hand::WRITTEN_SUITS.into_iter().zip(hand.split('.'));
        let suits = suits.map(|(suit, ranks)| {
            format!("{}{}", suit.symbol(), if ranks.is_empty() { "–" } else { ranks })
        });
        let _ = writeln!(text, "\n  {}", suits.collect::<Vec<_>>().join("  "));
        if let (Some(seat), Some(kind)) =
            (obs.public().auction().announcer(), self.rules.announced())
        {
            let with = if seat == obs.seat() { "your aces announce" } else { "aces announce" };
            let _ = writeln!(text, "  {with} {}", kind.name());
        }
        let shown = shown_calls(decision);
        let width = shown.iter().map(|(action, _)| action.to_string().len()).max().unwrap_or(0);
        for (action, probability) in shown {
            let mark = if action == decision.action { "→" } else { " " };
            let code = action.to_string();
            let _ = match probability {
                Some(p) => writeln!(text, "{mark} {code:width$}  {:3.0} %", 100.0 * p),
                None => writeln!(text, "{mark} {code}"),
            };
        }
        if obs.legal_actions().len() == 1 {
            text.push_str("  the only call that the rules allow\n");
        }
        text
    }
}

/// Returns whether the bot has probabilities of several actions.
fn has_probabilities(decision: &Decision) -> bool {
    decision.policy.len() > 1
}

/// Returns the calls of the text with their probabilities: the chosen one, then the likeliest.
fn shown_calls(decision: &Decision) -> Vec<(Action, Option<f32>)> {
    if !has_probabilities(decision) {
        return vec![(decision.action, None)];
    }
    let mut calls = decision.policy.clone();
    calls.retain(|&(action, p)| action == decision.action || p >= MIN_SHOWN_PROBABILITY);
    calls.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    calls.sort_by_key(|&(action, _)| action != decision.action);
    calls.truncate(MAX_SHOWN_CALLS);
    calls.into_iter().map(|(action, p)| (action, Some(p))).collect()
}
