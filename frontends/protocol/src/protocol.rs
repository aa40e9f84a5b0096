//! The bot protocol, version 1: one JSON object in, one out, over standard input and output or HTTP. It is stateless:
//! each request carries all that the bot may see.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use troel_agents::{Detail, Entry, RegistryError, decide_one, registry};
use troel_env::{ACTION_VERSION, FEATURE_VERSION, N_ACTIONS, Observation, Record, RuleSet, Seat};
use troel_nn::bundle::short_name;
use troel_nn::{Bundle, BundleError, Input};

/// Version of the protocol.
const PROTOCOL: u32 = 1;

/// Commands, as `hello` lists them.
const COMMANDS: [&str; 4] = ["hello", "act", "legal", "features"];

/// Largest request, in bytes; larger ones are refused.
pub const MAX_REQUEST_BYTES: usize = 1 << 20;

/// A bot that answers requests.
#[derive(Clone, Debug)]
pub struct Responder {
    name: String,
    /// Seed of the bot's random draws.
    seed: u64,
    /// Rule sets that the bot plays, by identifier.
    players: HashMap<&'static str, (&'static RuleSet, Entry)>,
}

/// Kinds of errors in requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefusalCode {
    /// Not a JSON object.
    BadJson,
    /// A field is missing or has the wrong type.
    BadRequest,
    /// The record contradicts the rules.
    BadRecord,
    /// The bot does not play this rule set.
    WrongRules,
    /// Another seat is to act, or the deal is over.
    NotYourTurn,
    /// More bytes than [`MAX_REQUEST_BYTES`].
    TooLong,
    /// The bot failed.
    BotFailed,
}

/// Why a request is refused.
#[derive(Debug, Serialize)]
pub struct Refusal {
    /// The kind of error.
    pub code: RefusalCode,
    /// What is wrong, and where.
    pub message: String,
}

