//! A match of one person against three bots, for front ends: its messages contain only what the person may see.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use troel_agents::{Bot, BotError, Decision, Detail, decide_one};
use troel_env::error::SessionError;
use troel_env::record::ContractView;
use troel_env::{
    Action, BySeat, Card, CardSet, ContractKind, Deals, Episode, Observation, Phase, RuleSet, Seat,
    Session, SessionConfig, State,
};

/// Settings of a new match.
pub struct Opening {
    /// The rules.
    pub rules: &'static RuleSet,
    /// The bot at the three other seats, which also gives hints.
    pub bot: Box<dyn Bot>,
    /// Seed of the deals.
    pub seed: u64,
}

/// Why a command is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// A match cannot be started.
    #[error("{0}")]
    CannotOpen(&'static str),
    /// No match is in progress.
    #[error("open a table first")]
    NoMatch,
    /// Another seat is to act, or the deal is over.
    #[error("it is not your turn")]
    NotYourTurn,
    /// There is no such call or card.
    #[error("that is no action")]
    NoAction,
    /// The action is not legal.
    #[error("that is not allowed here")]
    NotLegal,
    /// The person has made no decision yet in this deal.
    #[error("there is nothing to take back")]
    NothingToTakeBack,
    /// The next deal cannot be dealt.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A bot failed.
    #[error("the bot failed: {0}")]
    Bot(#[from] BotError),
}

/// Commands of a front end; see `docs/table.md`.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Command {
    New { rules: String, seat: Seat, seed: Option<u64> },
    Act { action: String },
    Undo,
    Next,
    Hint,
}

/// Executes a front end's command at its table, which is `None` until a match is started. Returns the messages to
/// show, one for each event.
///
/// `open` gives the settings of a new match, from the name of the rule set and the requested seed, or the reason why
/// there can be none.
pub fn handle(
    table: &mut Option<Table>,
    command: &[u8],
    open: impl FnOnce(&str, Option<u64>) -> Result<Opening, TableError>,
) -> Vec<Value> {
    let refused = |message: String| vec![json!({"type": "refused", "message": message})];
    let command: Command = match serde_json::from_slice(command) {
        Ok(command) => command,
        Err(error) => return refused(error.to_string()),
    };
    if let Command::New { rules, seat, seed } = &command {
        match open(rules, *seed) {
            Ok(opening) => *table = Some(Table::new(opening, *seat)),
            Err(error) => return refused(error.to_string()),
        }
    }
    let Some(table) = table else { return refused(TableError::NoMatch.to_string()) };
    let result = match &command {
        Command::New { .. } => Ok(()),
        Command::Act { action } => table.act(action),
        Command::Undo => table.undo(),
        Command::Next => table.next_deal(),
        Command::Hint => match table.hint() {
            Ok(decision) => return vec![advice(&decision)],
            Err(error) => return refused(error.to_string()),
        },
    };
    if let Err(error) = result {
        return refused(error.to_string());
    }
    let mut answers = vec![table.show()];
    while table.is_bots_turn() {
        match table.let_bot_act() {
            Ok(()) => answers.push(table.show()),
            Err(error) => {
                answers.extend(refused(error.to_string()));
                break;
            }
        }
    }
    answers
}

fn advice(decision: &Decision) -> Value {
    let policy: Vec<(String, f32)> =
        decision.policy.iter().map(|(action, p)| (action.to_string(), *p)).collect();
    json!({
        "type": "hint",
        "action": decision.action.to_string(),
        "policy": policy,
        "value": decision.value,
    })
}

/// A match in progress.
pub struct Table {
    person: Seat,
    bot: Box<dyn Bot>,
    session: Session,
    /// The last finished trick, from its lead.
    last_trick: Vec<(Seat, Card)>,
    /// The undo stack: session and last trick before each decision of the person, latest last.
    decisions: Vec<(Session, Vec<(Seat, Card)>)>,
}

/// An action, as the person may see it.
#[derive(Serialize)]
struct Done {
    seat: Seat,
    /// `-` for a card that another seat laid aside.
    action: String,
}

fn codes(cards: CardSet) -> Vec<String> {
    cards.into_iter().map(|card| card.to_string()).collect()
}

fn by_seat<T: Serialize>(value: impl Fn(Seat) -> T) -> Value {
    let fields = Seat::ALL.into_iter().map(|s| (s.letter().to_string(), json!(value(s))));
    Value::Object(fields.collect())
}

impl Table {
    /// Starts a match and deals its first deal.
    pub fn new(opening: Opening, person: Seat) -> Table {
        let Opening { rules, bot, seed } = opening;
        let deals = Deals::new(rules, seed);
        let dealer = deals.first_dealer(0);
        let config = SessionConfig { episode: Episode::Endless, ..SessionConfig::default() };
        Table {
            person,
            bot,
            session: Session::new(deals, config, 0, dealer),
            last_trick: Vec::new(),
            decisions: Vec::new(),
        }
    }

