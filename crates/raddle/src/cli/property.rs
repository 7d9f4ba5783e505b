//! `--property`: a name, or a file that states what is asked for.

use session::errors::UsageError;
use session::options::Property;
use std::path::Path;

/// The property of this name, or of this file.
///
/// # Errors
/// When there is none, or raddle does not check it.
pub(super) fn read(text: &str) -> Result<Property, UsageError> {
    let refuse = |why: String| UsageError::new("unsupported_property", why);
    if let Some(property) = Property::named(text) {
        return Ok(property);
    }
    let path = Path::new(text);
    if path.extension().is_none_or(|extension| extension != "prp") {
        let names = Property::NAMES.join(", ");
        return Err(refuse(format!("--property {text}: it is one of {names}, or a file that ends in .prp")));
    }
    let content = std::fs::read_to_string(path).map_err(|e| refuse(format!("--property {text}: {e}")))?;
    let name = path.file_name().map_or_else(|| text.to_owned(), |name| name.to_string_lossy().into_owned());
    Property::parse(&name, &content).map_err(|why| refuse(format!("--property {text}: {why}")))
}
