//! Help at the terminal: the legal actions, the meanings of an input, and hints.

use troel_env::{Action, ActionSet, CardSet, N_ACTIONS, Observation, Suit};

use super::{MAX_SHOWN_ACTIONS, Terminal, input, say};

impl Terminal {
    /// Shows why what was typed is not played: it may mean several actions, is not legal here, or
    /// means nothing.
    pub(super) fn show_fault(&self, word: &str, obs: &Observation) -> anyhow::Result<()> {
        let (legal, rules) = (obs.legal_actions(), self.live_match.rules());
        let quoted = format!("{word:?}");
        let say_text =
            |key, shown: &str| say(format_args!("  {}", self.text(key).replace("{}", shown)));
        let cards = input::cards_meant(word, legal.cards, &self.words);
        if cards.len() > 1 {
            say_text("terminal.meanings", &quoted)?;
            return say(format_args!("  {}", self.hand(cards)));
        }
        let all: ActionSet = (0..N_ACTIONS).filter_map(Action::from_index).collect();
        let known = input::read(word, all.into_iter(), &self.words, rules);
        if let Some(kind) = rules.announced() {
            let name = self.words.call(kind.name(), rules);
            if input::are_same(word, &name) {
                return say_text("terminal.announced", &name);
            }
        }
        let is_exact = known.is_some()
            || !input::cards_meant(word, CardSet::FULL, &self.words).is_empty()
            || input::is_sentence(word, &self.words);
        let said =
            [input::said(word, obs, &self.words), input::calls_meant(word, legal, &self.words)];
        let parts = (!is_exact).then(|| input::containing(word, legal, &self.words, rules));
        match said.into_iter().chain(parts).find(|meant| !meant.is_empty()) {
            // Never played: a part of a name may be that of an expensive call.
            Some(meant) => {
                say(format_args!("  {}", self.text("terminal.may")))?;
                self.show_list(meant)
            }
            None => {
                let is_known =
                    is_exact || !input::containing(word, all, &self.words, rules).is_empty();
                say_text(if is_known { "terminal.illegal" } else { "terminal.unknown" }, &quoted)?;
                // Shorter lists are above the question.
                if legal.len() > MAX_SHOWN_ACTIONS { self.show_list(legal) } else { Ok(()) }
            }
        }
    }

    /// Shows actions in lines of suits and contracts: the name of the calls, and their codes.
    pub(super) fn show_list(&self, actions: ActionSet) -> anyhow::Result<()> {
        let obs = self.live_match.observe_as(self.person);
        let lines = input::lines(actions, &obs);
        let names: Vec<String> = lines.iter().map(|line| self.line_name(line, &obs)).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        for (name, line) in names.iter().zip(&lines) {
            say(format_args!(
                "  {name:width$}{}{}",
                if width > 0 { "  " } else { "" },
                self.list(line)
            ))?;
        }
        Ok(())
    }

    /// Returns the name of the calls in a line of a list, without the suit if there are several.
    /// Cards have no other name than their sign.
    fn line_name(&self, line: &[Action], obs: &Observation) -> String {
        let Some((&first, others)) = line.split_first() else { return String::new() };
        if first.as_card().is_some() {
            return String::new();
        }
        let meaning = input::meaning(first, obs);
        if others.is_empty() {
            return self.speech().action(first, meaning);
        }
        match (meaning, input::suit_call(first)) {
            (Some(meaning), Some((_, level))) => {
                self.speech().with_verb(meaning, &level.to_string())
            }
            _ => {
                let name = self.words.call(&first.to_string(), self.live_match.rules());
                let is_suit = |c| Suit::ALL.iter().any(|suit| suit.symbol() == c);
                name.replace(is_suit, "").trim().to_string()
            }
        }
    }

    /// Shows the plausible actions with their expected points, the best one first. Also shows how
    /// likely the bot is to take each, and whether another action has more points, but not clearly
    /// more.
    pub(super) fn hint(&mut self) -> anyhow::Result<()> {
        let advice = match self.live_match.hint(self.person) {
            Ok(advice) => advice,
            Err(error) => return say(format_args!("  {}", self.refusal(&error))),
        };
        let bot = self.text("botWould");
        let best = advice.best();
        let tenths = |points: f32| (10.0 * points).round();
        let shown = advice.values.iter().map(|value| tenths(value.points.value));
        let highest = shown.fold(f32::MIN, f32::max);
        let obs = self.live_match.observe_as(self.person);
        let name = |action: Action| self.speech().action(action, input::meaning(action, &obs));
        for value in advice.values.iter().take(5) {
            let (points, action) = (value.points.value, self.painted(&name(value.action)));
            let share = 100.0 * advice.probability(value.action);
            let mark = if value.action == best { '→' } else { ' ' };
            let note = if value.action == best && tenths(points) < highest {
                format!(" · {}", self.text("terminal.notClearlyBetter"))
            } else {
                String::new()
            };
            let points = self.words.signed(points.into(), 1);
            say(format_args!("{mark} {points:>6}  {action} ({bot}: {share:.0} %){note}"))?;
        }
        if advice.values.is_empty() {
            say(format_args!("→ {}", self.painted(&name(best))))?;
        }
        Ok(())
    }
}
