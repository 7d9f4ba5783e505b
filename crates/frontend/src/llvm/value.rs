//! Values, types and blocks.

use super::{Metadata, take_message, text};
use llvm_sys::core as c;
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMTypeRef, LLVMValueRef};
use llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMLinkage, LLVMOpcode, LLVMRealPredicate};
use llvm_sys::{LLVMTypeKind, LLVMValueKind, debuginfo as di};
use std::marker::PhantomData;

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident, $raw:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) struct $name<'m>($raw, PhantomData<&'m ()>);

        impl $name<'_> {
            pub(super) fn new(raw: $raw) -> Option<Self> {
                (!raw.is_null()).then_some(Self(raw, PhantomData))
            }
        }
    };
}
handle!(
    /// An instruction, argument, constant, global, function or block label.
    Value,
    LLVMValueRef
);
handle!(
    /// A type.
    Type,
    LLVMTypeRef
);
handle!(
    /// A basic block.
    Block,
    LLVMBasicBlockRef
);

impl Value<'_> {
    pub(super) fn raw(self) -> LLVMValueRef {
        self.0
    }
}

impl Type<'_> {
    pub(super) fn raw(self) -> LLVMTypeRef {
        self.0
    }
}

/// Wraps a handle that LLVM never returns as null.
fn value<'m>(raw: LLVMValueRef) -> Value<'m> {
    Value(raw, PhantomData)
}

impl<'m> Type<'m> {
    pub(crate) fn kind(self) -> LLVMTypeKind {
        ffi!(c::LLVMGetTypeKind, self.0)
    }

    pub(crate) fn is_sized(self) -> bool {
        ffi!(c::LLVMTypeIsSized, self.0) != 0
    }

    /// Width of an integer type.
    pub(crate) fn integer_bits(self) -> u32 {
        ffi!(c::LLVMGetIntTypeWidth, self.0)
    }

    /// Name of a struct; `None` for literal ones.
    pub(crate) fn struct_name(self) -> Option<String> {
        let name = ffi!(c::LLVMGetStructName, self.0);
        if name.is_null() {
            return None;
        }
        // SAFETY: the name is a terminated string owned by the context.
        Some(unsafe { std::ffi::CStr::from_ptr(name) }.to_string_lossy().into_owned())
    }

    /// Field types of a struct.
    pub(crate) fn fields(self) -> Vec<Type<'m>> {
        let count = ffi!(c::LLVMCountStructElementTypes, self.0);
        (0..count).filter_map(|i| Type::new(ffi!(c::LLVMStructGetTypeAtIndex, self.0, i))).collect()
    }

    /// Element type of an array or vector.
    pub(crate) fn element(self) -> Type<'m> {
        Type(ffi!(c::LLVMGetElementType, self.0), PhantomData)
    }

    pub(crate) fn array_length(self) -> u64 {
        ffi!(c::LLVMGetArrayLength2, self.0)
    }

    pub(crate) fn vector_length(self) -> u64 {
        u64::from(ffi!(c::LLVMGetVectorSize, self.0))
    }

    /// Of a pointer type; C's ordinary memory is 0.
    pub(crate) fn address_space(self) -> u32 {
        ffi!(c::LLVMGetPointerAddressSpace, self.0)
    }

    pub(crate) fn is_variadic(self) -> bool {
        ffi!(c::LLVMIsFunctionVarArg, self.0) != 0
    }

    /// Parameters of a function type, without what `...` stands for.
    pub(crate) fn param_count(self) -> usize {
        ffi!(c::LLVMCountParamTypes, self.0) as usize
    }

    pub(crate) fn return_type(self) -> Type<'m> {
        Type(ffi!(c::LLVMGetReturnType, self.0), PhantomData)
    }

    pub(crate) fn printed(self) -> String {
        take_message(ffi!(c::LLVMPrintTypeToString, self.0))
    }
}

impl<'m> Block<'m> {
    pub(crate) fn instructions(self) -> impl Iterator<Item = Value<'m>> {
        let mut next = Value::new(ffi!(c::LLVMGetFirstInstruction, self.0));
        std::iter::from_fn(move || {
            let current = next?;
            next = Value::new(ffi!(c::LLVMGetNextInstruction, current.0));
            Some(current)
        })
    }

    pub(crate) fn terminator(self) -> Option<Value<'m>> {
        Value::new(ffi!(c::LLVMGetBasicBlockTerminator, self.0))
    }
}

