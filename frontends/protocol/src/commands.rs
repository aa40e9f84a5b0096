//! The commands of a front end at its table, as JSON; see `docs/table.md`.

use serde::Deserialize;
use serde_json::{Value, json};
use troel_agents::{Decision, Entry, registry};
use troel_env::{BySeat, Contract, Record, RuleSet, Seat, SeatSet};

use crate::error::TableError;
use crate::protocol::Responder;
use crate::table::{Opening, Table};

/// Bots that a front end may seat by name, beside the usual one.
pub const BOTS: [&str; 4] = ["random", "rules", "expert", "pimc:worlds=20"];

/// What there is where a table stands.
pub trait House {
    /// The rule set of a name, and a bot that plays it; without a name the usual one.
    ///
    /// # Errors
    /// There is no such rule set, or no such bot for it.
    fn seat(&self, rules: &str, bot: Option<&str>)
    -> Result<(&'static RuleSet, Entry), TableError>;

    /// A seed for a match of which the front end gave none.
    ///
    /// # Errors
    /// There is none: the front end has to give one.
    fn seed(&self) -> Result<u64, TableError>;

    /// Secret randomness for the cards of one deal at a table of several persons, never the same
    /// twice.
    ///
    /// # Errors
    /// There is none: there can be no such table.
    fn secret(&self) -> Result<[u8; 32], TableError>;
}

/// A bot at whose table everything has to be given: there may be no clock.
impl House for Responder {
    fn seat(
        &self,
        rules: &str,
        bot: Option<&str>,
    ) -> Result<(&'static RuleSet, Entry), TableError> {
        let unknown = "the bot does not play this rule set";
        let found = self.player(rules).ok_or_else(|| TableError::CannotOpen(unknown.into()))?;
        Ok((found.0, bot.map_or_else(|| Ok(found.1.clone()), named)?))
    }

    fn seed(&self) -> Result<u64, TableError> {
        let wanted = "a new match needs a seed for the cards: add the field seed";
        Err(TableError::CannotOpen(wanted.into()))
    }

    fn secret(&self) -> Result<[u8; 32], TableError> {
        let why =
            "several persons can play at a table of troel serve only: others lack secret cards";
        Err(TableError::CannotOpen(why.into()))
    }
}

/// A bot that a front end may seat by name: none that would read a file, start a program or think for long.
///
/// # Errors
/// It is not among [`BOTS`].
pub fn named(name: &str) -> Result<Entry, TableError> {
    let known = BOTS.contains(&name).then(|| registry::built_in(name).ok().flatten());
    known.flatten().ok_or_else(|| {
        let bots = BOTS.join(", ");
        TableError::CannotOpen(format!("there is no such bot at this table; there are {bots}"))
    })
}

/// What a front end says of a match to be opened.
#[derive(Deserialize)]
pub(crate) struct Wish {
    rules: String,
    pub(crate) seat: Seat,
    pub(crate) seed: Option<u64>,
    /// Names of bots by seat; the usual one where there is none.
    #[serde(default)]
    bots: BySeatNames,
    /// A record of the first deal; its actions are ignored.
    pub(crate) record: Option<Record>,
}

/// Names of bots by seat.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "UPPERCASE", deny_unknown_fields)]
pub(crate) struct BySeatNames {
    n: Option<String>,
    e: Option<String>,
    s: Option<String>,
    w: Option<String>,
}

impl BySeatNames {
    fn of(&self, seat: Seat) -> Option<&str> {
        [&self.n, &self.e, &self.s, &self.w][seat.index()].as_deref()
    }
}

/// A person at a table of bots.
pub struct Seated {
    /// The table.
    pub table: Table,
    /// The person's seat.
    pub seat: Seat,
}

impl Seated {
    /// What the person is shown.
    pub fn show(&self) -> Value {
        self.table.show(self.seat)
    }
}

/// Commands of a front end; see `docs/table.md`.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum Command {
    New(Wish),
    Restore {
        #[serde(flatten)]
        wish: Wish,
        deals: Vec<Vec<String>>,
    },
    Rules {
        rules: String,
    },
    Act {
        action: String,
    },
    Claim,
    Undo,
    Back {
        to: usize,
    },
    Again {
        #[serde(default)]
        bots: BySeatNames,
    },
    Next,
    Hint,
    Review {
        from: usize,
    },
    Values {
        at: usize,
    },
    Par,
}

