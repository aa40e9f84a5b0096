//! The bot protocol, version 1: one JSON object in, one out. It runs over standard input and output
//! or HTTP. It is stateless: each request carries all that the bot may see.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
pub use troel_agents::bot_protocol::MAX_MESSAGE_BYTES;
use troel_agents::bot_protocol::PROTOCOL_VERSION;
use troel_agents::{DecisionDetail, NamedBot, RegistryError, decide_one, registry};
use troel_env::{
    ACTION_VERSION, FEATURE_VERSION, N_ACTIONS, Observation, Record, RuleSet, Seat, excerpt,
};
use troel_nn::bundle::short_name;
use troel_nn::{BundleError, NetworkInput, TrainedBot};

use crate::json::explain;

/// Commands, as `hello` lists them.
const COMMANDS: [&str; 4] = ["hello", "act", "legal", "features"];

/// A bot that answers requests.
#[derive(Clone, Debug)]
pub struct Responder {
    name: String,
    /// Seed of the bot's random draws.
    seed: u64,
    /// Rule sets that the bot plays, by identifier.
    players: HashMap<&'static str, (&'static RuleSet, NamedBot)>,
    /// The bot for all other rules, if it plays under any.
    any_rules_bot: Option<NamedBot>,
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
    /// More bytes than [`MAX_MESSAGE_BYTES`].
    TooLong,
    /// The bot failed.
    BotFailed,
    /// The server has no such address.
    NotFound,
    /// The address of the server does not take the HTTP method.
    WrongMethod,
    /// The program itself failed.
    Internal,
}

/// Reason why a request is refused, with the remedy if there is one.
#[derive(Debug, Serialize)]
pub struct Refusal {
    /// The kind of error.
    pub code: RefusalCode,
    /// The error and its place.
    pub message: String,
}

impl Refusal {
    /// Returns a refusal with this message.
    pub fn new(code: RefusalCode, message: impl Into<String>) -> Refusal {
        Refusal { code, message: message.into() }
    }

    /// Returns the refusal of a request that made the program panic.
    pub fn internal() -> Refusal {
        Refusal::new(RefusalCode::Internal, "an internal error of troel; please report it")
    }

    /// Returns the refusal of a request longer than [`MAX_MESSAGE_BYTES`].
    pub fn too_long() -> Refusal {
        let message =
            format!("the request has more than {MAX_MESSAGE_BYTES} bytes: send one record only");
        Refusal::new(RefusalCode::TooLong, message)
    }
}

/// Parses a request. Returns its `id`, null if it has none, and the request. `command` replaces the
/// field `cmd`, for a transport that names the command.
pub fn parse(bytes: &[u8], command: Option<&str>) -> (Value, Result<BotRequest, Refusal>) {
    if bytes.len() > MAX_MESSAGE_BYTES {
        return (Value::Null, Err(Refusal::too_long()));
    }
    let mut fields: Map<String, Value> = match serde_json::from_slice(bytes) {
        Ok(fields) => fields,
        Err(error) => {
            let message = format!("not a JSON object: {error}");
            return (Value::Null, Err(Refusal::new(RefusalCode::BadJson, message)));
        }
    };
    let id = fields.remove("id").unwrap_or_default();
    if let Some(command) = command {
        fields.insert("cmd".to_string(), command.into());
    }
    let fields = Value::Object(fields);
    let request = BotRequest::deserialize(&fields).map_err(|error| {
        let message = explain(&error, &fields, &["cmd", "record", "seat"]);
        Refusal::new(RefusalCode::BadRequest, message)
    });
    (id, request)
}

/// Answers a request with the first of these bots that plays its rule set.
///
/// # Errors
/// None of the bots plays the rule set, or see [`Responder::respond`].
pub fn respond_with_first(bots: &[Responder], request: &BotRequest) -> Result<BotAnswer, Refusal> {
    let rules = request.rules();
    let mut usable = bots.iter().filter(|bot| rules.is_none_or(|id| bot.player(id).is_some()));
    match usable.next() {
        Some(bot) => bot.respond(request),
        None => Err(wrong_rules(bots, rules.unwrap_or_default())),
    }
}

