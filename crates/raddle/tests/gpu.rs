//! `raddle gpu` on the command line: what it takes and refuses.

mod support;

use support::Place;

const KERNELS: &str = "fn f0 fill() external kernel {\nb0:\n  return\n}\n\nfn f1 copy() external kernel {\nb0:\n  return\n}\n\n\
                       fn f2 helper() external {\nb0:\n  return\n}\n";
const ONE: &str = "fn f0 fill() external kernel {\nb0:\n  return\n}\n";
const NONE: &str = "fn f0 helper() external {\nb0:\n  return\n}\n";

fn place(module: &str) -> Place {
    let place = Place::lowering(module);
    place.write("a.cu", "");
    place
}

#[test]
fn the_only_kernel_needs_no_name_and_the_claim_says_its_launch() {
    let (code, report) = place(ONE).json(&["gpu", "a.cu"]);
    assert_eq!((code, &report["verdict"]), (0, &"safe".into()), "{report}");
    let claim = &report["claim"];
    assert_eq!(claim["kernel"], "fill");
    assert_eq!(claim["launch"]["grid"], serde_json::json!([2, 1, 1]));
    assert_eq!(claim["launch"]["block"], serde_json::json!([4, 1, 1]));
    assert_eq!((&claim["launch"]["warp"], &claim["launch"]["sched"]), (&32.into(), &"independent".into()));
    assert_eq!(claim["threads"], 8);
}

#[test]
fn kernels_are_chosen_by_name() {
    let place = place(KERNELS);
    let (code, report) = place.json(&["gpu", "a.cu"]);
    assert_eq!((code, &report["error"]["kind"]), (1, &"several_kernels".into()));
    assert!(report["error"]["message"].as_str().is_some_and(|text| text.contains("fill, copy")), "{report}");
    assert_eq!(place.json(&["gpu", "a.cu", "--kernel", "copy"]).0, 0);
    // What is no kernel cannot be launched.
    for name in ["helper", "fil"] {
        let (code, report) = place.json(&["gpu", "a.cu", "--kernel", name]);
        assert_eq!((code, &report["error"]["kind"]), (1, &"no_kernel".into()), "{name}");
    }
}

#[test]
fn a_file_without_kernels_is_told() {
    let (code, report) = place(NONE).json(&["gpu", "a.cu"]);
    assert_eq!((code, &report["error"]["kind"]), (1, &"no_kernel".into()));
}

#[test]
fn launches_that_no_device_runs_are_refused() {
    let place = place(ONE);
    for flags in [["--grid", "0"], ["--block", "0"], ["--block", "2048"], ["--block", "1,1,65"], ["--grid", "1,65536"]]
    {
        let (code, report) = place.json(&["gpu", "a.cu", flags[0], flags[1]]);
        assert_eq!((code, &report["error"]["kind"]), (1, &"launch".into()), "{flags:?}");
    }
    // More than can be explored thread by thread are looked at all at once, unless that is not wanted.
    let (code, report) = place.json(&["gpu", "a.cu", "--block", "256"]);
    assert_eq!((code, &report["claim"]["threads"]), (0, &512.into()), "{report}");
    assert!(report["assumptions"].to_string().contains("any two of the 512 threads"), "{report}");
    let (_, report) = place.json(&["gpu", "a.cu", "--block", "256", "--flows", "never"]);
    assert!(report["error"]["message"].as_str().is_some_and(|text| text.contains("smaller launch")), "{report}");
    for flags in [["--block", "a"], ["--grid", "1,2,3,4"], ["--warp", "3"], ["--warp", "64"], ["--sched", "both"]] {
        assert_eq!(place.run(&["gpu", "a.cu", flags[0], flags[1]]).code, 1, "{flags:?}");
    }
}

#[test]
fn kernels_are_launched_with_no_more_threads_than_they_are_made_for() {
    let place = place(&ONE.replacen(" kernel", " kernel threads(2)", 1));
    let (code, report) = place.json(&["gpu", "a.cu"]);
    assert_eq!((code, &report["claim"]["launch"]["block"]), (0, &serde_json::json!([2, 1, 1])), "{report}");
    assert_eq!(place.json(&["gpu", "a.cu", "--block", "2"]).0, 0);
    let (code, report) = place.json(&["gpu", "a.cu", "--block", "4"]);
    assert_eq!((code, &report["error"]["kind"]), (1, &"launch".into()));
    assert!(report["error"]["message"].as_str().is_some_and(|text| text.contains("__launch_bounds__")), "{report}");
}

#[test]
fn cuda_is_for_this_command_alone_and_c_is_not() {
    let place = place(ONE);
    let (code, report) = place.json(&["check", "a.cu"]);
    assert_eq!((code, &report["error"]["kind"]), (2, &"unsupported_source".into()));
    assert!(report["error"]["message"].as_str().is_some_and(|text| text.contains("raddle gpu")), "{report}");
    assert_eq!(place.json(&["gpu", "a.c"]).1["error"]["kind"], "unsupported_source");
}

#[test]
fn the_front_end_gets_the_headers() {
    let place = place(ONE);
    assert_eq!(place.run(&["gpu", "a.cu", "--", "-DX"]).code, 0);
    let arguments = std::fs::read_to_string(place.path("arguments")).expect("the front end ran");
    let words: Vec<&str> = arguments.lines().collect();
    let at = words.iter().position(|word| *word == "--cuda").expect("CUDA is accepted");
    assert!(std::path::Path::new(words[at + 1]).join("cuda_runtime.h").is_file(), "{words:?}");
}
