//! Debug metadata, read through its operands.
//!
//! The C interface has no accessors for most fields. Operands are in the order of LLVM 22's `DebugInfoMetadata.h`; the few
//! facts that are no operands (an enumerator's value, a basic type's encoding, a parameter's number) are read from the
//! printed node.

use super::{Value, take_message, text};
use llvm_sys::core as c;
use llvm_sys::debuginfo as di;
pub(crate) use llvm_sys::debuginfo::LLVMMetadataKind as Kind;
use llvm_sys::prelude::{LLVMContextRef, LLVMDbgRecordRef, LLVMMetadataRef, LLVMValueRef};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// A metadata node. Equality is identity.
#[derive(Clone, Copy)]
pub(crate) struct Metadata<'m> {
    raw: LLVMMetadataRef,
    context: LLVMContextRef,
    module: PhantomData<&'m ()>,
}

impl PartialEq for Metadata<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}
impl Eq for Metadata<'_> {}
impl Hash for Metadata<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.raw.hash(state);
    }
}

impl<'m> Metadata<'m> {
    pub(super) fn new(raw: LLVMMetadataRef, context: LLVMContextRef) -> Option<Self> {
        (!raw.is_null()).then_some(Self { raw, context, module: PhantomData })
    }

    /// The node behind a value that wraps metadata, or the constant that is used as metadata.
    pub(super) fn of_value(value: LLVMValueRef, context: LLVMContextRef) -> Option<Self> {
        if value.is_null() {
            return None;
        }
        Self::new(ffi!(c::LLVMValueAsMetadata, value), context)
    }

    pub(super) fn raw(self) -> LLVMMetadataRef {
        self.raw
    }

    fn as_value(self) -> LLVMValueRef {
        ffi!(c::LLVMMetadataAsValue, self.context, self.raw)
    }

    pub(crate) fn kind(self) -> Kind {
        ffi!(di::LLVMGetMetadataKind, self.raw)
    }

    fn is_node(self) -> bool {
        !matches!(
            self.kind(),
            Kind::LLVMMDStringMetadataKind
                | Kind::LLVMConstantAsMetadataMetadataKind
                | Kind::LLVMLocalAsMetadataMetadataKind
                | Kind::LLVMDIArgListMetadataKind
        )
    }

    fn operand_values(self) -> Vec<LLVMValueRef> {
        if !self.is_node() {
            return Vec::new();
        }
        let value = self.as_value();
        // A tuple of one constant is unwrapped by `LLVMMetadataAsValue`; such a value has no operands to ask for.
        if ffi!(c::LLVMIsAMDNode, value).is_null() {
            return Vec::new();
        }
        let count = ffi!(c::LLVMGetMDNodeNumOperands, value);
        let mut operands = vec![std::ptr::null_mut(); count as usize];
        if count > 0 {
            ffi!(c::LLVMGetMDNodeOperands, value, operands.as_mut_ptr());
        }
        operands
    }

