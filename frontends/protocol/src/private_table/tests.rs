use troel_agents::{Bot, BotError, Decision, DecisionDetail};
use troel_env::{Action, Observation};

use serde_json::{Value, json};
use troel_agents::NamedBot;
use troel_env::{RuleSet, Seat, SeatSet};

use super::*;
use crate::bot_protocol::Responder;
use crate::live_match::{LiveMatch, MatchSettings};
use crate::provider::find_seatable_bot;
use crate::table::Table;

/// Chooses an action that is never legal in the auction.
struct Broken;

impl Bot for Broken {
    fn decide(
        &mut self,
        observations: &[Observation],
        detail: DecisionDetail,
    ) -> Result<Vec<Decision>, BotError> {
        Ok(observations.iter().map(|_| Decision::sure(Action::GIVE, detail)).collect())
    }
}

/// The answers to a command, as JSON.
fn answers(table: &mut Option<Table>, command: &[u8], provider: &Responder) -> Vec<Value> {
    handle(table, command, provider).iter().map(|answer| json!(answer)).collect()
}

#[test]
fn a_broken_bot_is_an_error_and_no_other_move() {
    let rules = RuleSet::built_in("wiezen").expect("built in");
    let broken = NamedBot::new("broken", |_| Box::new(Broken));
    let provider = |bot| Responder::new("provider", [(rules, bot)], 1);
    let (broken, sound) =
        (provider(broken), provider(find_seatable_bot("rules").expect("built in")));
    let mut table = None;
    let mut handle =
        |command: &str, provider: &Responder| answers(&mut table, command.as_bytes(), provider);
    // One of four seats calls first: with the person in each seat in turn, it is a bot three times.
    let mut failures = 0;
    for seat in ["N", "E", "S", "W"] {
        let command = format!(r#"{{"type":"new","rules":"wiezen","seat":"{seat}","seed":1}}"#);
        let answers = handle(&command, &broken);
        let shown = &answers[0];
        assert_eq!(shown["history"], json!([]));
        if let Some(refusal) = answers.get(1) {
            assert_eq!(refusal["type"], "refused");
            // The reason would name the bot's legal actions, and so its cards.
            assert_eq!(refusal["message"], "a bot failed, and its action was not executed");
            failures += 1;
        }
        assert!(answers.len() <= 2);
        assert!(handle(&command, &sound).iter().all(|a| a["type"] == "table"));
    }
    assert_eq!(failures, 3);
}

/// Any message is answered; only objects are commands. Those of shared tables are refused.
#[test]
fn what_is_no_command_is_refused() {
    let provider = Responder::built_in("rules", 1).expect("built in");
    let mut table = None;
    let mut say = |said: &[u8]| {
        let answers = answers(&mut table, said, &provider);
        assert_eq!(answers.len(), 1, "{answers:?}");
        answers[0].clone()
    };
    let refusal = |of: Value, message: &Value| json!({"type": "refused", "of": of, "message": message, "lost": false});
    for said in [
        "[]",
        r#"["next"]"#,
        r#"["rules",{"rules":"wiezen"}]"#,
        "1",
        r#""x""#,
        "true",
        "null",
        "{",
        "",
    ] {
        let answer = say(said.as_bytes());
        assert_eq!(answer, refusal(Value::Null, &answer["message"]), "{said}");
        let message = answer["message"].as_str().expect("text");
        assert!(message.starts_with("not a JSON object"), "{said}: {message}");
    }
    for (said, of) in [
        (json!({}), Value::Null),
        (json!({"type": []}), json!([])),
        (json!({"type": "nothing"}), json!("nothing")),
        (json!({"type": "act"}), json!("act")),
        (json!({"type": "next"}), json!("next")),
        (json!({"type": "here"}), json!("here")),
        (json!({"type": "share"}), json!("join")),
        (
            json!({"type": "join", "table": "0123456789abcdef", "key": "0123456789abcdef"}),
            json!("join"),
        ),
    ] {
        let answer = say(said.to_string().as_bytes());
        assert_eq!(answer, refusal(of, &answer["message"]), "{said}");
    }
}

#[test]
fn fields_that_are_null_are_named() {
    let provider = Responder::built_in("rules", 1).expect("built in");
    let mut table = None;
    let record = json!({"rules": "iwwa", "dealer": "E", "deal": null});
    for (said, field) in [
        (json!({"type": "act", "action": null}), "action"),
        (json!({"type": "new", "rules": "iwwa", "seat": null, "seed": null}), "seat"),
        (json!({"type": "new", "rules": "iwwa", "seat": "S", "record": record}), "record.deal"),
    ] {
        let answers = answers(&mut table, said.to_string().as_bytes(), &provider);
        let message = format!("the field {field} is null: give it a value");
        assert_eq!(answers[0]["message"], json!(message));
    }
    let new = json!({"type": "new", "rules": "iwwa", "seat": "S", "seed": 1, "record": null});
    let answers = self::answers(&mut table, new.to_string().as_bytes(), &provider);
    assert_eq!(answers[0]["type"], "table", "the record may be null");
    // A null field that the command does not have is not the fault.
    let act = json!({"type": "act", "from": null});
    let answers = self::answers(&mut table, act.to_string().as_bytes(), &provider);
    assert_eq!(answers[0]["message"], "missing field `action`");
}

/// A deal in a record is played again, by other bots.
#[test]
fn a_record_opens_its_deal() {
    let rules = RuleSet::built_in("iwwa").expect("built in");
    let settings = MatchSettings::new(rules, find_seatable_bot("random").expect("built in"), 9);
    let mut first = LiveMatch::new(settings, SeatSet::single(Seat::South)).unwrap();
    let hand = json!(first.show(Seat::South))["hand"].clone();
    while first.scores().is_none() {
        if first.is_bots_turn() {
            first.play_bot_turn().unwrap()
        } else {
            let action = first.hint(Seat::South).unwrap().best().to_string();
            first.act(Seat::South, &action).unwrap();
        }
    }
    let record = json!(first.show(Seat::South))["record"].clone();
    let provider = Responder::built_in("rules", 1).unwrap();
    let command = json!({
        "type": "new", "rules": "iwwa", "seat": "S", "seed": 1, "record": record,
        "bots": {"N": "expert", "W": "random"},
    });
    let mut table = None;
    let shown = answers(&mut table, command.to_string().as_bytes(), &provider);
    assert_eq!(shown[0]["hand"], hand);
    assert_eq!(shown[0]["bots"], json!({"N": "expert", "E": "rules", "S": "rules", "W": "random"}));
    let wrong = json!({"type": "again", "bots": {"N": "bot:rm"}}).to_string();
    let refused = answers(&mut table, wrong.as_bytes(), &provider);
    assert!(refused[0]["message"].as_str().unwrap().contains("expert"), "{refused:?}");
    let other = json!({"type": "new", "rules": "wiezen", "seat": "S", "seed": 1, "record": record});
    let refused = answers(&mut table, other.to_string().as_bytes(), &provider);
    let message = refused[0]["message"].as_str().unwrap();
    assert_eq!(
        message,
        "the rules of the record are iwwa, those of the match wiezen; make them equal"
    );
}

/// A match under the rules of a file is played by a bot for any rules. Other bots, a server, a file
/// with another id and a file that is no rule file refuse it.
#[test]
fn a_rule_file_opens_a_match() {
    // Read when the test runs: the package of this crate does not have the file.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/rules/club-wiezen.toml");
    let file = &std::fs::read_to_string(path).expect("there");
    let command = |kind: &str, id: &str, file: &str| {
        json!({"type": kind, "rules": id, "rule_file": file, "seat": "S", "seed": 1})
            .to_string()
            .into_bytes()
    };
    let expert = Responder::built_in("expert", 1).expect("built in");
    let mut table = None;
    let rules = answers(&mut table, &command("rules", "club-wiezen", file), &expert);
    assert_eq!((&rules[0]["type"], &rules[0]["rules"]), (&json!("rules"), &json!("club-wiezen")));
    let shown = answers(&mut table, &command("new", "club-wiezen", file), &expert);
    let last = shown.last().expect("a table");
    assert_eq!((&last["rules"], &last["turn"]), (&json!("club-wiezen"), &json!("S")));
    let refusal = |provider: &Responder, id: &str, file: &str| {
        let answers = answers(&mut None, &command("new", id, file), provider);
        assert_eq!(answers[0]["type"], "refused");
        answers[0]["message"].as_str().expect("a reason").to_string()
    };
    assert!(refusal(&expert, "club", file).contains("the id club-wiezen"));
    assert!(refusal(&expert, "club-wiezen", "id = 1").contains("rule_file"));
    let wiezen = file.replace("\"club-wiezen\"", "\"wiezen\"");
    assert!(refusal(&expert, "wiezen", &wiezen).contains("belongs to a built-in rule set"));
    let rules = RuleSet::built_in("wiezen").expect("built in");
    let one = Responder::new("rules", [(rules, find_seatable_bot("rules").expect("there"))], 1);
    assert!(refusal(&one, "club-wiezen", file).contains("does not play this rule set"));
}