/// Executes a front end's command at its place, which is `None` until a match is started. Returns the messages to
/// show, one for each event.
pub fn handle(place: &mut Option<Seated>, command: &[u8], house: &dyn House) -> Vec<Value> {
    let refused = |message: String, is_lost: bool| {
        let asked = serde_json::from_slice::<Value>(command).unwrap_or_default();
        let of = &asked["type"];
        vec![json!({"type": "refused", "of": of, "message": message, "lost": is_lost})]
    };
    match serde_json::from_slice(command) {
        Ok(command) => match execute(place, command, house) {
            Ok(answers) => answers,
            Err(error) => {
                refused(error.to_string(), matches!(error, TableError::CannotRestore { .. }))
            }
        },
        Err(error) => refused(error.to_string(), false),
    }
}

fn execute(
    place: &mut Option<Seated>,
    command: Command,
    house: &dyn House,
) -> Result<Vec<Value>, TableError> {
    match &command {
        Command::Rules { rules } => return Ok(vec![contracts(house.seat(rules, None)?.0)]),
        Command::New(wish) => {
            let table = Table::new(opening(wish, house)?, SeatSet::single(wish.seat))?;
            *place = Some(Seated { table, seat: wish.seat });
        }
        Command::Restore { wish, deals } => {
            let table = Table::restore(opening(wish, house)?, wish.seat, deals)?;
            *place = Some(Seated { table, seat: wish.seat });
        }
        _ => {}
    }
    let Seated { table, seat } = place.as_mut().ok_or(TableError::NoMatch)?;
    let seat = *seat;
    match command {
        Command::New(_) | Command::Restore { .. } | Command::Rules { .. } => {}
        Command::Act { action } => table.act(seat, &action)?,
        Command::Claim => table.claim(seat)?,
        Command::Undo => table.undo(seat)?,
        Command::Back { to } => table.back(seat, to)?,
        Command::Again { bots } => {
            table.again(seats(table.rules().id(), &bots, house, table.bots().clone())?);
        }
        Command::Next => table.next_deal()?,
        Command::Hint => return Ok(vec![advice(&table.hint(seat)?)]),
        Command::Review { from } => return Ok(vec![table.review(seat, from)?]),
        Command::Values { at } => return Ok(vec![table.values(at)?]),
        Command::Par => return Ok(vec![table.par()?]),
    }
    let mut answers = vec![table.show(seat)];
    while table.is_bots_turn() {
        match table.let_bot_act() {
            Ok(()) => answers.push(table.show(seat)),
            Err(error) => {
                let message = error.to_string();
                answers.push(json!({"type": "refused", "of": "bot", "message": message}));
                break;
            }
        }
    }
    Ok(answers)
}

pub(crate) fn opening(wish: &Wish, house: &dyn House) -> Result<Opening, TableError> {
    let (rules, usual) = house.seat(&wish.rules, None)?;
    let bots = seats(&wish.rules, &wish.bots, house, BySeat::from_fn(|_| usual.clone()))?;
    let seed = wish.seed.map_or_else(|| house.seed(), Ok)?;
    let deal = wish.record.as_ref().map(|record| record.full_deal(rules)).transpose();
    let deal = deal.map_err(|error| TableError::CannotOpen(error.to_string()))?;
    Ok(Opening { rules, bots, seed, deal })
}

/// These bots, but for the seats that are named.
fn seats(
    rules: &str,
    names: &BySeatNames,
    house: &dyn House,
    mut bots: BySeat<Entry>,
) -> Result<BySeat<Entry>, TableError> {
    for seat in Seat::ALL {
        if let Some(name) = names.of(seat) {
            bots[seat] = house.seat(rules, Some(name))?.1;
        }
    }
    Ok(bots)
}

