//! The sentences of an explanation in one language.

use std::fmt::Display;

use anyhow::Context;

/// The sentences in English.
const ENGLISH: &str = include_str!("en.toml");

/// Values of a sentence, by the names in its braces.
pub type Values<'a> = [(&'a str, &'a dyn Display)];

/// Sentences of a language by key, such as `deal.shuffle`.
pub struct Sentences(toml::Table);

impl Sentences {
    /// Returns the sentences in English.
    pub fn english() -> anyhow::Result<Sentences> {
        let table =
            ENGLISH.parse().context("en.toml of this program is damaged; install it again")?;
        Ok(Sentences(table))
    }

    /// Returns the sentence of a key without values; the key itself if there is none.
    pub fn text(&self, key: &str) -> String {
        self.fill(key, &[])
    }

    /// Returns the sentence of a key with its values. A name without a value stays in braces.
    pub fn fill(&self, key: &str, values: &Values<'_>) -> String {
        let mut rest = self.template(key).unwrap_or(key);
        let mut filled = String::new();
        // One pass, so that braces in a value have no meaning.
        while let Some((before, name, after)) = split_at_name(rest) {
            filled += before;
            match values.iter().find(|(known, _)| *known == name) {
                Some((_, value)) => filled += &value.to_string(),
                None => filled += &format!("{{{name}}}"),
            }
            rest = after;
        }
        filled + rest
    }

    /// Returns a list of texts in one text.
    pub fn list(&self, texts: &[String]) -> String {
        texts.join(&self.text("separator"))
    }

    /// Returns a list of alternatives in one text.
    pub fn alternatives(&self, texts: &[String]) -> String {
        match texts {
            [others @ .., last] if !others.is_empty() => {
                self.fill("or", &[("list", &self.list(others)), ("last", last)])
            }
            _ => self.list(texts),
        }
    }

    fn template(&self, key: &str) -> Option<&str> {
        let (group, name) = match key.split_once('.') {
            Some((group, name)) => (self.0.get(group)?.as_table()?, name),
            None => (&self.0, key),
        };
        group.get(name)?.as_str()
    }
}

/// Splits a template at its first name in braces: the text before, the name, the text after.
fn split_at_name(template: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = template.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
}
