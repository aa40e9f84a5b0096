use serde_json::{Value, json};
use troel_agents::{Bot, BotError, Decision, DecisionDetail, NamedBot};
use troel_env::{Observation, RuleSet};

use super::*;

/// A bot that panics at each decision.
struct Panics;

impl Bot for Panics {
    fn decide(&mut self, _: &[Observation], _: DecisionDetail) -> Result<Vec<Decision>, BotError> {
        panic!("a panic that the test wants")
    }
}

fn bot() -> TroelBot {
    let named = NamedBot::new("panics", |_| Box::new(Panics));
    let rules = RuleSet::built_in("luxembourg").expect("built in");
    TroelBot(Arc::new(Responder::new("panics", [(rules, named)], 1)))
}

#[test]
fn a_panic_in_a_request_is_an_error() {
    let bot = bot();
    let record = json!({"rules": "luxembourg", "dealer": "E", "deal": "N:- - K6.A62.A42.AT953 -"});
    let request = json!({"id": 7, "cmd": "act", "record": record, "seat": "S"}).to_string();
    let request = CString::new(request).expect("no zero byte");
    let mut buffer = [0_u8; 1000];
    let to = buffer.as_mut_ptr().cast();
    // SAFETY: a bot, a string and a buffer of this length.
    let len = unsafe { troel_bot_answer(&raw const bot, request.as_ptr(), to, buffer.len()) };
    let answer: Value = serde_json::from_slice(&buffer[..len]).expect("JSON");
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(7), &json!("internal")));
}

/// The action of the bot is refused, and the command before it stays.
#[test]
fn a_panic_of_a_bot_keeps_the_command() {
    let bot = bot();
    let say = |table: *mut TroelTable, command: &Value| -> Value {
        let command = CString::new(command.to_string()).expect("no zero byte");
        // SAFETY: a table that is not freed yet, and a string.
        let answers = unsafe { CStr::from_ptr(troel_table_do(table, command.as_ptr())) };
        serde_json::from_slice(answers.to_bytes()).expect("JSON")
    };
    let is_refused = |answer: &Value, of: &str| answer["type"] == "refused" && answer["of"] == of;
    let mut panics = 0;
    // The person calls first in one of four seats. In the others a bot calls, and panics.
    for seat in ["N", "E", "S", "W"] {
        // SAFETY: a bot.
        let table = unsafe { troel_table_new(&raw const bot) };
        let new = json!({"type": "new", "rules": "luxembourg", "seat": seat, "seed": 1});
        let answers = say(table, &new);
        assert_eq!(answers[0]["history"], json!([]), "{answers}");
        if is_refused(&answers[1], "bot") {
            panics += 1;
            assert!(is_refused(&say(table, &json!({"type": "undo"}))[0], "undo"));
        } else {
            let acted = say(table, &json!({"type": "act", "action": "pass"}));
            assert_eq!(acted[0]["history"].as_array().map(Vec::len), Some(1), "{acted}");
            assert!(is_refused(&acted[1], "bot"), "{acted}");
            assert_eq!(say(table, &json!({"type": "undo"}))[0], answers[0]);
        }
        // SAFETY: made above, and freed once.
        unsafe { troel_table_free(table) };
    }
    assert_eq!(panics, 3);
}
