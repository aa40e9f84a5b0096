//! Differences between recipes, and the keys that may change when a run is resumed.

/// Keys of a recipe that may change when a run is resumed. They do not affect the training done so
/// far.
const CHANGEABLE_KEYS: [&str; 6] =
    ["run", "iterations", "eval", "tensorboard", "checkpoint_every", "checkpoint_keep_every"];

/// Returns the keys that must not change but differ between two recipes. Each has its old and its
/// new value.
pub(crate) fn changed_keys(then: &toml::Table, now: &toml::Table) -> Vec<String> {
    let mut keys = Vec::new();
    let (mut then, mut now) = (then.clone(), now.clone());
    if then.contains_key("start") && now.contains_key("start") {
        // `init` is then the bot of the start recipe in the folder of the run, which may have
        // moved.
        then.remove("init");
        now.remove("init");
    }
    for key in CHANGEABLE_KEYS {
        then.remove(key);
        now.remove(key);
    }
    let shown = |was: String, is: String| format!("was {was}, is {is}");
    compare(&mut keys, "", &then, &now, &shown);
    keys
}

/// Returns the keys that differ between the recipes of two processes. Each has its values in the
/// first and the second.
pub(crate) fn differing_keys(first: &toml::Table, second: &toml::Table) -> Vec<String> {
    let mut keys = Vec::new();
    let shown = |first: String, second: String| format!("{first} and {second}");
    compare(&mut keys, "", first, second, &shown);
    keys
}

fn compare(
    keys: &mut Vec<String>,
    prefix: &str,
    then: &toml::Table,
    now: &toml::Table,
    both: &dyn Fn(String, String) -> String,
) {
    let missing = || "nothing".to_string();
    let names: std::collections::BTreeSet<&String> = then.keys().chain(now.keys()).collect();
    for name in names {
        let key = format!("{prefix}{name}");
        match (then.get(name), now.get(name)) {
            (Some(a), Some(b)) if a == b => {}
            (Some(toml::Value::Table(a)), Some(toml::Value::Table(b))) => {
                compare(keys, &format!("{key}."), a, b, both);
            }
            (a, b) => {
                let shown = |v: Option<&toml::Value>| {
                    v.map_or_else(missing, |value| with_short_floats(value).to_string())
                };
                keys.push(format!("{key} ({})", both(shown(a), shown(b))));
            }
        }
    }
}

/// Returns a value with the shortest digits for its floats. The floats of a recipe are `f32`, and
/// TOML would show the digits of an `f64`.
fn with_short_floats(value: &toml::Value) -> toml::Value {
    match value {
        toml::Value::Float(number) => {
            let single = *number as f32;
            let short = single.to_string().parse::<f64>().ok();
            let short = short.filter(|_| f64::from(single) == *number);
            toml::Value::Float(short.unwrap_or(*number))
        }
        toml::Value::Array(values) => {
            toml::Value::Array(values.iter().map(with_short_floats).collect())
        }
        toml::Value::Table(table) => {
            let short =
                |(key, value): (&String, &toml::Value)| (key.clone(), with_short_floats(value));
            toml::Value::Table(table.iter().map(short).collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_matter_are_named_with_their_values() {
        let parse = |text: &str| text.parse::<toml::Table>().unwrap();
        let then = parse("run = 'a'\niterations = 3\nseed = 1\n[ppo]\nclip_coef = 0.2\nshards = 2");
        assert!(changed_keys(&then, &then).is_empty());
        let now = parse("run = 'b'\niterations = 9\nseed = 1\n[ppo]\nclip_coef = 0.2\nshards = 2");
        assert!(changed_keys(&then, &now).is_empty(), "the folder and the horizon may change");
        let with_start = |init: &str| parse(&format!("init = '{init}'\n[start]\nrecipe = 'a'"));
        assert!(changed_keys(&with_start("x/start/bot"), &with_start("y/start/bot")).is_empty());
        assert_eq!(changed_keys(&parse("init = 'x'"), &parse("init = 'y'")).len(), 1);
        let now = parse("run = 'a'\nseed = 2\n[ppo]\nclip_coef = 0.3\nshards = 2\nextra = 1");
        assert_eq!(
            changed_keys(&then, &now),
            [
                "ppo.clip_coef (was 0.2, is 0.3)",
                "ppo.extra (was nothing, is 1)",
                "seed (was 1, is 2)",
            ]
        );
        let then = parse("clip = 0.20000000298023224\nshares = [0.10000000149011612]");
        let now = parse("clip = 0.1\nshares = [1.0]");
        assert_eq!(
            changed_keys(&then, &now),
            ["clip (was 0.2, is 0.1)", "shares (was [0.1], is [1.0])"]
        );
    }
}
