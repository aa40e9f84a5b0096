//! A person at a table with three bots, for front ends: what they may show is all that comes out of here.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use troel_env::record::ContractView;
use troel_env::{
    Action, BySeat, Card, CardSet, ContractKind, Deals, Observation, Phase, RuleSet, Seat, State,
};

use crate::protocol::Thought;

/// Thinks for the three bots, and for the hints.
pub type Thinker = Box<dyn FnMut(&Observation) -> Thought + Send>;

/// What a new match is played with.
pub struct Opening {
    /// The rules.
    pub rules: &'static RuleSet,
    /// The bots.
    pub bot: Thinker,
    /// Seed of the deals.
    pub seed: u64,
}

/// What a front end may ask; see `docs/table.md`.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Wish {
    New { rules: String, seat: Seat, seed: Option<u64> },
    Act { action: String },
    Undo,
    Next,
    Hint,
}

/// Does what a front end wishes at its table, where no match may be in progress yet. The answers are what it is to show, one
/// for each thing that happened.
///
/// `open` finds what a new match is played with, by the name of the rule set and the seed that was asked for, or says why
/// there can be none.
pub fn grant(
    game: &mut Option<Game>,
    wish: &[u8],
    open: impl FnOnce(&str, Option<u64>) -> Result<Opening, String>,
) -> Vec<Value> {
    let refused = |message: &str| vec![json!({"type": "refused", "message": message})];
    let wish: Wish = match serde_json::from_slice(wish) {
        Ok(wish) => wish,
        Err(error) => return refused(&error.to_string()),
    };
    if let Wish::New { rules, seat, seed } = &wish {
        match open(rules, *seed) {
            Ok(opening) => *game = Some(Game::new(opening, *seat)),
            Err(message) => return refused(&message),
        }
    }
    let Some(game) = game else { return refused("open a table first") };
    let result = match &wish {
        Wish::New { .. } => Ok(()),
        Wish::Act { action } => game.act(action),
        Wish::Undo => game.undo(),
        Wish::Next => game.next_deal(),
        Wish::Hint => match game.hint() {
            Ok(thought) => return vec![advice(&thought)],
            Err(message) => return refused(message),
        },
    };
    if let Err(message) = result {
        return refused(message);
    }
    let mut answers = vec![game.table()];
    while game.is_bots_turn() {
        game.let_bot_act();
        answers.push(game.table());
    }
    answers
}

fn advice(thought: &Thought) -> Value {
    let policy: Vec<(String, f32)> =
        thought.policy.iter().map(|(action, p)| (action.to_string(), *p)).collect();
    json!({
        "type": "hint",
        "action": thought.action.to_string(),
        "policy": policy,
        "value": thought.value,
    })
}

/// A match in progress.
pub struct Game {
    rules: &'static RuleSet,
    deals: Deals,
    person: Seat,
    bot: Thinker,
    state: State,
    totals: BySeat<i32>,
    /// Number of the deal, from 0.
    deal: u64,
    /// The last finished trick.
    last_trick: Vec<(Seat, Card)>,
    /// Where the person decided, the latest last: to go back to.
    decisions: Vec<(State, Vec<(Seat, Card)>)>,
}

/// What was done, as the person may know it.
#[derive(Serialize)]
struct Done {
    seat: Seat,
    /// `-` for a card laid aside by another.
    action: String,
}

/// Why a person's wish is refused.
pub type Refused = &'static str;

fn codes(cards: CardSet) -> Vec<String> {
    cards.into_iter().map(|card| card.to_string()).collect()
}

fn by_seat<T: Serialize>(value: impl Fn(Seat) -> T) -> Value {
    let fields = Seat::ALL.into_iter().map(|s| (s.letter().to_string(), json!(value(s))));
    Value::Object(fields.collect())
}

impl Game {
    /// Deals the first deal of a match.
    pub fn new(opening: Opening, person: Seat) -> Game {
        let Opening { rules, bot, seed } = opening;
        let deals = Deals::new(rules, seed);
        let state = State::new(rules, &deals.shuffled(0, deals.first_dealer(0)));
        Game {
            rules,
            deals,
            person,
            bot,
            state,
            totals: BySeat::default(),
            deal: 0,
            last_trick: Vec::new(),
            decisions: Vec::new(),
        }
    }

