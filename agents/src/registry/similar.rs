//! Suggestions for misspelt names.

/// Returns the name that has the same letters as a misspelt one, or the first that looks like it.
pub fn similar_name<'a>(misspelt: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let similar = names.filter(|name| is_similar(misspelt, name));
    similar.min_by_key(|name| letters(name) != letters(misspelt))
}

/// Returns the sentence that suggests the similar name, after a space; empty if there is none.
pub fn suggestion<'a>(misspelt: &str, names: impl Iterator<Item = &'a str>) -> String {
    similar_name(misspelt, names).map_or_else(String::new, |name| format!(" Did you mean {name}?"))
}

fn letters(name: &str) -> Vec<char> {
    name.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns whether two names differ by at most one letter or by two letters that are swapped. Case,
/// dashes and underscores do not matter.
fn is_similar(one: &str, other: &str) -> bool {
    let (one, other) = (letters(one), letters(other));
    let start = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[start..], &other[start..]);
    let end = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    match (&one[..one.len() - end], &other[..other.len() - end]) {
        ([] | [_], [] | [_]) => true,
        ([a, b], [c, d]) => a == d && b == c,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_one_slip_are_suggested() {
        let names = ["luxembourg-v5", "wiezen", "wiezens", "quickstart"];
        for (misspelt, wanted) in [
            ("luxemburg-v5", Some("luxembourg-v5")),
            ("Luxembourg_v5", Some("luxembourg-v5")),
            ("WIEZENS", Some("wiezens")),
            ("wizen", Some("wiezen")),
            ("quickstrat", Some("quickstart")),
            ("wizne", None),
            ("quick", None),
            ("", None),
        ] {
            assert_eq!(similar_name(misspelt, names.into_iter()), wanted, "{misspelt}");
        }
        assert_eq!(suggestion("wizen", names.into_iter()), " Did you mean wiezen?");
        assert_eq!(suggestion("chess", names.into_iter()), "");
    }
}
