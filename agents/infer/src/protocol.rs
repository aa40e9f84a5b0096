//! The bot protocol, version 1: one JSON object in, one out, over standard input and output or HTTP. Each request
//! carries all that the bot may see, so nothing is kept between them.

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use troel_env::{Action, Observation, Record, RuleSet, Seat};

use crate::bundle::{Bundle, BundleError, short_name};
use crate::forward::{Forward, Input, Scratch};
use crate::policy::{likeliest, probabilities};

/// Version of the protocol.
const PROTOCOL: u32 = 1;

/// Requests longer than this are refused.
pub const LONGEST: usize = 1 << 20;

/// What a bot makes of an observation.
#[derive(Clone, Debug, PartialEq)]
pub struct Thought {
    /// What it does.
    pub action: Action,
    /// Legal actions with their probabilities, which add up to one; a bot without a policy is sure of its action.
    pub policy: Vec<(Action, f32)>,
    /// Points that it expects of the deal, if it has an opinion.
    pub value: Option<f32>,
}

/// Who thinks for a bot, under one rule set.
pub trait Player: Send + Sync {
    /// What it makes of an observation in which it is the seat's turn.
    fn think(&self, observation: &Observation) -> Thought;
}

/// A trained bot as a player: takes the likeliest action.
struct Trained {
    forward: Forward,
    reward_scale: f32,
}

impl Player for Trained {
    fn think(&self, observation: &Observation) -> Thought {
        let input = Input::from(observation);
        let mut scratch = Scratch::default();
        self.forward.evaluate(&[input], &mut scratch);
        let logits = scratch.logits().next().copied().unwrap_or([0.0; troel_env::N_ACTIONS]);
        Thought {
            action: likeliest(input.legal, &logits),
            policy: probabilities(input.legal, &logits),
            value: scratch.values().first().map(|value| value * self.reward_scale),
        }
    }
}

/// A bot that answers requests.
pub struct Bot {
    name: String,
    /// The rule sets that it plays, by identifier.
    players: HashMap<&'static str, (&'static RuleSet, Arc<dyn Player>)>,
}

/// Why a request is not answered.
#[derive(Debug, Serialize)]
pub struct Refusal {
    /// One of `bad-json`, `bad-request`, `bad-record`, `wrong-rules`, `not-your-turn`, `too-long`.
    pub code: &'static str,
    /// What is wrong, and where.
    pub message: String,
}

