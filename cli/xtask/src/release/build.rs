//! The steps that build the files of a release, in order.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::release::man;
use crate::release::plan::{Plan, Scope, command};
use crate::{site, tools};

/// Profile of the program and the wheel: with line numbers, and linked as a whole.
const PROFILE: &str = "dist";
const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];
/// Folder whose contents maturin adds to a wheel, if it exists. The name is maturin's default.
const WHEEL_DATA: &str = "frontends/python/troel._troel.data";
/// Largest crate that crates.io accepts by default, in bytes.
const MAX_CRATE_SIZE: u64 = 10 * 1024 * 1024;
/// Files of the repository in the archive of the program.
const DOCUMENTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Builds everything in `out`, a new or empty folder.
///
/// # Errors
/// Names the step that failed.
pub fn build(
    root: &Path,
    out: &Path,
    plan: &Plan,
    rule_sets: &[String],
    crates: &[String],
    bom: &Value,
) -> Result<(), String> {
    if fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(format!("{} is not empty; name a new folder", out.display()));
    }
    fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    step("the program");
    let program = program(root, out, plan)?;
    step("the archive");
    archive(root, out, plan, &program)?;
    if plan.has_wheel() {
        step("the wheel");
        wheel(root, out, plan, &program)?;
    }
    if plan.scope == Scope::All {
        step("the crates");
        pack(root, out, &plan.version, crates)?;
        step("the pages to play on");
        for rules in rule_sets {
            let page = out.join(format!("troel-{}-{rules}.html", plan.version));
            tools::run(plan.run(&program).arg("page").arg(page).args(["--rules", rules]))?;
        }
        step("the site");
        site::build(Some(out.join("site")))?;
    }
    step("the list of components");
    let text = format!("{bom:#}\n");
    tools::write(&out.join(format!("{}.cdx.json", plan.name())), &text)?;
    step("the checksums");
    let sums = checksums(out)?;
    tools::write(&out.join("SHA256SUMS"), &sums)?;
    print!("{sums}");
    Ok(())
}

fn step(name: &str) {
    eprintln!("xtask: {name}");
}

/// Builds the program, keeps its symbols in `out`, and returns the path of the stripped program.
fn program(root: &Path, out: &Path, plan: &Plan) -> Result<PathBuf, String> {
    let target = tools::variable("CARGO_TARGET_DIR")
        .map_or_else(|| root.join("target"), |folder| root.join(folder));
    let mut build = if plan.uses_zig() {
        command(root, "cargo-zigbuild", &["zigbuild", "--target", &plan.zig_target()])
    } else {
        command(root, "cargo", &["build", "--target", &plan.target])
    };
    build.args(["--locked", "--profile", PROFILE, "--package", "troel"]);
    build.env("CARGO_TARGET_DIR", &target);
    if let Some(cpu) = &plan.cpu {
        // Replaces the flags of .cargo/config.toml.
        build.env("RUSTFLAGS", format!("-C target-cpu={cpu}"));
    }
    if !plan.has_symbols() {
        build.env("CARGO_PROFILE_DIST_STRIP", "symbols");
    }
    tools::run(&mut build)?;
    let built = target.join(&plan.target).join(PROFILE).join(plan.program());
    let Some(objcopy) = plan.objcopy() else { return Ok(built) };
    let symbols = out.join(format!("{}.debug", plan.name()));
    let stripped = target.join("release-program").join(&plan.target).join(plan.program());
    tools::copy(&built, &stripped)?;
    let mut keep = Command::new(objcopy);
    keep.args(["--only-keep-debug", "--compress-debug-sections=zlib"]).arg(&built).arg(&symbols);
    tools::run(&mut keep)?;
    let mut link = std::ffi::OsString::from("--add-gnu-debuglink=");
    link.push(&symbols);
    tools::run(Command::new(objcopy).arg("--strip-all").arg(link).arg(&stripped))?;
    Ok(stripped)
}