    /// All operands; `None` for absent ones.
    pub(crate) fn operands(self) -> Vec<Option<Metadata<'m>>> {
        self.operand_values().into_iter().map(|v| Self::of_value(v, self.context)).collect()
    }

    pub(crate) fn operand(self, index: usize) -> Option<Metadata<'m>> {
        let operands = self.operand_values();
        Self::of_value(*operands.get(index)?, self.context)
    }

    /// An operand that is an integer constant.
    pub(crate) fn integer(self, index: usize) -> Option<i64> {
        let value = *self.operand_values().get(index)?;
        if value.is_null() || ffi!(c::LLVMIsAConstantInt, value).is_null() {
            return None;
        }
        Some(ffi!(c::LLVMConstIntGetSExtValue, value))
    }

    /// An operand that is a string; empty when absent.
    pub(crate) fn string(self, index: usize) -> String {
        let operands = self.operand_values();
        let Some(&value) = operands.get(index).filter(|v| !v.is_null()) else { return String::new() };
        let mut length = 0;
        let start = ffi!(c::LLVMGetMDString, value, &mut length);
        text(start, length as usize)
    }

    /// The node as LLVM prints it, operands as addresses.
    pub(crate) fn printed(self) -> String {
        take_message(ffi!(c::LLVMPrintValueToString, self.as_value()))
    }

    /// `key: value` of the printed node.
    pub(crate) fn printed_field(self, key: &str) -> Option<String> {
        let printed = self.printed();
        let start = printed.find(&format!("{key}: "))? + key.len() + 2;
        Some(printed[start..].chars().take_while(|c| !matches!(c, ',' | ')')).collect())
    }

    /// DWARF tag; the node is a `DINode`.
    pub(crate) fn tag(self) -> u16 {
        ffi!(di::LLVMGetDINodeTag, self.raw)
    }

    // Types.

    pub(crate) fn is_type(self) -> bool {
        matches!(
            self.kind(),
            Kind::LLVMDIBasicTypeMetadataKind
                | Kind::LLVMDIDerivedTypeMetadataKind
                | Kind::LLVMDICompositeTypeMetadataKind
                | Kind::LLVMDISubroutineTypeMetadataKind
                | Kind::LLVMDIStringTypeMetadataKind
                | Kind::LLVMDISubrangeTypeMetadataKind
                | Kind::LLVMDIFixedPointTypeMetadataKind
        )
    }

    /// Name of a type, subprogram or namespace.
    pub(crate) fn name(self) -> String {
        self.string(2)
    }

    pub(crate) fn size_bits(self) -> u64 {
        ffi!(di::LLVMDITypeGetSizeInBits, self.raw)
    }

    pub(crate) fn offset_bits(self) -> u64 {
        ffi!(di::LLVMDITypeGetOffsetInBits, self.raw)
    }

    pub(crate) fn type_line(self) -> u32 {
        ffi!(di::LLVMDITypeGetLine, self.raw)
    }

    /// `DIFlagFwdDecl`
    pub(crate) fn is_forward(self) -> bool {
        ffi!(di::LLVMDITypeGetFlags, self.raw) & di::LLVMDIFlagFwdDecl != 0
    }

    /// `DIFlagBitField`
    pub(crate) fn is_bit_field(self) -> bool {
        ffi!(di::LLVMDITypeGetFlags, self.raw) & di::LLVMDIFlagBitField != 0
    }

    /// `DIFlagVirtual`
    pub(crate) fn is_virtual(self) -> bool {
        ffi!(di::LLVMDITypeGetFlags, self.raw) & di::LLVMDIFlagVirtual != 0
    }

    /// Base of a derived or composite type, type list of a subroutine type.
    pub(crate) fn base_type(self) -> Option<Metadata<'m>> {
        self.operand(5)
    }

    /// Elements of a composite type.
    pub(crate) fn elements(self) -> Vec<Option<Metadata<'m>>> {
        self.operand(6).map(Metadata::operands).unwrap_or_default()
    }

    /// For a bit-field member: first bit of its storage unit.
    pub(crate) fn storage_offset_bits(self) -> Option<u64> {
        self.integer(6).and_then(|v| u64::try_from(v).ok())
    }

    // Scopes and positions.

    /// File of a scope, a type included.
    pub(crate) fn file(self) -> Option<Metadata<'m>> {
        self.operand(0).filter(|f| matches!(f.kind(), Kind::LLVMDIFileMetadataKind))
    }

    /// Parent of a lexical block or subprogram.
    pub(crate) fn parent_scope(self) -> Option<Metadata<'m>> {
        self.operand(1)
    }

    /// `DIFile`: path and directory.
    pub(crate) fn file_name(self) -> (String, String) {
        (self.string(0), self.string(1))
    }

    pub(crate) fn location_line(self) -> u32 {
        ffi!(di::LLVMDILocationGetLine, self.raw)
    }

    pub(crate) fn location_column(self) -> u32 {
        ffi!(di::LLVMDILocationGetColumn, self.raw)
    }

    pub(crate) fn location_scope(self) -> Option<Metadata<'m>> {
        Self::new(ffi!(di::LLVMDILocationGetScope, self.raw), self.context)
    }

    pub(crate) fn inlined_at(self) -> Option<Metadata<'m>> {
        Self::new(ffi!(di::LLVMDILocationGetInlinedAt, self.raw), self.context)
    }

    pub(crate) fn subprogram_line(self) -> u32 {
        ffi!(di::LLVMDISubprogramGetLine, self.raw)
    }

    /// The subroutine type of a subprogram.
    pub(crate) fn subprogram_type(self) -> Option<Metadata<'m>> {
        self.operand(4)
    }

    // Variables.

    pub(crate) fn variable_scope(self) -> Option<Metadata<'m>> {
        self.operand(0)
    }

    pub(crate) fn variable_name(self) -> String {
        self.string(1)
    }

    pub(crate) fn variable_file(self) -> Option<Metadata<'m>> {
        self.operand(2)
    }

    pub(crate) fn variable_type(self) -> Option<Metadata<'m>> {
        self.operand(3)
    }

    pub(crate) fn variable_line(self) -> u32 {
        ffi!(di::LLVMDIVariableGetLine, self.raw)
    }

    /// The variable of a `DIGlobalVariableExpression`.
    pub(crate) fn global_variable(self) -> Option<Metadata<'m>> {
        Self::new(ffi!(di::LLVMDIGlobalVariableExpressionGetVariable, self.raw), self.context)
    }
}

/// A debug record that ties a variable to a value or to its storage.
#[derive(Clone, Copy)]
pub(crate) struct VariableRecord<'m> {
    pub(super) raw: LLVMDbgRecordRef,
    context: LLVMContextRef,
    module: PhantomData<&'m ()>,
}

impl<'m> VariableRecord<'m> {
    /// The variable records in front of an instruction.
    pub(crate) fn before(inst: Value<'m>) -> Vec<VariableRecord<'m>> {
        let context = ffi!(c::LLVMGetValueContext, inst.raw());
        let mut found = Vec::new();
        let mut next = ffi!(c::LLVMGetFirstDbgRecord, inst.raw());
        while !next.is_null() {
            let record = Self { raw: next, context, module: PhantomData };
            if !matches!(ffi!(c::LLVMDbgRecordGetKind, next), llvm_sys::LLVMDbgRecordKind::LLVMDbgRecordLabel) {
                found.push(record);
            }
            next = ffi!(c::LLVMGetNextDbgRecord, next);
        }
        found
    }

    /// Whether the value is the variable's address.
    pub(crate) fn is_declare(self) -> bool {
        matches!(ffi!(c::LLVMDbgRecordGetKind, self.raw), llvm_sys::LLVMDbgRecordKind::LLVMDbgRecordDeclare)
    }

    pub(crate) fn value(self) -> Option<Value<'m>> {
        Value::new(ffi!(c::LLVMDbgVariableRecordGetValue, self.raw, 0))
    }

    pub(crate) fn variable(self) -> Option<Metadata<'m>> {
        Metadata::new(ffi!(c::LLVMDbgVariableRecordGetVariable, self.raw), self.context)
    }

    pub(crate) fn expression(self) -> Option<Metadata<'m>> {
        Metadata::new(ffi!(c::LLVMDbgVariableRecordGetExpression, self.raw), self.context)
    }

    pub(super) fn location(self) -> Option<Metadata<'m>> {
        Metadata::new(ffi!(c::LLVMDbgRecordGetDebugLoc, self.raw), self.context)
    }
}
