//! The bot protocol, version 1: one JSON object in, one out, over standard input and output or HTTP. Each request
//! carries all that the bot may see, so nothing is kept between them.

use std::collections::BTreeMap;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use troel_agents::Entry;
use troel_env::{Observation, Record, RuleSet, Seat};

/// Version of the protocol.
const PROTOCOL: u32 = 1;

/// Requests longer than this are refused.
pub const LONGEST: usize = 1 << 20;

/// A bot that answers requests.
pub struct Bot {
    name: String,
    /// The rule sets that it plays, by identifier.
    entries: HashMap<&'static str, (&'static RuleSet, Entry)>,
    seed: u64,
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
    /// The bot of this name, for those of the rule sets that it can play.
    ///
    /// # Errors
    /// It can play none of them.
    pub fn new(name: &str, sets: &[&'static RuleSet], seed: u64) -> anyhow::Result<Bot> {
        let mut entries = HashMap::new();
        let mut failure = None;
        for &rules in sets {
            match Entry::find(name, rules) {
                Ok(entry) => drop(entries.insert(rules.id(), (rules, entry))),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        match failure {
            Some(error) if entries.is_empty() => Err(error.into()),
            _ => Ok(Bot { name: name.to_string(), entries, seed }),
        }
    }

    /// The bot for a rule set, if it plays it.
    pub fn entry(&self, rules: &str) -> Option<&Entry> {
        self.entries.get(rules).map(|(_, entry)| entry)
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
                    self.entries.iter().map(|(id, (rules, _))| (id, rules.hash())).collect();
                json!({
                    "protocol": PROTOCOL,
                    "name": self.name,
                    "version": env!("CARGO_PKG_VERSION"),
                    "bot": { "name": self.name, "rules_hash": rules },
                    "rules": rules.keys().collect::<Vec<_>>(),
                })
            }
            Command::Act => {
                let (observation, entry) = self.observation(request)?;
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
                let thought = entry.seat(self.seed).think(&observation);
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

    fn observation(&self, request: &Request) -> Result<(Observation, &Entry), Refusal> {
        let record = request.record.as_ref();
        let record = record.ok_or_else(|| refusal("bad-request", "missing field `record`"))?;
        let seat = request.seat.ok_or_else(|| refusal("bad-request", "missing field `seat`"))?;
        // Names only: a request does not make the bot read files.
        let (rules, entry) = self.entries.get(record.rules.as_str()).ok_or_else(|| {
            let mut known: Vec<&str> = self.entries.keys().copied().collect();
            known.sort_unstable();
            let shown: String = record.rules.chars().take(40).collect();
            let known = known.join(", ");
            refusal("wrong-rules", format!("{} plays {known}, not {shown:?}", self.name))
        })?;
        let observation = record.observe(rules, seat);
        let observation = observation.map_err(|error| refusal("bad-record", error.message))?;
        Ok((observation, entry))
    }
}