fn refusal(code: RefusalCode, message: impl Into<String>) -> Refusal {
    Refusal { code, message: message.into() }
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum BotCommand {
    Hello,
    Act,
    Legal,
    Features,
}

#[derive(Deserialize)]
struct BotRequest {
    cmd: BotCommand,
    record: Option<Record>,
    seat: Option<Seat>,
}

impl Responder {
    /// A bot that plays these rule sets; `seed` determines its random draws.
    pub fn new(
        name: &str,
        players: impl IntoIterator<Item = (&'static RuleSet, Entry)>,
        seed: u64,
    ) -> Responder {
        let players = players.into_iter().map(|(rules, entry)| (rules.id(), (rules, entry)));
        Responder { name: name.to_string(), seed, players: players.collect() }
    }

    /// The bot of this name, for those of the rule sets that it can play.
    ///
    /// # Errors
    /// The bot can play none of them; the error is that of the first one.
    pub fn find(
        name: &str,
        sets: &[&'static RuleSet],
        seed: u64,
    ) -> Result<Responder, RegistryError> {
        let mut players = Vec::new();
        let mut failure = None;
        for &rules in sets {
            match Entry::find(name, rules) {
                Ok(entry) => players.push((rules, entry)),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        match failure {
            Some(error) if players.is_empty() => Err(error),
            _ => Ok(Responder::new(name, players, seed)),
        }
    }

    /// The bot of this name under all built-in rule sets, if it needs neither a file nor another program; nothing is read or
    /// started for other names.
    ///
    /// # Errors
    /// There is no such bot.
    pub fn built_in(name: &str, seed: u64) -> Result<Responder, RegistryError> {
        let entry = registry::built_in(name)?;
        let entry = entry.ok_or_else(|| RegistryError::NotBuiltIn(name.to_string()))?;
        let sets = RuleSet::all().into_iter();
        Ok(Responder::new(name, sets.map(|rules| (rules, entry.clone())), seed))
    }

    /// The trained bot of a checkpoint folder.
    ///
    /// # Errors
    /// The checkpoint cannot be read, is damaged, or is for rules that are neither built in nor in it.
    pub fn load(folder: &Path) -> Result<Responder, BundleError> {
        Responder::trained(folder, &Bundle::load(folder)?)
    }

    /// The trained bot of a bundle, named after the last part of `path`: for its rules, and for the built-in ones if it plays under any.
    ///
    /// # Errors
    /// The bundle is for rules that are neither built in nor in it.
    pub fn trained(path: &Path, bundle: &Bundle) -> Result<Responder, BundleError> {
        let (own, name) = (bundle.info.rule_set(path)?, short_name(path));
        let others = RuleSet::names().filter(|_| bundle.info.any_rules);
        // Its own come last, for those that are called alike.
        let sets = others.filter_map(RuleSet::built_in).chain([own]);
        let entry = Entry::of_bundle(&name, bundle);
        Ok(Responder::new(&name, sets.map(|rules| (rules, entry.clone())), 1))
    }

    /// The rule set of this identifier and the bot for it, if the bot plays it.
    pub fn player(&self, rules: &str) -> Option<(&'static RuleSet, &Entry)> {
        self.players.get(rules).map(|(rules, entry)| (*rules, entry))
    }

    /// Answers a request with one line, for any input.
    pub fn answer(&self, bytes: &[u8]) -> String {
        let (id, result) = self.respond(bytes);
        let mut answer = Map::from_iter([("id".to_string(), id)]);
        match result {
            Ok(fields) => answer.extend(fields),
            Err(refusal) => drop(answer.insert("error".to_string(), json!(refusal))),
        }
        Value::Object(answer).to_string()
    }

    /// Answers a request: its `id`, and the fields of the answer or a refusal.
    pub fn respond(&self, bytes: &[u8]) -> (Value, Result<Map<String, Value>, Refusal>) {
        if bytes.len() > MAX_REQUEST_BYTES {
            return (
                Value::Null,
                Err(refusal(RefusalCode::TooLong, format!("more than {MAX_REQUEST_BYTES} bytes"))),
            );
        }
        let mut fields: Map<String, Value> = match serde_json::from_slice(bytes) {
            Ok(fields) => fields,
            Err(error) => {
                let message = format!("not a JSON object: {error}");
                return (Value::Null, Err(refusal(RefusalCode::BadJson, message)));
            }
        };
        let id = fields.remove("id").unwrap_or_default();
        let request: Result<BotRequest, _> = serde_json::from_value(Value::Object(fields));
        let result = request
            .map_err(|error| refusal(RefusalCode::BadRequest, error.to_string()))
            .and_then(|request| self.perform(&request));
        (id, result)
    }

    fn perform(&self, request: &BotRequest) -> Result<Map<String, Value>, Refusal> {
        let fields = match request.cmd {
            BotCommand::Hello => {
                let rules: BTreeMap<_, _> =
                    self.players.iter().map(|(id, (rules, _))| (id, rules.hash())).collect();
                json!({
                    "protocol": PROTOCOL,
                    "name": self.name,
                    "version": env!("CARGO_PKG_VERSION"),
                    "bot": { "name": self.name, "rules_hash": rules },
                    "rules": rules.keys().collect::<Vec<_>>(),
                    "commands": COMMANDS,
                })
            }
            BotCommand::Act => {
                let (observation, entry) = self.decision(request)?;
                let decision =
                    decide_one(entry.seat(self.seed).as_mut(), &observation, Detail::Policy);
                let decision =
                    decision.map_err(|error| refusal(RefusalCode::BotFailed, error.to_string()))?;
                let policy: Map<String, Value> = decision
                    .policy
                    .iter()
                    .map(|(action, p)| (action.to_string(), json!(p)))
                    .collect();
                json!({
                    "action": decision.action.to_string(),
                    "policy": policy,
                    "value": decision.value,
                })
            }
            BotCommand::Features => {
                let (observation, entry) = self.decision(request)?;
                let input = Input::from(&observation);
                let network = entry.network_config().unwrap_or_default();
                let (mut features, mut mask) = (vec![0.0; network.inputs()], [false; N_ACTIONS]);
                input.expand(&network, &mut features);
                observation.legal_actions().write_mask(&mut mask);
                let mut answer = json!({
                    "features": features,
                    "mask": mask.as_slice(),
                    "observation": FEATURE_VERSION,
                    "actions": ACTION_VERSION,
                });
                // Only the models of such networks have this input.
                if network.canonical_suits {
                    answer["suits"] = json!(input.suits.number());
                }
                answer
            }
            BotCommand::Legal => {
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

    /// The observation of the request's seat, which must be to act, and the bot.
    fn decision(&self, request: &BotRequest) -> Result<(Observation, &Entry), Refusal> {
        let (observation, entry) = self.observation(request)?;
        let state = observation.state();
        if state.is_done() {
            return Err(refusal(RefusalCode::NotYourTurn, "the deal is over"));
        }
        let (turn, seat) = (state.turn(), observation.seat());
        if turn != seat {
            let message = format!("{} is to act, not {}", turn.letter(), seat.letter());
            return Err(refusal(RefusalCode::NotYourTurn, message));
        }
        Ok((observation, entry))
    }

    fn observation(&self, request: &BotRequest) -> Result<(Observation, &Entry), Refusal> {
        let record = request.record.as_ref();
        let record =
            record.ok_or_else(|| refusal(RefusalCode::BadRequest, "missing field `record`"))?;
        let seat =
            request.seat.ok_or_else(|| refusal(RefusalCode::BadRequest, "missing field `seat`"))?;
        // Identifiers only: a request must not make the bot read files.
        let (rules, entry) = self.players.get(record.rules.as_str()).ok_or_else(|| {
            let mut known: Vec<&str> = self.players.keys().copied().collect();
            known.sort_unstable();
            let shown: String = record.rules.chars().take(40).collect();
            let known = known.join(", ");
            refusal(RefusalCode::WrongRules, format!("{} plays {known}, not {shown:?}", self.name))
        })?;
        let observation = record.observe(rules, seat);
        let observation =
            observation.map_err(|error| refusal(RefusalCode::BadRecord, error.message))?;
        Ok((observation, entry))
    }
}