/// Returns the refusal of a request whose rule set none of these bots plays.
fn wrong_rules(bots: &[Responder], rules: &str) -> Refusal {
    let played = |bot: &Responder| {
        let mut known: Vec<&str> = bot.players.keys().copied().collect();
        known.sort_unstable();
        format!("{} plays {}", bot.name, known.join(", "))
    };
    let shown = excerpt(rules, 40);
    let message = match bots {
        [bot] => format!("{}, not {shown:?}", played(bot)),
        bots => {
            let all: Vec<String> = bots.iter().map(played).collect();
            format!("no bot here plays {shown:?}: {}", all.join("; "))
        }
    };
    Refusal::new(RefusalCode::WrongRules, message)
}

/// Returns the answer to the request with this `id`, as JSON.
pub fn answer(id: Value, result: &Result<BotAnswer, Refusal>) -> Value {
    let mut answer = match result {
        Ok(answer) => json!(answer),
        Err(refusal) => json!({ "error": refusal }),
    };
    answer["id"] = id;
    answer
}

/// A request of the bot protocol.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "cmd", rename_all = "lowercase")]
pub enum BotRequest {
    /// Asks for the bot's name, rule sets and commands.
    Hello,
    /// Asks for the bot's decision.
    Act(SeatView),
    /// Asks for the legal actions.
    Legal(SeatView),
    /// Asks for the inputs of the bot's network.
    Features(SeatView),
}

impl BotRequest {
    /// Returns the rule set that the request names; `None` for a request without a record.
    fn rules(&self) -> Option<&str> {
        match self {
            BotRequest::Hello => None,
            BotRequest::Act(view) | BotRequest::Legal(view) | BotRequest::Features(view) => {
                Some(&view.record.rules)
            }
        }
    }
}

/// A seat in a deal, as far as the seat knows it.
#[derive(Clone, Debug, Deserialize)]
pub struct SeatView {
    record: Record,
    seat: Seat,
}

/// An answer of the bot protocol.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum BotAnswer {
    /// The bot's name, rule sets and commands.
    Hello {
        /// Version of the protocol.
        protocol: u32,
        /// Name of the bot.
        name: String,
        /// Version of the program.
        version: &'static str,
        /// The bot.
        bot: BotIdentity,
        /// Identifiers of the rule sets that the bot plays.
        rules: Vec<&'static str>,
        /// Names of the commands.
        commands: &'static [&'static str],
    },
    /// The bot's decision.
    Act {
        /// Code of the action.
        action: String,
        /// Probabilities of legal actions by code.
        policy: BTreeMap<String, f32>,
        /// Expected points of the deal; `None` if the bot gives no values.
        value: Option<f32>,
    },
    /// The legal actions.
    Legal {
        /// The seat to act.
        seat: Seat,
        /// Phase of the deal.
        phase: &'static str,
        /// Codes of the legal actions.
        legal: Vec<String>,
    },
    /// The inputs of the bot's network.
    Features {
        /// Features of the observation.
        features: Vec<f32>,
        /// Whether each action is legal.
        mask: Vec<bool>,
        /// Version of the features.
        observation: u32,
        /// Version of the action numbers.
        actions: u32,
        /// Number of the suit permutation, for networks with this input.
        #[serde(skip_serializing_if = "Option::is_none")]
        suits: Option<u8>,
    },
}

/// The bot in an answer to `hello`.
#[derive(Clone, Debug, Serialize)]
pub struct BotIdentity {
    /// Name of the bot.
    name: String,
    /// Hashes of its rule sets, by identifier.
    rules_hash: BTreeMap<&'static str, &'static str>,
}

