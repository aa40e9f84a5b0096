//! Search for optional tools.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::row::{Row, Status};

/// Time limit for a tool to print its version, over all of its commands.
const TIME_LIMIT: Duration = Duration::from_secs(15);

/// Largest number of bytes that are read of a tool's output.
const MAX_OUTPUT_BYTES: u64 = 1 << 16;

/// An optional tool.
struct Tool {
    name: &'static str,
    /// Commands that print its version. The first that succeeds counts.
    commands: &'static [&'static [&'static str]],
    purpose: &'static str,
    remedy: &'static str,
}

const PYTHON: &str = "Python";

const PYTHON_PACKAGE: &str = "Python package troel";

/// Oldest version of Python that the package supports.
const OLDEST_PYTHON: [u32; 2] = [3, 10];

const TOOLS: [Tool; 11] = [
    Tool {
        name: PYTHON,
        // A script, because `--version` succeeds even if the standard library is missing.
        commands: &[
            &["python3", "-c", "import platform; print(platform.python_version())"],
            &["python", "-c", "import platform; print(platform.python_version())"],
        ],
        purpose: "environments, scripts in docs",
        remedy: "Install Python 3.10 or later.",
    },
    Tool {
        name: PYTHON_PACKAGE,
        commands: &[
            &["python3", "-c", "import troel; print(troel.__version__)"],
            &["python", "-c", "import troel; print(troel.__version__)"],
        ],
        purpose: "environments and bots in Python",
        remedy: "pip install with the wheel of a release; in a clone of the repository: pip install \
                 ./frontends/python",
    },
    Tool {
        name: "ONNX Runtime",
        commands: &[
            &["python3", "-c", "import onnxruntime; print(onnxruntime.__version__)"],
            &["python", "-c", "import onnxruntime; print(onnxruntime.__version__)"],
        ],
        purpose: "runs exported bots in Python",
        remedy: "pip install onnxruntime",
    },
    Tool {
        name: "TensorBoard",
        commands: &[&["tensorboard", "--version"]],
        purpose: "training curves",
        remedy: "pip install tensorboard",
    },
    Tool {
        name: "Node.js",
        commands: &[&["node", "--version"]],
        purpose: "exported bots in JavaScript, building the page",
        remedy: "Install the package nodejs of your system.",
    },
    Tool {
        name: "Chromium",
        commands: &[
            &["chromium", "--version"],
            &["chromium-browser", "--version"],
            &["google-chrome", "--version"],
        ],
        purpose: "tests of the page",
        remedy: "Install the package chromium of your system.",
    },
    Tool {
        name: "nginx",
        commands: &[&["nginx", "-v"], &["/usr/sbin/nginx", "-v"]],
        purpose: "a reverse proxy in front of troel serve",
        remedy: "Install the package nginx of your system.",
    },
    Tool {
        name: "mpirun",
        commands: &[&["mpirun", "--version"]],
        purpose: "starts a training on several machines",
        remedy: "Install Open MPI (docs/cluster.md).",
    },
    Tool {
        name: "Valgrind",
        commands: &[&["valgrind", "--version"]],
        purpose: "tests of the C interface",
        remedy: "Install the package valgrind of your system.",
    },
    Tool {
        name: "mdBook",
        commands: &[&["mdbook", "--version"]],
        purpose: "builds the documentation site",
        remedy: "cargo install --locked mdbook@0.5.4",
    },
    Tool {
        name: "WebAssembly compiler",
        commands: &[&["rustc", "--print", "target-libdir", "--target", "wasm32-unknown-unknown"]],
        purpose: "builds the bots of the page",
        remedy: "rustup target add wasm32-unknown-unknown",
    },
];

/// Looks for all tools at the same time.
pub fn find() -> Vec<Row> {
    std::thread::scope(|scope| {
        let running: Vec<_> = TOOLS.iter().map(|tool| (tool, scope.spawn(|| row(tool)))).collect();
        let rows = running.into_iter().map(|(tool, thread)| {
            thread.join().unwrap_or_else(|_| missing(tool, "cannot be asked".to_string()))
        });
        rows.collect()
    })
}

fn missing(tool: &Tool, found: String) -> Row {
    let (purpose, remedy) = (tool.purpose, tool.remedy);
    Row { status: Status::Missing, purpose, remedy, ..Row::ok("Tools", tool.name, found) }
}

/// Returns the row of a tool.
fn row(tool: &Tool) -> Row {
    let mut fault = "not found".to_string();
    let until = Instant::now() + TIME_LIMIT;
    for command in tool.commands {
        match version(command, until) {
            Ok(version) => return found(tool, &version),
            Err(Fault::TimedOut) => {
                let seconds = TIME_LIMIT.as_secs();
                return missing(tool, format!("gave no answer within {seconds} seconds"));
            }
            Err(Fault::NotFound) => {}
            Err(Fault::Other(other)) => fault = other,
        }
    }
    missing(tool, fault)
}

/// Returns the row of a tool that printed its version.
fn found(tool: &Tool, version: &str) -> Row {
    let ours = env!("CARGO_PKG_VERSION");
    if tool.name == "WebAssembly compiler" {
        // rustc prints the folder even if the target is not installed.
        return match std::path::Path::new(version).is_dir() {
            true => Row { purpose: tool.purpose, ..Row::ok("Tools", tool.name, "installed") },
            false => missing(tool, "the target is not installed".to_string()),
        };
    }
    if tool.name == PYTHON && !is_supported_python(version) {
        let [major, minor] = OLDEST_PYTHON;
        return missing(tool, format!("{version}, but {major}.{minor} or later is needed"));
    }
    if tool.name == PYTHON_PACKAGE && version != ours {
        return missing(tool, format!("{version}, but the program is {ours}"));
    }
    Row { purpose: tool.purpose, ..Row::ok("Tools", tool.name, version) }
}

/// Returns whether the package supports this version of Python.
fn is_supported_python(version: &str) -> bool {
    let parts: Option<Vec<u32>> =
        version.split('.').take(OLDEST_PYTHON.len()).map(|part| part.parse().ok()).collect();
    parts.is_some_and(|parts| parts.as_slice() >= OLDEST_PYTHON.as_slice())
}

/// Reason why a tool did not print its version.
enum Fault {
    NotFound,
    TimedOut,
    Other(String),
}

/// Returns the first line that a command prints until a point in time, on standard output or else
/// on standard error.
fn version(command: &[&str], until: Instant) -> Result<String, Fault> {
    let Some((program, arguments)) = command.split_first() else { return Err(Fault::NotFound) };
    let mut tool = Command::new(program);
    tool.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = tool.spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Fault::NotFound,
        _ => Fault::Other(format!("cannot be started: {error}")),
    })?;
    let (output, errors) =
        (child.stdout.take().map(first_line), child.stderr.take().map(first_line));
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(10)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(Fault::TimedOut);
            }
        }
    };
    if !status.success() {
        return Err(Fault::Other("not found, or cannot be used".to_string()));
    }
    // A process that the tool has started may keep the pipes open.
    let line = |lines: Option<mpsc::Receiver<String>>| {
        lines.and_then(|lines| lines.recv_timeout(Duration::from_secs(1)).ok())
    };
    let found = line(output).filter(|line| !line.is_empty()).or_else(|| line(errors));
    Ok(found.unwrap_or_default())
}

/// Reads the first line of a tool's output. Discards the rest, so that the tool does not block.
fn first_line(mut output: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = output.by_ref().take(MAX_OUTPUT_BYTES).read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes);
        let _ = sender.send(text.lines().next().unwrap_or_default().trim().to_string());
        let _ = std::io::copy(&mut output, &mut std::io::sink());
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_command_is_ended_at_the_time_limit() {
        let started = Instant::now();
        let found = version(&["sleep", "60"], started + Duration::from_millis(50));
        assert!(matches!(found, Err(Fault::TimedOut)) && started.elapsed().as_secs() < 30);
    }

    #[test]
    fn python_needs_its_oldest_supported_version() {
        for version in ["3.10.0", "3.14.0rc1", "3.11", "4.0.1"] {
            assert!(is_supported_python(version), "{version}");
        }
        for version in ["3.9.18", "2.7.18", "3", "", "Python 3.12.3"] {
            assert!(!is_supported_python(version), "{version}");
        }
    }
}
