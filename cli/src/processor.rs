//! Check that the processor has the instructions that the program was compiled for.
//!
//! `.cargo/config.toml` compiles for x86-64-v3. Without this check, an older processor ends the
//! program with an illegal instruction and no message.
//!
//! The check itself is compiled for x86-64-v3, too. It only tests bits and calls the standard
//! library, which is compiled for every x86-64 processor. `.ci/platforms` runs it on an old,
//! emulated processor. `is_x86_feature_detected!` cannot be used: it is constant for instructions
//! that the code is compiled for.

use std::arch::x86_64::__cpuid;
use std::io::Write;

/// Register of `cpuid` that reports an instruction set.
enum Register {
    /// `ecx` of leaf 1.
    Basic,
    /// `ebx` of leaf 7.
    Structured,
    /// `ecx` of leaf 0x8000_0001.
    Extended,
}

/// An instruction set that the program may be compiled for.
struct InstructionSet {
    name: &'static str,
    /// Whether the program is compiled for it.
    is_used: bool,
    register: Register,
    bit: u32,
}

macro_rules! instruction_sets {
    ($($name:literal in $register:ident at $bit:literal,)*) => {
        [$(InstructionSet {
            name: $name,
            is_used: cfg!(target_feature = $name),
            register: Register::$register,
            bit: $bit,
        }),*]
    };
}

/// The instruction sets of x86-64-v2 and x86-64-v3. `xsave` is the bit that the operating system
/// sets if it saves the registers of AVX.
static INSTRUCTION_SETS: [InstructionSet; 14] = instruction_sets![
    "sse3" in Basic at 0,
    "ssse3" in Basic at 9,
    "fma" in Basic at 12,
    "sse4.1" in Basic at 19,
    "sse4.2" in Basic at 20,
    "movbe" in Basic at 22,
    "popcnt" in Basic at 23,
    "xsave" in Basic at 27,
    "avx" in Basic at 28,
    "f16c" in Basic at 29,
    "bmi1" in Structured at 3,
    "avx2" in Structured at 5,
    "bmi2" in Structured at 8,
    "lzcnt" in Extended at 5,
];

/// Returns whether the processor has all instructions that the program is compiled for. Otherwise
/// prints an error on standard error.
#[inline(never)]
pub fn is_supported() -> bool {
    let basic = __cpuid(1).ecx;
    // A processor without a leaf answers with the values of another leaf.
    let structured = if __cpuid(0).eax >= 7 { __cpuid(7).ebx } else { 0 };
    let extended =
        if __cpuid(0x8000_0000).eax > 0x8000_0000 { __cpuid(0x8000_0001).ecx } else { 0 };
    let mut is_supported = true;
    for set in &INSTRUCTION_SETS {
        let register = match set.register {
            Register::Basic => basic,
            Register::Structured => structured,
            Register::Extended => extended,
        };
        if set.is_used && register >> set.bit & 1 == 0 {
            if is_supported {
                print("troel: this processor lacks instructions that the program uses:");
            }
            is_supported = false;
            print(" ");
            print(set.name);
        }
    }
    if !is_supported {
        print(
            ". Use a processor with AVX2 (most since 2015), or build Troel on this machine: \
             RUSTFLAGS=\"-C target-cpu=native\" cargo build --release\n",
        );
    }
    is_supported
}

/// Writes to standard error without formatting, whose code would be compiled for x86-64-v3.
fn print(text: &'static str) {
    // Nothing can report that standard error is closed.
    let _ = std::io::stderr().write_all(text.as_bytes());
}