fn refusal(code: &'static str, message: impl Into<String>) -> Refusal {
    Refusal { code, message: message.into() }
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Command {
    Hello,
    Act,
    Legal,
}

#[derive(Deserialize)]
struct Request {
    cmd: Command,
    record: Option<Record>,
    seat: Option<Seat>,
}

impl Bot {
    /// A bot of these players, one for each rule set that it plays.
    pub fn new(
        name: &str,
        players: impl IntoIterator<Item = (&'static RuleSet, Arc<dyn Player>)>,
    ) -> Bot {
        let players = players.into_iter().map(|(rules, player)| (rules.id(), (rules, player)));
        Bot { name: name.to_string(), players: players.collect() }
    }

    /// The trained bot of a checkpoint.
    ///
    /// # Errors
    /// The checkpoint is damaged, or for rules that are neither built in nor in it.
    pub fn load(folder: &Path) -> Result<Bot, BundleError> {
        Bot::trained(folder, &Bundle::load(folder)?)
    }

    /// The trained bot of a bundle at hand, named after the last part of its path.
    ///
    /// # Errors
    /// It is for rules that are neither built in nor in it.
    pub fn trained(path: &Path, bundle: &Bundle) -> Result<Bot, BundleError> {
        let rules = bundle.info.rule_set(path)?;
        let player: Arc<dyn Player> = Arc::new(Trained {
            forward: Forward::new(&bundle.weights),
            reward_scale: bundle.info.reward_scale,
        });
        Ok(Bot::new(&short_name(path), [(rules, player)]))
    }

    /// The rule set of this name and who plays it, if the bot does.
    pub fn player(&self, rules: &str) -> Option<(&'static RuleSet, Arc<dyn Player>)> {
        self.players.get(rules).cloned()
    }

    /// Answers a request; the answer is one line, whatever the bytes.
    pub fn answer(&self, bytes: &[u8]) -> String {
        let (id, result) = self.respond(bytes);
        let mut answer = Map::from_iter([("id".to_string(), id)]);
        match result {
            Ok(fields) => answer.extend(fields),
            Err(refusal) => drop(answer.insert("error".to_string(), json!(refusal))),
        }
        Value::Object(answer).to_string()
    }

    /// The request's `id` and the fields of its answer.
    pub fn respond(&self, bytes: &[u8]) -> (Value, Result<Map<String, Value>, Refusal>) {
        if bytes.len() > LONGEST {
            return (Value::Null, Err(refusal("too-long", format!("more than {LONGEST} bytes"))));
        }
        let mut fields: Map<String, Value> = match serde_json::from_slice(bytes) {
            Ok(fields) => fields,
            Err(error) => {
                let message = format!("not a JSON object: {error}");
                return (Value::Null, Err(refusal("bad-json", message)));
            }
        };
        let id = fields.remove("id").unwrap_or_default();
        let request: Result<Request, _> = serde_json::from_value(Value::Object(fields));
        let result = request
            .map_err(|error| refusal("bad-request", error.to_string()))
            .and_then(|request| self.perform(&request));
        (id, result)
    }

    fn perform(&self, request: &Request) -> Result<Map<String, Value>, Refusal> {
        let fields = match request.cmd {
            Command::Hello => {
                let rules: BTreeMap<_, _> =
                    self.players.iter().map(|(id, (rules, _))| (id, rules.hash())).collect();
                json!({
                    "protocol": PROTOCOL,
                    "name": self.name,
                    "version": env!("CARGO_PKG_VERSION"),
                    "bot": { "name": self.name, "rules_hash": rules },
                    "rules": rules.keys().collect::<Vec<_>>(),
                })
            }
            Command::Act => {
                let (observation, player) = self.observation(request)?;
                let seat = observation.seat();
                if observation.legal_actions().is_empty() {
                    let message = if observation.state().is_done() {
                        "the deal is over".to_string()
                    } else {
                        format!(
                            "{} is to act, not {}",
                            observation.state().turn().letter(),
                            seat.letter()
                        )
                    };
                    return Err(refusal("not-your-turn", message));
                }
                let thought = player.think(&observation);
                let policy: Map<String, Value> = thought
                    .policy
                    .iter()
                    .map(|(action, p)| (action.to_string(), json!(p)))
                    .collect();
                json!({
                    "action": thought.action.to_string(),
                    "policy": policy,
                    "value": thought.value,
                })
            }
            Command::Legal => {
                let (observation, _) = self.observation(request)?;
                let state = observation.state();
                let legal = observation.legal_actions().into_iter().map(|a| a.to_string());
                json!({
                    "seat": state.turn(),
                    "phase": state.phase().name(),
                    "legal": legal.collect::<Vec<_>>(),
                })
            }
        };
        match fields {
            Value::Object(fields) => Ok(fields),
            _ => Ok(Map::new()),
        }
    }

    fn observation(&self, request: &Request) -> Result<(Observation, &dyn Player), Refusal> {
        let record = request.record.as_ref();
        let record = record.ok_or_else(|| refusal("bad-request", "missing field `record`"))?;
        let seat = request.seat.ok_or_else(|| refusal("bad-request", "missing field `seat`"))?;
        // Names only: a request does not make the bot read files.
        let (rules, player) = self.players.get(record.rules.as_str()).ok_or_else(|| {
            let mut known: Vec<&str> = self.players.keys().copied().collect();
            known.sort_unstable();
            let shown: String = record.rules.chars().take(40).collect();
            let known = known.join(", ");
            refusal("wrong-rules", format!("{} plays {known}, not {shown:?}", self.name))
        })?;
        let observation = record.observe(rules, seat);
        let observation = observation.map_err(|error| refusal("bad-record", error.message))?;
        Ok((observation, player.as_ref()))
    }
}
