//! Arguments of the linker for a module that Python loads.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // On Linux, the symbols of Python may stay undefined until the module is loaded; on macOS only
    // with these arguments.
    if std::env::var("CARGO_CFG_TARGET_VENDOR").is_ok_and(|vendor| vendor == "apple") {
        println!("cargo::rustc-cdylib-link-arg=-undefined");
        println!("cargo::rustc-cdylib-link-arg=dynamic_lookup");
    }
}