    /// Whether a bot is to act.
    pub fn is_bots_turn(&self) -> bool {
        !self.session.is_deal_over() && self.session.turn() != self.person
    }

    /// Whether the person is to act.
    fn is_persons_turn(&self) -> bool {
        !self.session.is_deal_over() && self.session.turn() == self.person
    }

    /// Makes the bot whose turn it is act.
    ///
    /// # Errors
    /// The bot failed; the table is unchanged.
    pub fn let_bot_act(&mut self) -> Result<(), TableError> {
        let decision = decide_one(self.bot.as_mut(), &self.session.observe(), Detail::Action)?;
        self.apply(decision.action)
    }

    /// Applies the person's action, given as its code.
    ///
    /// # Errors
    /// It is not the person's turn, or the code is unknown or not legal.
    pub fn act(&mut self, code: &str) -> Result<(), TableError> {
        if !self.is_persons_turn() {
            return Err(TableError::NotYourTurn);
        }
        let phase = self.session.state().phase();
        let action = Action::parse(code, phase).ok_or(TableError::NoAction)?;
        let before = (self.session.clone(), self.last_trick.clone());
        self.apply(action)?;
        self.decisions.push(before);
        Ok(())
    }

    /// Goes back to the person's last decision in this deal.
    ///
    /// # Errors
    /// There is nothing to take back.
    pub fn undo(&mut self) -> Result<(), TableError> {
        let before = self.decisions.pop().ok_or(TableError::NothingToTakeBack)?;
        (self.session, self.last_trick) = before;
        Ok(())
    }

    /// Deals the next deal once the current one is over.
    ///
    /// # Errors
    /// The deal is not over, or the match is.
    pub fn next_deal(&mut self) -> Result<(), TableError> {
        self.session.next_deal()?;
        self.last_trick.clear();
        self.decisions.clear();
        Ok(())
    }

    /// The bot's decision in the person's place, with the policy in order of decreasing probability.
    ///
    /// # Errors
    /// It is not the person's turn, or the bot failed.
    pub fn hint(&mut self) -> Result<Decision, TableError> {
        if !self.is_persons_turn() {
            return Err(TableError::NotYourTurn);
        }
        let view = self.view();
        let mut decision = decide_one(self.bot.as_mut(), &view, Detail::Policy)?;
        decision.policy.sort_by(|a, b| b.1.total_cmp(&a.1));
        Ok(decision)
    }

    fn apply(&mut self, action: Action) -> Result<(), TableError> {
        let state = self.session.state();
        let trick: Vec<(Seat, Card)> = state.trick().cards().collect();
        let turn = state.turn();
        let taken = |state: &State| state.tricks().iter().sum::<u8>();
        let before = taken(state);
        self.session.apply(action).map_err(|_| TableError::NotLegal)?;
        if taken(self.session.state()) > before {
            self.last_trick = trick;
            self.last_trick.extend(action.as_card().map(|card| (turn, card)));
        }
        Ok(())
    }

    /// Whether the deal just played ended the match.
    pub fn is_over(&self) -> bool {
        self.session.is_over()
    }

    /// What the person sees.
    pub fn view(&self) -> Observation {
        self.session.observe_as(self.person)
    }

    /// Points of the deal, once it is over.
    pub fn scores(&self) -> Option<BySeat<i32>> {
        self.session.state().scores()
    }

    /// Points of the match so far.
    pub fn totals(&self) -> &BySeat<i32> {
        self.session.totals()
    }

    /// The last finished trick of the deal, from its lead; empty before there is one.
    pub fn last_trick(&self) -> &[(Seat, Card)] {
        &self.last_trick
    }

    /// The `table` message of `docs/table.md`, built from the person's observation, so that it contains nothing
    /// hidden. Hands are shown once a deal is over.
    pub fn show(&self) -> Value {
        let view = self.view();
        let (state, rules) = (view.state(), self.session.rules());
        let (full, totals) = (self.session.state(), self.session.totals());
        let done = state.is_done();
        let history: Vec<Done> = state
            .history()
            .iter()
            .map(|(seat, action)| Done {
                seat,
                action: action.map_or("-".to_string(), |a| a.to_string()),
            })
            .collect();
        let shown = |s: Seat| codes(if done { full.hands()[s] } else { view.known(s) });
        let trick = |cards: &[(Seat, Card)]| -> Vec<Value> {
            cards.iter().map(|(s, card)| json!({"seat": s, "card": card.to_string()})).collect()
        };
        let on_table: Vec<(Seat, Card)> = state.trick().cards().collect();
        let played: u32 = Seat::ALL.iter().map(|&s| view.played(s).len()).sum();
        let laid_aside = u32::from(state.phase() == Phase::Play || done)
            * u32::from(state.contract().is_some_and(|c| c.kind == ContractKind::SmallMisere));
        let legal = view.legal_actions().into_iter().map(|a| a.to_string());
        let forced = rules.announced().filter(|_| state.auction().announcer().is_some());
        json!({
            "type": "table",
            "rules": rules.id(),
            "target": rules.spec().match_target,
            "deal": self.session.deal_number(),
            "you": self.person,
            "dealer": state.dealer(),
            "turn": if done { None } else { Some(state.turn()) },
            "phase": state.phase().name(),
            "hand": codes(view.hand()),
            "shown": by_seat(|s| if s == self.person { Vec::new() } else { shown(s) }),
            "cards": by_seat(|s| 13 - view.played(s).len() - laid_aside),
            "legal": legal.collect::<Vec<_>>(),
            // Actions before the first card played: `8S` is a call there and a card afterwards.
            "calls": history.len() - played as usize,
            "history": history,
            "turn_up": view.turn_up().map(|card| card.to_string()),
            "announcer": state.auction().announcer(),
            "announces": forced.map(ContractKind::name),
            "asked_for": view.asked_for().map(|card| card.to_string()),
            "contract": state.contract().map(ContractView::from),
            "trick": trick(&on_table),
            "last_trick": trick(&self.last_trick),
            "tricks": by_seat(|s| state.tricks()[s]),
            "scores": full.scores().map(|scores| by_seat(|s| scores[s])),
            "totals": by_seat(|s| totals[s]),
            "void": state.is_passed_out(),
            "over": self.is_over(),
            "undo": !self.decisions.is_empty(),
        })
    }
}