impl<'m> Value<'m> {
    pub(crate) fn kind(self) -> LLVMValueKind {
        ffi!(c::LLVMGetValueKind, self.0)
    }

    pub(crate) fn ty(self) -> Type<'m> {
        Type(ffi!(c::LLVMTypeOf, self.0), PhantomData)
    }

    /// LLVM's name, without the `\01` that keeps a symbol from being mangled.
    pub(crate) fn name(self) -> String {
        let mut length = 0;
        let start = ffi!(c::LLVMGetValueName2, self.0, &mut length);
        let name = text(start, length);
        name.strip_prefix('\u{1}').map(str::to_owned).unwrap_or(name)
    }

    pub(crate) fn printed(self) -> String {
        take_message(ffi!(c::LLVMPrintValueToString, self.0))
    }

    pub(crate) fn operand(self, index: u32) -> Value<'m> {
        value(ffi!(c::LLVMGetOperand, self.0, index))
    }

    pub(crate) fn operand_count(self) -> u32 {
        u32::try_from(ffi!(c::LLVMGetNumOperands, self.0)).unwrap_or(0)
    }

    pub(crate) fn operands(self) -> impl Iterator<Item = Value<'m>> {
        (0..self.operand_count()).map(move |i| self.operand(i))
    }

    /// Those that have this value as an operand.
    pub(crate) fn users(self) -> impl Iterator<Item = Value<'m>> {
        let mut next = ffi!(c::LLVMGetFirstUse, self.0);
        std::iter::from_fn(move || {
            if next.is_null() {
                return None;
            }
            let user = value(ffi!(c::LLVMGetUser, next));
            next = ffi!(c::LLVMGetNextUse, next);
            Some(user)
        })
    }

    pub(crate) fn is_used(self) -> bool {
        !ffi!(c::LLVMGetFirstUse, self.0).is_null()
    }

    // Constants.

    pub(crate) fn is_constant(self) -> bool {
        ffi!(c::LLVMIsConstant, self.0) != 0
    }

    /// `undef` or `poison`
    pub(crate) fn is_undef(self) -> bool {
        ffi!(c::LLVMIsUndef, self.0) != 0
    }

    pub(crate) fn is_null(self) -> bool {
        ffi!(c::LLVMIsNull, self.0) != 0
    }

    /// A constant integer of at most 64 bits, zero-extended.
    pub(crate) fn zero_extended(self) -> u64 {
        ffi!(c::LLVMConstIntGetZExtValue, self.0)
    }

    /// A constant integer of at most 64 bits, sign-extended.
    pub(crate) fn sign_extended(self) -> i64 {
        ffi!(c::LLVMConstIntGetSExtValue, self.0)
    }

    /// A constant `float` or `double`, as `double`.
    pub(crate) fn real(self) -> f64 {
        let mut lossy = 0;
        ffi!(c::LLVMConstRealGetDouble, self.0, &mut lossy)
    }

    /// Opcode of a constant expression.
    pub(crate) fn constant_opcode(self) -> LLVMOpcode {
        ffi!(c::LLVMGetConstOpcode, self.0)
    }

    /// Element of a constant aggregate.
    pub(crate) fn aggregate_element(self, index: u32) -> Option<Value<'m>> {
        Value::new(ffi!(c::LLVMGetAggregateElement, self.0, index))
    }

    /// Bytes of a constant array of numbers, `None` for other constants. `size` is the array's size.
    pub(crate) fn raw_data(self, size: u64) -> Option<Vec<u8>> {
        if !matches!(self.kind(), LLVMValueKind::LLVMConstantDataArrayValueKind) {
            return None;
        }
        let mut length = 0usize;
        // The binding declares LLVM's `size_t *` as an integer of the same width.
        let out = std::ptr::from_mut(&mut length).expose_provenance();
        let start = ffi!(c::LLVMGetRawDataValues, self.0, out);
        if start.is_null() || length as u64 != size {
            return None;
        }
        // SAFETY: LLVM returns `length` bytes owned by the constant.
        Some(unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) }.to_vec())
    }

    // Globals and functions.

    pub(crate) fn linkage(self) -> LLVMLinkage {
        ffi!(c::LLVMGetLinkage, self.0)
    }

    /// Visible to other translation units.
    pub(crate) fn is_external(self) -> bool {
        !matches!(self.linkage(), LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage)
    }

    pub(crate) fn is_declaration(self) -> bool {
        ffi!(c::LLVMIsDeclaration, self.0) != 0
    }

    pub(crate) fn value_type(self) -> Type<'m> {
        Type(ffi!(c::LLVMGlobalGetValueType, self.0), PhantomData)
    }

    pub(crate) fn initializer(self) -> Option<Value<'m>> {
        Value::new(ffi!(c::LLVMGetInitializer, self.0))
    }

    pub(crate) fn is_global_constant(self) -> bool {
        ffi!(c::LLVMIsGlobalConstant, self.0) != 0
    }

    /// Whether something outside of the program sets it before the program begins.
    pub(crate) fn is_externally_initialized(self) -> bool {
        ffi!(c::LLVMIsExternallyInitialized, self.0) != 0
    }

    /// Whether a function has the calling convention of CUDA's kernels, `ptx_kernel`.
    pub(crate) fn is_kernel(self) -> bool {
        const PTX_KERNEL: u32 = 71;
        ffi!(c::LLVMGetFunctionCallConv, self.0) == PTX_KERNEL
    }

    pub(crate) fn is_thread_local(self) -> bool {
        ffi!(c::LLVMIsThreadLocal, self.0) != 0
    }

    pub(crate) fn aliasee(self) -> Option<Value<'m>> {
        Value::new(ffi!(c::LLVMAliasGetAliasee, self.0))
    }

    pub(crate) fn section(self) -> String {
        let section = ffi!(c::LLVMGetSection, self.0);
        if section.is_null() {
            return String::new();
        }
        // SAFETY: the section is a terminated string owned by the module.
        unsafe { std::ffi::CStr::from_ptr(section) }.to_string_lossy().into_owned()
    }

    pub(crate) fn set_section(self, section: &std::ffi::CStr) {
        ffi!(c::LLVMSetSection, self.0, section.as_ptr());
    }

    /// Lets the linker take this definition only where something needs it, and prefer another one.
    pub(crate) fn make_optional(self) {
        ffi!(c::LLVMSetLinkage, self.0, LLVMLinkage::LLVMLinkOnceODRLinkage);
    }

    /// Alignment of a global or memory access; 0 when not given.
    pub(crate) fn align(self) -> u64 {
        u64::from(ffi!(c::LLVMGetAlignment, self.0))
    }

    /// Metadata nodes attached to a global.
    pub(crate) fn global_metadata(self) -> Vec<Metadata<'m>> {
        let mut count = 0;
        let entries = ffi!(c::LLVMGlobalCopyAllMetadata, self.0, &mut count);
        let context = ffi!(c::LLVMGetValueContext, self.0);
        let found = (0..count)
            .filter_map(|i| {
                let index = u32::try_from(i).ok()?;
                Metadata::new(ffi!(c::LLVMValueMetadataEntriesGetMetadata, entries, index), context)
            })
            .collect();
        ffi!(c::LLVMDisposeValueMetadataEntries, entries);
        found
    }

    pub(crate) fn subprogram(self) -> Option<Metadata<'m>> {
        let context = ffi!(c::LLVMGetValueContext, self.0);
        Metadata::new(ffi!(di::LLVMGetSubprogram, self.0), context)
    }

    pub(crate) fn params(self) -> Vec<Value<'m>> {
        (0..ffi!(c::LLVMCountParams, self.0)).map(|i| value(ffi!(c::LLVMGetParam, self.0, i))).collect()
    }

    pub(crate) fn blocks(self) -> Vec<Block<'m>> {
        let mut blocks = vec![std::ptr::null_mut(); ffi!(c::LLVMCountBasicBlocks, self.0) as usize];
        ffi!(c::LLVMGetBasicBlocks, self.0, blocks.as_mut_ptr());
        blocks.into_iter().filter_map(Block::new).collect()
    }

    /// Whether a function has an attribute.
    pub(crate) fn has_attribute(self, name: &str) -> bool {
        let kind = attribute_kind(name);
        !ffi!(c::LLVMGetEnumAttributeAtIndex, self.0, llvm_sys::LLVMAttributeFunctionIndex, kind).is_null()
    }

    /// The processor features that a function is compiled for: `+sse2,-avx`.
    pub(crate) fn features(self) -> String {
        self.text_attribute("target-features")
    }

    /// The most threads that a block of a kernel has (`__launch_bounds__`), if it says so.
    pub(crate) fn most_threads(self) -> Option<u64> {
        // One number for each dimension.
        let numbers = self.text_attribute("nvvm.maxntid");
        let each: Option<Vec<u64>> = numbers.split(',').map(|number| number.trim().parse().ok()).collect();
        each.map(|each| each.into_iter().product())
    }

    /// A function's attribute with a text; empty without.
    fn text_attribute(self, name: &str) -> String {
        let length = u32::try_from(name.len()).unwrap_or_default();
        let index = llvm_sys::LLVMAttributeFunctionIndex;
        let found = ffi!(c::LLVMGetStringAttributeAtIndex, self.0, index, name.as_ptr().cast(), length);
        if found.is_null() {
            return String::new();
        }
        let mut length = 0;
        let start = ffi!(c::LLVMGetStringAttributeValue, found, &mut length);
        text(start, length as usize)
    }

    /// The type given with a parameter's attribute (`byval`, `sret`). `index` counts from 0.
    pub(crate) fn param_attribute(self, index: usize, name: &str) -> Option<Type<'m>> {
        let index = u32::try_from(index).ok()? + 1;
        attribute_type(ffi!(c::LLVMGetEnumAttributeAtIndex, self.0, index, attribute_kind(name)))
    }

    /// The alignment that a call gives an argument; 0 when not given. `index` counts from 0.
    pub(crate) fn argument_alignment(self, index: u32) -> u64 {
        let found = ffi!(c::LLVMGetCallSiteEnumAttribute, self.0, index + 1, attribute_kind("align"));
        if found.is_null() { 0 } else { ffi!(c::LLVMGetEnumAttributeValue, found) }
    }

    // Instructions.

    pub(crate) fn opcode(self) -> LLVMOpcode {
        ffi!(c::LLVMGetInstructionOpcode, self.0)
    }

    pub(crate) fn debug_location(self) -> Option<Metadata<'m>> {
        let context = ffi!(c::LLVMGetValueContext, self.0);
        Metadata::new(ffi!(di::LLVMInstructionGetDebugLoc, self.0), context)
    }

    pub(crate) fn predicate(self) -> LLVMIntPredicate {
        ffi!(c::LLVMGetICmpPredicate, self.0)
    }

    pub(crate) fn float_predicate(self) -> LLVMRealPredicate {
        ffi!(c::LLVMGetFCmpPredicate, self.0)
    }

    /// Of `shufflevector`: negative for any element.
    pub(crate) fn shuffle_mask(self) -> Vec<i32> {
        (0..ffi!(c::LLVMGetNumMaskElements, self.0)).map(|i| ffi!(c::LLVMGetMaskValue, self.0, i)).collect()
    }

    /// Of the address of a label.
    pub(crate) fn label(self) -> Option<Block<'m>> {
        Block::new(ffi!(c::LLVMGetBlockAddressBasicBlock, self.0))
    }

    pub(crate) fn is_volatile(self) -> bool {
        ffi!(c::LLVMGetVolatile, self.0) != 0
    }

    /// Of a load, store, fence or read-modify-write.
    pub(crate) fn ordering(self) -> LLVMAtomicOrdering {
        ffi!(c::LLVMGetOrdering, self.0)
    }

    pub(crate) fn exchange_orderings(self) -> (LLVMAtomicOrdering, LLVMAtomicOrdering) {
        (ffi!(c::LLVMGetCmpXchgSuccessOrdering, self.0), ffi!(c::LLVMGetCmpXchgFailureOrdering, self.0))
    }

    pub(crate) fn is_weak(self) -> bool {
        ffi!(c::LLVMGetWeak, self.0) != 0
    }

    pub(crate) fn is_single_thread(self) -> bool {
        ffi!(c::LLVMIsAtomicSingleThread, self.0) != 0
    }

    pub(crate) fn rmw_operation(self) -> LLVMAtomicRMWBinOp {
        ffi!(c::LLVMGetAtomicRMWBinOp, self.0)
    }

    pub(crate) fn allocated_type(self) -> Type<'m> {
        Type(ffi!(c::LLVMGetAllocatedType, self.0), PhantomData)
    }

    /// Of a `getelementptr` instruction or constant expression.
    pub(crate) fn source_element_type(self) -> Type<'m> {
        Type(ffi!(c::LLVMGetGEPSourceElementType, self.0), PhantomData)
    }

    /// Of `extractvalue` and `insertvalue`.
    pub(crate) fn indices(self) -> Vec<u32> {
        let count = ffi!(c::LLVMGetNumIndices, self.0) as usize;
        let start = ffi!(c::LLVMGetIndices, self.0);
        if start.is_null() || count == 0 {
            return Vec::new();
        }
        // SAFETY: LLVM returns `count` indices owned by the instruction.
        unsafe { std::slice::from_raw_parts(start, count) }.to_vec()
    }

    pub(crate) fn incoming(self) -> Vec<(Value<'m>, Block<'m>)> {
        (0..ffi!(c::LLVMCountIncoming, self.0))
            .filter_map(|i| {
                let block = Block::new(ffi!(c::LLVMGetIncomingBlock, self.0, i))?;
                Some((value(ffi!(c::LLVMGetIncomingValue, self.0, i)), block))
            })
            .collect()
    }

    pub(crate) fn is_conditional(self) -> bool {
        ffi!(c::LLVMIsConditional, self.0) != 0
    }

    pub(crate) fn condition(self) -> Value<'m> {
        value(ffi!(c::LLVMGetCondition, self.0))
    }

    pub(crate) fn successors(self) -> Vec<Block<'m>> {
        (0..ffi!(c::LLVMGetNumSuccessors, self.0))
            .filter_map(|i| Block::new(ffi!(c::LLVMGetSuccessor, self.0, i)))
            .collect()
    }

    /// The value of a switch's successor `index`, which is not 0 (the default).
    pub(crate) fn case_value(self, index: u32) -> Value<'m> {
        value(ffi!(c::LLVMGetSwitchCaseValue, self.0, index))
    }

    pub(crate) fn called(self) -> Value<'m> {
        value(ffi!(c::LLVMGetCalledValue, self.0))
    }

    pub(crate) fn called_type(self) -> Type<'m> {
        Type(ffi!(c::LLVMGetCalledFunctionType, self.0), PhantomData)
    }

    pub(crate) fn arguments(self) -> Vec<Value<'m>> {
        (0..ffi!(c::LLVMGetNumArgOperands, self.0)).map(|i| self.operand(i)).collect()
    }

    /// The type given with an argument's attribute at a call. `index` counts from 0.
    pub(crate) fn argument_attribute(self, index: usize, name: &str) -> Option<Type<'m>> {
        let index = u32::try_from(index).ok()? + 1;
        attribute_type(ffi!(c::LLVMGetCallSiteEnumAttribute, self.0, index, attribute_kind(name)))
    }

    pub(crate) fn asm_text(self) -> String {
        let mut length = 0;
        let start = ffi!(c::LLVMGetInlineAsmAsmString, self.0, &mut length);
        text(start, length)
    }

    pub(crate) fn is_intel_syntax(self) -> bool {
        ffi!(c::LLVMGetInlineAsmDialect, self.0) == llvm_sys::LLVMInlineAsmDialect::LLVMInlineAsmDialectIntel
    }

    pub(crate) fn asm_constraints(self) -> String {
        let mut length = 0;
        let start = ffi!(c::LLVMGetInlineAsmConstraintString, self.0, &mut length);
        text(start, length)
    }
}

pub(super) fn attribute_kind(name: &str) -> u32 {
    ffi!(c::LLVMGetEnumAttributeKindForName, name.as_ptr().cast(), name.len())
}

fn attribute_type<'m>(attribute: llvm_sys::prelude::LLVMAttributeRef) -> Option<Type<'m>> {
    if attribute.is_null() || ffi!(c::LLVMIsTypeAttribute, attribute) == 0 {
        return None;
    }
    Type::new(ffi!(c::LLVMGetTypeAttributeValue, attribute))
}