impl Responder {
    /// Returns a bot that plays these rule sets; `seed` determines its random draws.
    pub fn new(
        name: &str,
        players: impl IntoIterator<Item = (&'static RuleSet, NamedBot)>,
        seed: u64,
    ) -> Responder {
        let players = players.into_iter().map(|(rules, bot)| (rules.id(), (rules, bot)));
        Responder { name: name.to_string(), seed, players: players.collect(), any_rules_bot: None }
    }

    /// Finds the bot of this name, for those of the rule sets that it can play.
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
            match NamedBot::find(name, rules) {
                Ok(bot) => players.push((rules, bot)),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        match failure {
            Some(error) if players.is_empty() => Err(error),
            _ => Ok(Responder::new(name, players, seed)),
        }
    }

    /// Returns the bot of this name under all built-in rule sets. It must need neither a file nor
    /// another program. Reads no files and starts no programs for other names.
    ///
    /// # Errors
    /// There is no such bot.
    pub fn built_in(name: &str, seed: u64) -> Result<Responder, RegistryError> {
        let bot = registry::built_in(name)?;
        let bot = bot.ok_or_else(|| RegistryError::NotBuiltIn(name.to_string()))?;
        let sets = RuleSet::all_built_in().into_iter();
        let responder = Responder::new(name, sets.map(|rules| (rules, bot.clone())), seed);
        Ok(Responder { any_rules_bot: Some(bot), ..responder })
    }

    /// Loads the trained bot of a checkpoint folder.
    ///
    /// # Errors
    /// The checkpoint cannot be read, is damaged, or is for rules that are neither built in nor in
    /// it.
    pub fn load(folder: &Path) -> Result<Responder, BundleError> {
        Responder::trained(folder, &TrainedBot::load(folder)?)
    }

    /// Returns the trained bot of a bundle, named after the last part of `path`. It plays its own
    /// rules, and the built-in ones if it plays under any.
    ///
    /// # Errors
    /// The bundle is for rules that are neither built in nor in it, or its ONNX model cannot be
    /// used.
    pub fn trained(path: &Path, trained: &TrainedBot) -> Result<Responder, BundleError> {
        let (own, name) = (trained.info().rule_set(path)?, short_name(path));
        let others = RuleSet::built_in_names().filter(|_| trained.info().any_rules);
        // The bot's own rules come last, and replace built-in ones with the same identifier.
        let sets = others.filter_map(RuleSet::built_in).chain([own]);
        let bot = NamedBot::from_trained(&name, path, trained)?;
        let responder = Responder::new(&name, sets.map(|rules| (rules, bot.clone())), 1);
        let any_rules_bot = trained.info().any_rules.then_some(bot);
        Ok(Responder { any_rules_bot, ..responder })
    }

    /// Returns the rule set of this identifier and the bot for it, if the bot plays it.
    pub fn player(&self, rules: &str) -> Option<(&'static RuleSet, &NamedBot)> {
        self.players.get(rules).map(|(rules, bot)| (*rules, bot))
    }

    /// Returns the bot for rule sets from files, if it plays under any rules.
    pub(crate) fn any_rules_bot(&self) -> Option<&NamedBot> {
        self.any_rules_bot.as_ref()
    }

    /// Answers a request with one line, for any input.
    pub fn answer(&self, bytes: &[u8]) -> String {
        let (id, request) = parse(bytes, None);
        answer(id, &request.and_then(|request| self.respond(&request))).to_string()
    }

    /// Answers a request.
    ///
    /// # Errors
    /// The bot does not play the rules, the record contradicts them, the seat is not to act, or the
    /// bot failed.
    pub fn respond(&self, request: &BotRequest) -> Result<BotAnswer, Refusal> {
        match request {
            BotRequest::Hello => Ok(self.hello()),
            BotRequest::Act(view) => self.act(view),
            BotRequest::Legal(view) => {
                let (obs, _) = self.observation(view)?;
                let public = obs.public();
                let legal = obs.legal_actions().into_iter();
                Ok(BotAnswer::Legal {
                    seat: public.turn(),
                    phase: public.phase().name(),
                    legal: legal.map(|action| action.to_string()).collect(),
                })
            }
            BotRequest::Features(view) => self.features(view),
        }
    }

    fn hello(&self) -> BotAnswer {
        let players = self.players.iter();
        let rules_hash: BTreeMap<_, _> =
            players.map(|(&id, (rules, _))| (id, rules.hash())).collect();
        BotAnswer::Hello {
            protocol: PROTOCOL_VERSION,
            name: self.name.clone(),
            version: env!("CARGO_PKG_VERSION"),
            rules: rules_hash.keys().copied().collect(),
            bot: BotIdentity { name: self.name.clone(), rules_hash },
            commands: &COMMANDS,
        }
    }

    fn act(&self, view: &SeatView) -> Result<BotAnswer, Refusal> {
        let (obs, bot) = self.decision(view)?;
        let decision =
            decide_one(bot.instantiate(self.seed).as_mut(), &obs, DecisionDetail::Policy);
        let decision =
            decision.map_err(|error| Refusal::new(RefusalCode::BotFailed, error.to_string()))?;
        let policy = decision.policy.iter().map(|(action, p)| (action.to_string(), *p));
        Ok(BotAnswer::Act {
            action: decision.action.to_string(),
            policy: policy.collect(),
            value: decision.value,
        })
    }

    fn features(&self, view: &SeatView) -> Result<BotAnswer, Refusal> {
        let (obs, bot) = self.decision(view)?;
        let input = NetworkInput::from(&obs);
        let network = bot.network_config().unwrap_or_default();
        let (mut features, mut mask) = (vec![0.0; network.inputs()], [false; N_ACTIONS]);
        input.expand(&network, &mut features);
        obs.legal_actions().write_mask(&mut mask);
        Ok(BotAnswer::Features {
            features,
            mask: mask.to_vec(),
            observation: FEATURE_VERSION,
            actions: ACTION_VERSION,
            // Only the models of such networks have this input.
            suits: network.canonical_suits.then(|| input.suits.number()),
        })
    }

    /// Returns the observation of the seat, which must be to act, and the bot.
    fn decision(&self, view: &SeatView) -> Result<(Observation, &NamedBot), Refusal> {
        let (obs, bot) = self.observation(view)?;
        let public = obs.public();
        if public.is_done() {
            return Err(Refusal::new(RefusalCode::NotYourTurn, "the deal is over"));
        }
        let (turn, seat) = (public.turn(), obs.seat());
        if turn != seat {
            let message = format!("{turn} is to act, not {seat}");
            return Err(Refusal::new(RefusalCode::NotYourTurn, message));
        }
        Ok((obs, bot))
    }

    fn observation(&self, view: &SeatView) -> Result<(Observation, &NamedBot), Refusal> {
        let SeatView { record, seat } = view;
        // Identifiers only: a request must not make the bot read files.
        let player = self.player(&record.rules);
        let (rules, bot) =
            player.ok_or_else(|| wrong_rules(std::slice::from_ref(self), &record.rules))?;
        let obs = record.observe(rules, *seat);
        let obs = obs.map_err(|error| Refusal::new(RefusalCode::BadRecord, error.message))?;
        Ok((obs, bot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the refusal of a request as its code and message.
    fn refused(request: &Value) -> (RefusalCode, String) {
        let (_, request) = parse(request.to_string().as_bytes(), None);
        let responder = Responder::built_in("rules", 1).expect("built in");
        let refusal = request.and_then(|request| responder.respond(&request)).expect_err("refused");
        (refusal.code, refusal.message)
    }

    #[test]
    fn fields_that_are_null_are_named() {
        let record = json!({"rules": "luxembourg", "dealer": "E", "deal": "N:- - - -"});
        for field in ["record", "seat", "record.deal", "record.actions"] {
            let mut request = json!({"cmd": "act", "record": record, "seat": "S"});
            match field.strip_prefix("record.") {
                Some(field) => request["record"][field] = Value::Null,
                None => request[field] = Value::Null,
            }
            let message = format!("the field {field} is null: give it a value");
            assert_eq!(refused(&request), (RefusalCode::BadRequest, message));
        }
        // These may be null.
        let mut request = json!({"cmd": "act", "record": record, "seat": "S"});
        request["record"]["turn_up"] = Value::Null;
        request["record"]["scores_before"] = Value::Null;
        assert_eq!(refused(&request).0, RefusalCode::BadRecord, "the hand of S is missing");
    }

    #[test]
    fn all_bots_are_named_if_none_plays_the_rules() {
        let responder = |name: &str, rules: &[&str]| {
            let sets = rules.iter().map(|id| RuleSet::built_in(id).expect("built in"));
            let sets: Vec<_> = sets.collect();
            Responder::find(name, &sets, 1).expect("built in")
        };
        let bots = [responder("rules", &["wiezen"]), responder("expert", &["iwwa", "horesca"])];
        let record = json!({"rules": "wiezen", "dealer": "E", "deal": "N:- - K6.A62.A42.AT953 -"});
        let mut request = json!({"cmd": "legal", "record": record, "seat": "S"});
        let answer = |request: &Value| {
            let request = parse(request.to_string().as_bytes(), None).1.expect("a request");
            respond_with_first(&bots, &request)
        };
        for rules in ["iwwa", "wiezen"] {
            request["record"]["rules"] = json!(rules);
            let code = answer(&request).err().map(|refusal| refusal.code);
            assert_ne!(code, Some(RefusalCode::WrongRules), "{rules}");
        }
        request["record"]["rules"] = json!("luxembourg");
        let refusal = answer(&request).expect_err("refused");
        assert_eq!(refusal.code, RefusalCode::WrongRules);
        let message =
            "no bot here plays \"luxembourg\": rules plays wiezen; expert plays horesca, iwwa";
        assert_eq!(refusal.message, message);
    }
}