    /// Whether a bot is to act.
    pub fn is_bots_turn(&self) -> bool {
        !self.state.is_done() && self.state.turn() != self.person
    }

    /// Has a bot act.
    pub fn let_bot_act(&mut self) {
        let view = self.state.observe(self.state.turn(), self.totals);
        let thought = (self.bot)(&view);
        self.apply(thought.action);
    }

    /// The person acts.
    ///
    /// # Errors
    /// It is not the person's turn, or the action is not legal there.
    pub fn act(&mut self, code: &str) -> Result<(), Refused> {
        if self.state.is_done() || self.state.turn() != self.person {
            return Err("it is not your turn");
        }
        let action = Action::parse(code, self.state.phase()).ok_or("that is no action")?;
        if !self.state.legal_actions().has(action) {
            return Err("that is not allowed here");
        }
        self.decisions.push((self.state, self.last_trick.clone()));
        self.apply(action);
        Ok(())
    }

    /// Goes back to the person's last decision in this deal.
    ///
    /// # Errors
    /// There is nothing to take back.
    pub fn undo(&mut self) -> Result<(), Refused> {
        let (state, last_trick) = self.decisions.pop().ok_or("there is nothing to take back")?;
        if self.state.is_done() {
            self.count(-1);
        }
        (self.state, self.last_trick) = (state, last_trick);
        Ok(())
    }

    /// Deals the next deal, once one is over.
    ///
    /// # Errors
    /// The deal is not over, or the match is.
    pub fn next_deal(&mut self) -> Result<(), Refused> {
        if !self.state.is_done() {
            return Err("the deal is not over");
        }
        if self.is_over() {
            return Err("the match is over");
        }
        let moves = !self.state.is_void() || self.rules.spec().void_moves_dealer;
        let dealer = self.state.dealer().plus(usize::from(moves));
        self.deal += 1;
        let deal = self.deals.after(self.deal, dealer, &self.state);
        self.state = State::new(self.rules, &deal);
        self.last_trick.clear();
        self.decisions.clear();
        Ok(())
    }

    /// What the bot would do in the person's place; the likeliest actions first.
    ///
    /// # Errors
    /// It is not the person's turn.
    pub fn hint(&mut self) -> Result<Thought, Refused> {
        if self.state.is_done() || self.state.turn() != self.person {
            return Err("it is not your turn");
        }
        let view = self.view();
        let mut thought = (self.bot)(&view);
        thought.policy.sort_by(|a, b| b.1.total_cmp(&a.1));
        Ok(thought)
    }

    fn apply(&mut self, action: Action) {
        let trick: Vec<(Seat, Card)> = self.state.trick().cards().collect();
        let turn = self.state.turn();
        let taken = |state: &State| state.tricks().iter().sum::<u8>();
        let before = taken(&self.state);
        self.state.apply_unchecked(action);
        if taken(&self.state) > before {
            self.last_trick = trick;
            self.last_trick.extend(action.as_card().map(|card| (turn, card)));
        }
        if self.state.is_done() {
            self.count(1);
        }
    }

    fn count(&mut self, sign: i32) {
        let scores = self.state.scores().unwrap_or_default();
        for seat in Seat::ALL {
            self.totals[seat] += sign * scores[seat];
        }
    }

    /// Whether the deal just played ended the match.
    pub fn is_over(&self) -> bool {
        let target = self.rules.spec().match_target;
        target > 0 && self.state.is_done() && self.totals.iter().any(|&t| t >= target)
    }

    /// What the person sees.
    pub fn view(&self) -> Observation {
        self.state.observe(self.person, self.totals)
    }

    /// Points of the deal, once it is over.
    pub fn scores(&self) -> Option<BySeat<i32>> {
        self.state.scores()
    }

    /// Points of the match so far.
    pub fn totals(&self) -> &BySeat<i32> {
        &self.totals
    }

    /// The last finished trick of the deal, from its lead; empty before there is one.
    pub fn last_trick(&self) -> &[(Seat, Card)] {
        &self.last_trick
    }