/// Packs the program with its completions, manual pages and documents.
fn archive(root: &Path, out: &Path, plan: &Plan, program: &Path) -> Result<(), String> {
    let staged = root.join("target/release-archive");
    tools::remove_folder(&staged)?;
    let folder = staged.join(plan.name());
    tools::copy(program, &folder.join(plan.program()))?;
    for document in DOCUMENTS {
        tools::copy(&root.join(document), &folder.join(document))?;
    }
    for shell in SHELLS {
        let (text, _) = tools::run(plan.run(program).args(["completions", shell]))?;
        tools::write(&folder.join(format!("completions/troel.{shell}")), &text)?;
    }
    for (file, text) in man::pages(&|| plan.run(program), &plan.version)? {
        tools::write(&folder.join("man").join(file), &text)?;
    }
    let mut pack = if plan.is_windows() && !cfg!(windows) {
        let mut zip = Command::new("zip");
        zip.args(["-q", "-r", "-X"]).arg(out.join(format!("{}.zip", plan.name())));
        zip
    } else if plan.is_windows() {
        // The system's own tar writes zip files; another one on the path may not.
        let system = tools::variable("SystemRoot").unwrap_or_else(|| "C:\\Windows".into());
        let mut tar = Command::new(Path::new(&system).join("System32/tar.exe"));
        tar.args(["-a", "-c", "-f"]).arg(out.join(format!("{}.zip", plan.name())));
        tar
    } else {
        let mut tar = Command::new("tar");
        if tools::run(Command::new("tar").arg("--version"))
            .is_ok_and(|(version, _)| version.contains("GNU"))
        {
            // Equal files give equal archives.
            tar.args(["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"]);
        }
        tar.arg("-czf").arg(out.join(format!("{}.tar.gz", plan.name())));
        tar
    };
    tools::run(pack.arg(plan.name()).current_dir(&staged))?;
    tools::remove_folder(&staged)
}

/// Builds the wheel, with the program inside.
fn wheel(root: &Path, out: &Path, plan: &Plan, program: &Path) -> Result<(), String> {
    let data = root.join(WHEEL_DATA);
    tools::remove_folder(&data)?;
    tools::copy(program, &data.join("scripts").join(plan.program()))?;
    let manifest = ["--manifest-path", "frontends/python/Cargo.toml"];
    let mut build = command(root, "maturin", &["build", "--locked", "--profile", PROFILE]);
    build.args(manifest).args(["--target", &plan.target]).arg("--out").arg(out);
    if let Some(compatibility) = plan.compatibility() {
        build.args(["--zig", "--compatibility", compatibility]);
    }
    let built = tools::run(&mut build);
    // A later `pip install ./frontends/python` must not take this program.
    tools::remove_folder(&data)?;
    built.map(drop)
}

/// Packs the crates that can be published. The registry verifies them once more.
fn pack(root: &Path, out: &Path, version: &str, crates: &[String]) -> Result<(), String> {
    let target = root.join("target/release-crates");
    tools::remove_folder(&target)?;
    let mut package = tools::cargo(root);
    package.args(["package", "--no-verify", "--locked", "--target-dir"]).arg(&target);
    for name in crates {
        package.args(["--package", name]);
    }
    tools::run(&mut package)?;
    for name in crates {
        let file = format!("{name}-{version}.crate");
        let packed = target.join("package").join(&file);
        let size = fs::metadata(&packed).map_err(|error| format!("{file}: {error}"))?.len();
        if size > MAX_CRATE_SIZE {
            eprintln!(
                "note: {file} has {:.1} MB, and crates.io takes at most {:.1} MB; ask it for more",
                size as f64 / 1e6,
                MAX_CRATE_SIZE as f64 / 1e6
            );
        }
        tools::copy(&packed, &out.join("crates").join(&file))?;
    }
    tools::remove_folder(&target)
}

/// Returns the SHA-256 of each file in the form of `sha256sum`, without those of the site.
fn checksums(out: &Path) -> Result<String, String> {
    let mut sums = String::new();
    for file in tools::files_below(out)?.iter().filter(|file| !file.starts_with("site")) {
        let path = out.join(file);
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let digest = Sha256::digest(bytes);
        sums.extend(digest.iter().map(|byte| format!("{byte:02x}")));
        sums += &format!("  {}\n", file.display().to_string().replace('\\', "/"));
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_sha256sum() {
        let folder = std::env::temp_dir().join(format!("troel-checksums-{}", std::process::id()));
        tools::write(&folder.join("crates/b"), "").expect("written");
        tools::write(&folder.join("a"), "abc").expect("written");
        tools::write(&folder.join("site/index.html"), "page").expect("written");
        let sums = checksums(&folder);
        tools::remove_folder(&folder).expect("removed");
        assert_eq!(
            sums.as_deref(),
            Ok("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n\
                e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  crates/b\n")
        );
    }
}
