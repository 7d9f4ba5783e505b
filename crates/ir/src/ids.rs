//! Newtype indices. Each prints with its prefix, as in the text format.

/// Defines a dense index newtype that prints as `<prefix><index>` and is stored as its index.
#[macro_export]
macro_rules! entity_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The id with this index.
            ///
            /// # Panics
            /// If `index` does not fit 32 bits: no table of raddle's grows that far.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("more than 2^32 entities of one kind"))
            }

            /// The position in the table that this id indexes.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(self, f)
            }
        }

        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::serde::Serialize::serialize(&self.0, serializer)
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <u32 as $crate::serde::Deserialize>::deserialize(deserializer).map($name)
            }
        }
    };
}

entity_id!(
    /// A function of a module, defined or only declared.
    FuncId, "f"
);
entity_id!(
    /// A global variable of a module.
    GlobalId, "g"
);
entity_id!(
    /// A basic block of one function; `b0` is the entry.
    BlockId, "b"
);
entity_id!(
    /// A register: a slot of one function's frame.
    Reg, "%"
);
entity_id!(
    /// A type as the debug information describes it.
    TypeId, "T"
);
entity_id!(
    /// A source position, call sites of inlined frames included.
    LocId, "!"
);
entity_id!(
    /// A source file.
    FileId, "file"
);
entity_id!(
    /// A constant wider than 64 bits.
    WideId, "w"
);