/// The contract table of a rule set: for each row what declarers and others get for the tricks that come in question.
pub(crate) fn contracts(rules: &RuleSet) -> Value {
    let rows = rules.rows().iter().zip(0..).map(|(row, number)| {
        let declarers = match row.kind.is_pair() {
            true => SeatSet::single(Seat::North) | SeatSet::single(Seat::South),
            false => SeatSet::single(Seat::North),
        };
        let contract =
            Contract { kind: row.kind, level: row.level, trump: None, declarers, row: number };
        let least = if row.kind.is_negative() { 0 } else { row.level.saturating_sub(3) };
        let most = if row.kind.is_negative() { 2 } else { 13 };
        let points = (least..=most).map(|taken| {
            let tricks = BySeat::from_fn(|seat| if seat == Seat::North { taken } else { 0 });
            let scores = troel_env::scoring::score(rules, &contract, &tricks);
            json!([taken, scores[Seat::North], scores[Seat::East]])
        });
        json!({
            "kind": row.kind,
            "level": row.level,
            "no_trumps": row.no_trumps,
            "points": points.collect::<Vec<_>>(),
        })
    });
    json!({
        "type": "rules",
        "rules": rules.id(),
        "description": rules.spec().description,
        "turn_up": rules.has_turn_up(),
        "target": rules.spec().match_target,
        "contracts": rows.collect::<Vec<_>>(),
    })
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

#[cfg(test)]
mod tests {
    use troel_agents::{Bot, BotError, Decision, Detail};
    use troel_env::{Action, Observation};

    use super::*;

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
        let broken = Entry::custom("broken", |_| Box::new(Broken));
        let house = |entry| Responder::new("house", [(rules, entry)], 1);
        let (broken, sound) = (house(broken), house(named("rules").expect("built in")));
        let mut table = None;
        let mut handle =
            |command: &str, house: &Responder| super::handle(&mut table, command.as_bytes(), house);
        // One of four seats calls first: with the person in each seat in turn, it is a bot three times.
        let mut failures = 0;
        for seat in ["N", "E", "S", "W"] {
            let command = format!(r#"{{"type":"new","rules":"wiezen","seat":"{seat}","seed":1}}"#);
            let answers = handle(&command, &broken);
            let shown = &answers[0];
            assert_eq!(shown["history"], json!([]));
            if let Some(refusal) = answers.get(1) {
                assert_eq!(refusal["type"], "refused");
                assert!(refusal["message"].as_str().unwrap().contains("give"), "{refusal}");
                failures += 1;
            }
            assert!(answers.len() <= 2);
            assert!(handle(&command, &sound).iter().all(|a| a["type"] == "table"));
        }
        assert_eq!(failures, 3);
    }

    #[test]
    fn the_contract_table_says_what_contracts_are_worth() {
        let luxembourg = contracts(RuleSet::built_in("luxembourg").unwrap());
        let row = &luxembourg["contracts"][0];
        assert_eq!((&row["kind"], &row["level"]), (&json!("suit"), &json!(8)));
        let points = row["points"].as_array().unwrap();
        for wanted in [[7, -10, 10], [8, 7, 0], [9, 10, 0], [13, 30, 0]] {
            assert!(points.contains(&json!(wanted)), "{wanted:?} in {points:?}");
        }
        // A lone declarer is paid by three.
        let wiezen = contracts(RuleSet::built_in("wiezen").unwrap());
        let alone = wiezen["contracts"].as_array().unwrap().iter().find(|c| c["kind"] == "alone");
        let alone = alone.or(wiezen["contracts"].get(1)).unwrap();
        assert!(alone["points"].as_array().unwrap().contains(&json!([5, 6, -2])), "{alone}");
    }

    /// A deal in a record is played again, by other bots.
    #[test]
    fn a_record_opens_its_deal() {
        let rules = RuleSet::built_in("iwwa").expect("built in");
        let opening = Opening::new(rules, named("random").expect("built in"), 9);
        let mut first = Table::new(opening, SeatSet::single(Seat::South)).unwrap();
        let hand = first.show(Seat::South)["hand"].clone();
        while first.scores().is_none() {
            match first.is_bots_turn() {
                true => first.let_bot_act().unwrap(),
                false => {
                    let action = first.hint(Seat::South).unwrap().action.to_string();
                    first.act(Seat::South, &action).unwrap();
                }
            }
        }
        let record = first.show(Seat::South)["record"].clone();
        let house = Responder::built_in("rules", 1).unwrap();
        let command = json!({
            "type": "new", "rules": "iwwa", "seat": "S", "seed": 1, "record": record,
            "bots": {"N": "expert", "W": "random"},
        });
        let mut table = None;
        let shown = handle(&mut table, command.to_string().as_bytes(), &house);
        assert_eq!(shown[0]["hand"], hand);
        assert_eq!(
            shown[0]["bots"],
            json!({"N": "expert", "E": "rules", "S": "rules", "W": "random"})
        );
        let wrong = json!({"type": "again", "bots": {"N": "bot:rm"}}).to_string();
        let refused = handle(&mut table, wrong.as_bytes(), &house);
        assert!(refused[0]["message"].as_str().unwrap().contains("expert"), "{refused:?}");
    }
}
