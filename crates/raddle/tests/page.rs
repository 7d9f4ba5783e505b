//! The page in a browser, where there is one: nothing is wider than a narrow window. What else it has to be is tested without one.

use std::path::Path;
use std::process::{Command, Stdio};

/// Debian's names.
const BROWSERS: [&str; 2] = ["chromium", "chromium-browser"];

/// How wide the page is in a window of so many pixels.
fn width(browser: &str, folder: &Path, pixels: u32) -> u32 {
    // The page runs nothing itself: what measures it stands around it.
    let around = format!(
        "<!DOCTYPE html><iframe src=page.html style=\"width:{pixels}px;height:900px;border:0\" onload=\"\
         document.title = contentDocument.documentElement.scrollWidth\"></iframe>"
    );
    std::fs::write(folder.join("around.html"), around).expect("writable");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}", folder.join("around.html").display()))
        .stderr(Stdio::null())
        .output()
        .expect("the browser runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let title = text.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
    title.and_then(|(title, _)| title.parse().ok()).unwrap_or_else(|| panic!("no width in {text}"))
}

#[test]
fn nothing_is_wider_than_a_narrow_window() {
    let runs = |name: &&&str| {
        let mut command = Command::new(name);
        command
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    let Some(browser) = BROWSERS.iter().find(runs) else {
        eprintln!("skipped: there is no chromium");
        return;
    };
    let place = tempfile::tempdir().expect("a temporary directory");
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ui/races/calls/clients.c");
    let ran = Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(["races", "--html", "page.html", "--op", "add", "--op", "first"])
        .arg(library.canonicalize().expect("it is there"))
        .args(["--", "-Dreturned"])
        .current_dir(place.path())
        .output()
        .expect("raddle runs");
    assert_eq!(ran.status.code(), Some(10), "{}", String::from_utf8_lossy(&ran.stderr));
    let page = std::fs::read_to_string(place.path().join("page.html")).expect("it is written");
    std::fs::write(place.path().join("page.html"), page.replace("<details", "<details open")).expect("writable");
    for pixels in [390, 800, 1400] {
        let wide = width(browser, place.path(), pixels);
        assert!(wide <= pixels, "{wide} of {pixels} pixels");
    }
}
