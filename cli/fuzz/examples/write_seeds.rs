//! Writes the seeds of each target into a folder, for a fuzzer.

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = env::args_os().nth(1).map_or_else(|| PathBuf::from("target/fuzz"), PathBuf::from);
    for (name, _) in troel_fuzz::TARGETS {
        let place = folder.join(name);
        fs::create_dir_all(&place)?;
        for (number, seed) in troel_fuzz::seeds(name).iter().enumerate() {
            fs::write(place.join(format!("seed-{number:03}")), seed)?;
        }
        println!("{}", place.display());
    }
    Ok(())
}
