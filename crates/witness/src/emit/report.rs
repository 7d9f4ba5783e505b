//! Reading what ThreadSanitizer printed.

/// A frame of a stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    pub function: String,
    /// `None` for code without debug information, such as the C library.
    pub file: Option<String>,
    /// 0 if unknown.
    pub line: u32,
    /// 0 if unknown.
    pub column: u32,
}

/// An access that a report names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReportedAccess {
    /// As printed: `Write of size 8`, `Previous atomic read of size 4`.
    pub what: String,
    /// Innermost frame first.
    pub frames: Vec<Frame>,
}

impl ReportedAccess {
    /// The innermost frame that has a source.
    pub fn in_source(&self) -> Option<&Frame> {
        self.frames.iter().find(|frame| frame.file.is_some())
    }
}

/// One report: a data race, a use after free.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// `data race`, `heap-use-after-free`.
    pub kind: String,
    /// Two for a race, the later one first.
    pub accesses: Vec<ReportedAccess>,
}

const WARNING: &str = "WARNING: ThreadSanitizer: ";

/// The reports in what a program printed on standard error.
pub fn parse_report(stderr: &str) -> Vec<Report> {
    let mut reports: Vec<Report> = Vec::new();
    // Whether the frames that follow belong to an access; other stacks say where threads and blocks come from.
    let mut in_access = false;
    for line in stderr.lines() {
        let text = line.trim_start();
        if let Some(rest) = text.strip_prefix(WARNING) {
            let kind = rest.split(" (").next().unwrap_or(rest).to_owned();
            reports.push(Report { kind, accesses: Vec::new() });
            in_access = false;
            continue;
        }
        let Some(report) = reports.last_mut() else { continue };
        if let Some(what) = access_heading(text) {
            report.accesses.push(ReportedAccess { what, frames: Vec::new() });
            in_access = true;
        } else if let Some(frame) = frame(text) {
            if let Some(access) = report.accesses.last_mut().filter(|_| in_access) {
                access.frames.push(frame);
            }
        } else {
            in_access = false;
        }
    }
    reports
}

/// `Write of size 8 at 0x7b04 by thread T1 (mutexes: write M0):`
fn access_heading(line: &str) -> Option<String> {
    let (what, rest) = line.split_once(" at 0x")?;
    let is_access = what.contains(" of size ") && !what.starts_with("Location") && rest.contains(" by ");
    is_access.then(|| what.to_owned())
}

/// `#0 insert /src/skiplist.c:70:22 (test+0x123) (BuildId: ...)`, `#0 free <null> (test+0x123)`
fn frame(line: &str) -> Option<Frame> {
    let (number, rest) = line.strip_prefix('#')?.split_once(' ')?;
    number.parse::<u32>().ok()?;
    let rest = match rest.rfind(" (BuildId: ") {
        Some(end) => &rest[..end],
        None => rest,
    };
    let rest = match rest.rfind(" (") {
        Some(end) => &rest[..end],
        None => rest,
    };
    let (function, place) = rest.split_once(' ').unwrap_or((rest, "<null>"));
    let (place, last) = number_at_end(place);
    let (file, before) = number_at_end(place);
    let (line, column) = match (before, last) {
        (Some(line), Some(column)) => (line, column),
        (None, Some(line)) => (line, 0),
        _ => (0, 0),
    };
    let file = (file != "<null>" && !file.is_empty()).then(|| file.to_owned());
    Some(Frame { function: function.to_owned(), file, line, column })
}

/// Splits `:NUMBER` off.
fn number_at_end(text: &str) -> (&str, Option<u32>) {
    match text.rsplit_once(':').and_then(|(head, tail)| Some((head, tail.parse().ok()?))) {
        Some((head, number)) => (head, Some(number)),
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
noise
==================
WARNING: ThreadSanitizer: data race (pid=1)
  Read of size 8 at 0x7b04 by thread T2 (mutexes: write M0):
    #0 strlen <null> (test+0x1) (BuildId: bb)
    #1 insert /a dir/skiplist.c:62:33 (test+0xe95c5) (BuildId: bb57)
    #2 raddle_run /t.c:24 (test+0xe9477) (BuildId: bb57)

  Previous write of size 8 at 0x7b04 by thread T1:
    #0 insert /a dir/skiplist.c:70:22 (test+0xe957a)

  Location is heap block of size 8 at 0x720400000000 allocated by main thread:
    #0 calloc <null> (t+0x62967) (BuildId: bb)
    #1 main /t.c:26:14 (t+0xe949d) (BuildId: bb)

SUMMARY: ThreadSanitizer: data race /a dir/skiplist.c:62:33 in insert
==================
WARNING: ThreadSanitizer: heap-use-after-free (pid=1)
";

    #[test]
    fn stacks_of_accesses_only() {
        let reports = parse_report(TEXT);
        assert_eq!(reports.len(), 2);
        assert_eq!(reports[0].kind, "data race");
        assert_eq!(reports[1].kind, "heap-use-after-free");
        let places: Vec<_> = reports[0].accesses.iter().map(|a| a.in_source().map(|f| (f.line, f.column))).collect();
        assert_eq!(places, [Some((62, 33)), Some((70, 22))]);
        let first = &reports[0].accesses[0];
        assert_eq!(first.what, "Read of size 8");
        assert_eq!(first.frames.len(), 3);
        assert_eq!(first.frames[1].file.as_deref(), Some("/a dir/skiplist.c"));
        assert_eq!((first.frames[2].line, first.frames[2].column), (24, 0));
    }
}
