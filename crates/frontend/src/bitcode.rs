//! Which LLVM wrote a bitcode file, from its identification block.
//!
//! LLVM reads older bitcode and silently rewrites it, and reads newer bitcode until it meets something unknown. raddle takes
//! one version only, so it looks before LLVM does. Format: LLVM's `BitCodeFormat` document.

/// Bits of a little-endian stream.
struct Bits<'b> {
    bytes: &'b [u8],
    position: usize,
}

impl Bits<'_> {
    fn fixed(&mut self, width: u32) -> Option<u64> {
        let mut result = 0;
        for i in 0..width {
            let byte = self.bytes.get(self.position / 8)?;
            result |= u64::from(byte >> (self.position % 8) & 1) << i;
            self.position += 1;
        }
        Some(result)
    }

    fn variable(&mut self, width: u32) -> Option<u64> {
        let (mut result, mut shift) = (0u64, 0);
        loop {
            let chunk = self.fixed(width)?;
            let more = chunk >> (width - 1) & 1 == 1;
            result |= (chunk & ((1 << (width - 1)) - 1)).checked_shl(shift)?;
            shift += width - 1;
            if !more {
                return Some(result);
            }
        }
    }

    fn align(&mut self) {
        self.position = self.position.div_ceil(32) * 32;
    }
}

#[derive(Clone, Copy)]
enum Encoding {
    Literal(u64),
    Fixed(u32),
    Variable(u32),
    Array,
    Char6,
}

const MAGIC: [u8; 4] = *b"BC\xc0\xde";
const IDENTIFICATION_BLOCK: u64 = 13;
const STRING_RECORD: u64 = 1;

/// Whether the bytes claim to be bitcode.
pub(crate) fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) || bytes.starts_with(b"\xde\xc0\x17\x0b")
}

/// The producer's text, such as `LLVM22.1.8`; `None` when the file does not begin with a whole identification block.
pub(crate) fn producer(bytes: &[u8]) -> Option<String> {
    let mut bits = Bits { bytes: bytes.strip_prefix(&MAGIC)?, position: 0 };
    // At the top level abbreviation ids have two bits; 1 enters a block.
    if bits.fixed(2)? != 1 || bits.variable(8)? != IDENTIFICATION_BLOCK {
        return None;
    }
    let width = u32::try_from(bits.variable(4)?).ok().filter(|w| (2..=32).contains(w))?;
    bits.align();
    bits.fixed(32)?;
    let mut abbreviations: Vec<Vec<Encoding>> = Vec::new();
    loop {
        let (code, text) = match bits.fixed(width)? {
            0 => return None,
            2 => {
                abbreviations.push(abbreviation(&mut bits)?);
                continue;
            }
            3 => {
                let code = bits.variable(6)?;
                let count = bits.variable(6)?;
                let mut values = Vec::new();
                for _ in 0..count {
                    values.push(bits.variable(6)?);
                }
                (code, values)
            }
            id => {
                let encodings = abbreviations.get(usize::try_from(id).ok()?.checked_sub(4)?)?;
                let mut values = abbreviated(&mut bits, encodings)?;
                if values.is_empty() {
                    return None;
                }
                (values.remove(0), values)
            }
        };
        if code == STRING_RECORD {
            return text.into_iter().map(|c| u8::try_from(c).ok().map(char::from)).collect();
        }
    }
}

/// The version in a producer's text: `LLVM22.1.8` is 22.
pub(crate) fn major_version(producer: &str) -> Option<u32> {
    let digits: String = producer.strip_prefix("LLVM")?.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

fn abbreviation(bits: &mut Bits<'_>) -> Option<Vec<Encoding>> {
    let count = bits.variable(5)?;
    let mut encodings = Vec::new();
    for _ in 0..count {
        let is_literal = bits.fixed(1)? == 1;
        encodings.push(if is_literal {
            Encoding::Literal(bits.variable(8)?)
        } else {
            match bits.fixed(3)? {
                1 => Encoding::Fixed(u32::try_from(bits.variable(5)?).ok().filter(|w| *w <= 64)?),
                2 => Encoding::Variable(u32::try_from(bits.variable(5)?).ok().filter(|w| (2..=32).contains(w))?),
                3 => Encoding::Array,
                4 => Encoding::Char6,
                _ => return None,
            }
        });
    }
    Some(encodings)
}

fn scalar(bits: &mut Bits<'_>, encoding: Encoding) -> Option<u64> {
    const CHAR6: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    match encoding {
        Encoding::Literal(value) => Some(value),
        Encoding::Fixed(width) => bits.fixed(width),
        Encoding::Variable(width) => bits.variable(width),
        Encoding::Char6 => bits.fixed(6).map(|i| u64::from(CHAR6[(i & 63) as usize])),
        Encoding::Array => None,
    }
}

fn abbreviated(bits: &mut Bits<'_>, encodings: &[Encoding]) -> Option<Vec<u64>> {
    let mut values = Vec::new();
    let mut rest = encodings.iter();
    while let Some(&encoding) = rest.next() {
        if matches!(encoding, Encoding::Array) {
            let element = *rest.next()?;
            let count = bits.variable(6)?;
            for _ in 0..count {
                values.push(scalar(bits, element)?);
            }
        } else {
            values.push(scalar(bits, encoding)?);
        }
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_bitcode_has_no_producer() {
        assert_eq!(producer(b""), None);
        assert_eq!(producer(b"BC\xc0\xde"), None);
        assert_eq!(producer(&[b"BC\xc0\xde".as_slice(), &[0xff; 64]].concat()), None);
        assert_eq!(producer(b"\x7fELF"), None);
    }

    #[test]
    fn versions() {
        assert_eq!(major_version("LLVM22.1.8"), Some(22));
        assert_eq!(major_version("LLVM3.9git"), Some(3));
        assert_eq!(major_version("APPLE_1_1400"), None);
    }
}
