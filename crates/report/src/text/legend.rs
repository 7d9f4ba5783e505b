//! What the notation of a report means that C does not have: only what occurs in what is shown.

use super::page::Page;
use crate::{Finding, ShapeBasis};

pub(super) fn render(page: &mut Page, shown: &[&Finding]) {
    let clauses = clauses(shown);
    if !clauses.is_empty() {
        page.gap();
        page.paragraph("Legend: ", &format!("{}.", clauses.join("; ")));
    }
}

fn clauses(shown: &[&Finding]) -> Vec<String> {
    let mut clauses = Vec::new();
    let some = |is: &dyn Fn(&Finding) -> bool| shown.iter().any(|finding| is(finding));
    let initial =
        some(&|finding| finding.heap.iter().flat_map(|heap| &heap.objects).any(|object| is_numbered(&object.name)));
    let made = made(shown);
    if initial {
        clauses.push("N1, N2, ... are objects that exist before the threads start".to_owned());
    }
    if let Some(made) = &made {
        clauses.push(format!("`{made}` is one that a call has made"));
    }
    if some(&|finding| finding.schedule.iter().any(|step| step.access.is_some())) {
        clauses.push(
            "time runs downwards; ▶ marks the two accesses that race: nothing makes one wait for the other".to_owned(),
        );
    }
    if some(&|finding| finding.shape == Some(ShapeBasis::Assumed)) {
        clauses.push("a shape is assumed if it is not known whether callers can build that heap".to_owned());
    }
    clauses
}

/// `N7`.
fn is_numbered(name: &str) -> bool {
    name.strip_prefix('N').is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The first object that is named by how it came to be: `new struct node`.
fn made(shown: &[&Finding]) -> Option<String> {
    let places = shown.iter().flat_map(|finding| &finding.accesses).map(|access| access.place.as_str());
    let texts = shown.iter().flat_map(|finding| &finding.schedule).map(|step| step.text.as_str());
    let object = |text: &str| text.find("new ").map(|at| crate::object_of(&text[at..]).to_owned());
    places.chain(texts).find_map(object)
}
