//! The binary format: a header, then the module in postcard's encoding.
//!
//! Written by the lowering program, read by the engine; both come from one build, so the version only guards a cache
//! that an older build left behind.

use crate::Module;

const MAGIC: &[u8; 8] = b"raddleIR";
/// Counts up with every change of the IR's types.
pub const VERSION: u32 = 8;

/// Why a module could not be encoded.
pub type WriteError = postcard::Error;

/// Why bytes are no module.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("not a raddle IR file")]
    NotIr,
    #[error("raddle IR of version {found}, this is {VERSION}")]
    Version { found: u32 },
    #[error("damaged raddle IR")]
    Damaged(#[source] postcard::Error),
}

/// Encodes a module.
///
/// # Errors
/// When the encoder runs out of memory; nothing in a module is unencodable.
pub fn write(module: &Module) -> Result<Vec<u8>, WriteError> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    postcard::to_extend(module, bytes)
}

/// Decodes what [`write()`] made. The result is not verified.
///
/// # Errors
/// See [`ReadError`].
pub fn read(bytes: &[u8]) -> Result<Module, ReadError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(ReadError::NotIr)?;
    let (version, body) = rest.split_first_chunk::<4>().ok_or(ReadError::NotIr)?;
    let found = u32::from_le_bytes(*version);
    if found != VERSION {
        return Err(ReadError::Version { found });
    }
    postcard::from_bytes(body).map_err(ReadError::Damaged)
}