#[cfg(test)]
mod tests {
    use troel_agents::{Heuristic, Random};

    use super::*;

    fn opening(rules: &str, seed: u64) -> Opening {
        let rules = RuleSet::built_in(rules).expect("built in");
        Opening { rules, bot: Box::new(Random::new(seed)), seed }
    }

    /// Two deals that differ in what the person cannot see look the same until they are over.
    #[test]
    fn hidden_cards_stay_hidden() {
        for rules in RuleSet::names() {
            for seed in 0..20 {
                let mut table = Table::new(opening(rules, seed), Seat::South);
                while !table.session.is_deal_over() {
                    let shown = table.show();
                    let view = table.view();
                    let text = shown.to_string();
                    for card in view.unseen() {
                        let code = format!("\"{card}\"");
                        // A code such as 8S is a call in the auction.
                        let as_call = shown["history"].to_string().matches(&code).count()
                            + shown["legal"].to_string().matches(&code).count();
                        assert_eq!(text.matches(&code).count(), as_call, "{card} in {text}");
                    }
                    if table.is_bots_turn() {
                        table.let_bot_act().unwrap();
                    } else {
                        let hint = table.hint().unwrap();
                        table.act(&hint.action.to_string()).unwrap();
                    }
                }
                assert!(table.show()["scores"].is_object());
            }
        }
    }

    #[test]
    fn taking_back_gives_the_points_back() {
        let mut table = Table::new(opening("luxembourg", 3), Seat::North);
        let mut seen = Vec::new();
        while !table.session.is_deal_over() {
            if table.is_bots_turn() {
                table.let_bot_act().unwrap();
                continue;
            }
            seen.push(table.show());
            let action = table.hint().unwrap().action.to_string();
            table.act(&action).unwrap();
        }
        assert_eq!(table.act("AS"), Err(TableError::NotYourTurn));
        while let Some(before) = seen.pop() {
            table.undo().unwrap();
            assert_eq!(table.show(), before);
        }
        assert!(table.undo().is_err() && table.next_deal().is_err());
        assert_eq!(table.act("zz"), Err(TableError::NoAction));
        assert_eq!(table.act("solo-5S"), Err(TableError::NotLegal));
    }

    /// Chooses an action that is never legal in the auction.
    struct Broken;

    impl Bot for Broken {
        fn decide(
            &mut self,
            observations: &[Observation],
            detail: Detail,
        ) -> Result<Vec<Decision>, BotError> {
            Ok(observations.iter().map(|_| Decision::sure(Action::GIVE, detail)).collect())
        }
    }

    #[test]
    fn a_broken_bot_is_an_error_and_no_other_move() {
        let rules = RuleSet::built_in("wiezen").expect("built in");
        let mut table = None;
        let mut handle = |command: &str, bot: Box<dyn Bot>| {
            super::handle(&mut table, command.as_bytes(), |_, _| {
                Ok(Opening { rules, bot, seed: 1 })
            })
        };
        // One of four seats calls first: with the person in each seat in turn, it is a bot three times.
        let mut failures = 0;
        for seat in ["N", "E", "S", "W"] {
            let command = format!(r#"{{"type":"new","rules":"wiezen","seat":"{seat}"}}"#);
            let answers = handle(&command, Box::new(Broken));
            let shown = &answers[0];
            assert_eq!(shown["history"], json!([]));
            if let Some(refusal) = answers.get(1) {
                assert_eq!(refusal["type"], "refused");
                assert!(refusal["message"].as_str().unwrap().contains("give"), "{refusal}");
                failures += 1;
            }
            assert!(answers.len() <= 2);
            assert!(handle(&command, Box::new(Heuristic)).iter().all(|a| a["type"] == "table"));
        }
        assert_eq!(failures, 3);
    }
}
