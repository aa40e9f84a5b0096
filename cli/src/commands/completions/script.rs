//! Completion scripts of clap, extended to complete names.

use clap_complete::Shell;

/// Completes names in bash. The function of clap completes other words.
const BASH: &str = r#"
_troel() {
    local IFS=$'\n' names
    names=$("${COMP_WORDS[0]/#\~/$HOME}" complete-names --split -- \
        "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [[ -z $names ]]; then
        unset IFS
        _troel_commands_and_options "$@"
        return
    fi
    COMPREPLY=()
    local name
    # An unquoted expansion would replace names that look like patterns by files.
    while read -r name; do COMPREPLY+=("$name"); done <<< "$names"
    # The user goes on after a prefix or a folder.
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=/] ]]; then
        compopt -o nospace 2>/dev/null
    fi
    return 0
}
"#;

/// Completes names in zsh.
const ZSH: &str = r#"
_troel() {
    local -a names
    names=("${(@f)$(${words[1]} complete-names -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -z "$names" ]]; then
        _troel_commands_and_options "$@"
        return
    fi
    local -a open closed
    open=(${(M)names:#*[:=/]})
    closed=(${names:#*[:=/]})
    compadd -S '' -- $open
    compadd -- $closed
}
"#;

/// Completes names in fish.
const FISH: &str = "
function __troel_names
    set -l words (commandline -opc)
    $words[1] complete-names -- $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c troel -a '(__troel_names)'
";

/// Name of the function of clap in the extended scripts of bash and zsh.
const RENAMED: &str = "_troel_commands_and_options() {\n";

/// Name of that function in the script of clap.
const FUNCTION: &str = "_troel() {\n";

/// Returns the script of clap for a shell, extended for bash, zsh and fish.
pub fn with_names(shell: Shell, script: &str) -> String {
    let renamed = script.replacen(FUNCTION, RENAMED, 1);
    match shell {
        // The function has to exist before the line that registers it.
        Shell::Bash => insert_before(&renamed, "\nif [[ \"${BASH_VERSINFO", BASH),
        Shell::Zsh => insert_before(&renamed, "\nif [ \"$funcstack", ZSH),
        Shell::Fish => format!("{script}{FISH}"),
        _ => script.to_string(),
    }
}

/// Inserts `text` before the last occurrence of `place`, or at the end if there is none.
fn insert_before(script: &str, place: &str, text: &str) -> String {
    let (head, tail) = script.split_at(script.rfind(place).unwrap_or(script.len()));
    format!("{head}{text}{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A new version of clap_complete may write other scripts.
    #[test]
    fn the_scripts_of_clap_have_the_places() {
        for (shell, registers) in
            [(Shell::Bash, "complete -F _troel "), (Shell::Zsh, "compdef _troel troel")]
        {
            let mut generated = Vec::new();
            clap_complete::generate(shell, &mut crate::command_line(), "troel", &mut generated);
            let generated = String::from_utf8(generated).expect("UTF-8");
            let script = with_names(shell, &generated);
            let place = |text: &str| script.find(text).unwrap_or_else(|| panic!("{shell}: {text}"));
            assert_eq!(script.matches(&format!("\n{FUNCTION}")).count(), 1, "{shell}");
            assert!(place(RENAMED) < place(&format!("\n{FUNCTION}")), "{shell}");
            assert!(place(&format!("\n{FUNCTION}")) < script.rfind(registers).expect(registers));
        }
    }
}