    /// The table as the person may see it: from an observation, so that nothing hidden is in it. Hands are laid open once a
    /// deal is over, as at any table.
    pub fn table(&self) -> Value {
        let view = self.view();
        let state = view.state();
        let done = state.is_done();
        let history: Vec<Done> = state
            .history()
            .iter()
            .map(|(seat, action)| Done {
                seat,
                action: action.map_or("-".to_string(), |a| a.to_string()),
            })
            .collect();
        let shown = |s: Seat| codes(if done { self.state.hands()[s] } else { view.known(s) });
        let trick = |cards: &[(Seat, Card)]| -> Vec<Value> {
            cards.iter().map(|(s, card)| json!({"seat": s, "card": card.to_string()})).collect()
        };
        let on_table: Vec<(Seat, Card)> = state.trick().cards().collect();
        let played: u32 = Seat::ALL.iter().map(|&s| view.played(s).len()).sum();
        let laid_aside = u32::from(state.phase() == Phase::Play || done)
            * u32::from(state.contract().is_some_and(|c| c.kind == ContractKind::SmallMisere));
        let legal = view.legal_actions().into_iter().map(|a| a.to_string());
        let forced = self.rules.forced().filter(|_| state.auction().announcer().is_some());
        json!({
            "type": "table",
            "rules": self.rules.id(),
            "target": self.rules.spec().match_target,
            "deal": self.deal,
            "you": self.person,
            "dealer": state.dealer(),
            "turn": if done { None } else { Some(state.turn()) },
            "phase": state.phase().name(),
            "hand": codes(view.hand()),
            "shown": by_seat(|s| if s == self.person { Vec::new() } else { shown(s) }),
            "cards": by_seat(|s| 13 - view.played(s).len() - laid_aside),
            "legal": legal.collect::<Vec<_>>(),
            // The rest are cards of the play: `8S` is a call and a card.
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
            "scores": self.state.scores().map(|scores| by_seat(|s| scores[s])),
            "totals": by_seat(|s| self.totals[s]),
            "void": state.is_void(),
            "over": self.is_over(),
            "undo": !self.decisions.is_empty(),
        })
    }
}

#[cfg(test)]
mod tests {
    use troel_env::rng::{Purpose, Stream};

    use super::*;

    /// Bots that do something legal.
    fn opening(rules: &str, seed: u64) -> Opening {
        let bot = move |view: &Observation| {
            let legal = view.legal_actions();
            let mut stream = Stream::new(seed, Purpose::Action, view.fingerprint());
            let action = legal.nth_action(stream.below(legal.len())).expect("as many");
            Thought { action, policy: vec![(action, 1.0)], value: None }
        };
        let rules = RuleSet::built_in(rules).expect("built in");
        Opening { rules, bot: Box::new(bot), seed }
    }

    /// Two deals that differ in what the person cannot see look the same until they are over.
    #[test]
    fn hidden_cards_stay_hidden() {
        for rules in RuleSet::names() {
            for seed in 0..20 {
                let mut game = Game::new(opening(rules, seed), Seat::South);
                while !game.state.is_done() {
                    let table = game.table();
                    let view = game.view();
                    let text = table.to_string();
                    for card in view.unseen() {
                        let code = format!("\"{card}\"");
                        // A code such as 8S is a call in the auction.
                        let as_call = table["history"].to_string().matches(&code).count()
                            + table["legal"].to_string().matches(&code).count();
                        assert_eq!(text.matches(&code).count(), as_call, "{card} in {text}");
                    }
                    if game.is_bots_turn() {
                        game.let_bot_act();
                    } else {
                        let hint = game.hint().unwrap();
                        game.act(&hint.action.to_string()).unwrap();
                    }
                }
                assert!(game.table()["scores"].is_object());
            }
        }
    }

    #[test]
    fn taking_back_gives_the_points_back() {
        let mut game = Game::new(opening("luxembourg", 3), Seat::North);
        let mut seen = Vec::new();
        while !game.state.is_done() {
            if game.is_bots_turn() {
                game.let_bot_act();
                continue;
            }
            seen.push(game.table());
            let action = game.hint().unwrap().action.to_string();
            game.act(&action).unwrap();
        }
        assert_eq!(game.act("AS"), Err("it is not your turn"));
        while let Some(before) = seen.pop() {
            game.undo().unwrap();
            assert_eq!(game.table(), before);
        }
        assert!(game.undo().is_err() && game.next_deal().is_err());
        assert_eq!(game.act("zz"), Err("that is no action"));
    }
}
