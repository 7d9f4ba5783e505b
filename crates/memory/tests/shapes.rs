//! How many initial heaps there are, by deciding every pointer in every way, against counting.

use ir::{Module, PointerSize, TypeId};
use memory::{
    Binding, HeapRules, LazyId, LazyPointer, Limits, Memory, ObjId, Pointer, Target, Territory, TypeFacts, Value,
};
use smt::Terms;

/// A node with one link, one with two, and a list with a lock that owns its nodes.
const TYPES: &str = "T0 = void\nT1 = signed int 4\n\
                     T2 = struct node 16 { 0 next: T3, 8 v: T1 }\nT3 = ptr T2\n\
                     T4 = struct tree 16 { 0 left: T5, 8 right: T5 }\nT5 = ptr T4\n\
                     T6 = union m 40 { 0 v: T1 }\nT7 = typedef pthread_mutex_t T6\nT8 = void\n\
                     T9 = struct list 48 { 0 lock: T7, 40 head: T3 }\nT10 = ptr T9\n\
                     T11 = struct handle 16 { 0 list: T10, 8 at: T3 }\n";

struct Heaps {
    module: Module,
    facts: TypeFacts,
    limits: Limits,
}

impl Heaps {
    fn new(limits: Limits) -> Self {
        Heaps::of(TYPES, limits)
    }

    fn of(text: &str, limits: Limits) -> Self {
        let module = ir::text::parse(text).expect("a valid module");
        let facts = TypeFacts::new(&module, Default::default());
        Heaps { module, facts, limits }
    }

    /// How many heaps parameters of these types lead into, where `links` are the offsets of pointers in what they lead to.
    fn count(&self, roots: &[usize], links: &[u64]) -> u64 {
        let common: Vec<(usize, Territory)> = roots.iter().map(|&root| (root, Territory::Common)).collect();
        self.count_in(&common, links)
    }

    /// The same where parameters lead into these territories.
    fn count_in(&self, roots: &[(usize, Territory)], links: &[u64]) -> u64 {
        let mut memory = Memory::new(self.limits, PointerSize::Eight);
        for (index, &(root, territory)) in roots.iter().enumerate() {
            memory.shape_mut().add_root(&format!("p{index}"), Some(TypeId::new(root)), territory);
        }
        self.decided(memory, links)
    }

    fn decided(&self, memory: Memory, links: &[u64]) -> u64 {
        let is_open = |(id, pointer): (LazyId, &LazyPointer)| (pointer.decision == Binding::Open).then_some(id);
        let open = memory.shape().pointers().find_map(is_open);
        let Some(open) = open else { return 1 };
        let mask = memory.shape().open_tag(&self.module, &self.facts, open);
        if mask != 0 && !memory.shape().roots().contains(&open) {
            let tags = (0..=mask).filter(|tag| tag & !mask == 0);
            return tags.map(|tag| self.tagged(&memory, open, tag, links)).sum();
        }
        self.led(&memory, open, links)
    }

    /// With this tag in a pointer, wherever that leads.
    fn tagged(&self, memory: &Memory, open: LazyId, tag: u8, links: &[u64]) -> u64 {
        let mut memory = memory.clone();
        memory.decide_tag(open, tag);
        self.led(&memory, open, links)
    }

    fn led(&self, memory: &Memory, open: LazyId, links: &[u64]) -> u64 {
        let targets = memory.shape().targets(&self.module, &self.facts, open);
        let mut sum = 0;
        for target in targets {
            let mut next = memory.clone();
            next.decide(&self.module, &self.facts, open, target);
            if target == Target::New
                && let Binding::Target(at) = next.shape().pointer(open).decision
            {
                self.read_links(&mut next, at.object, links);
            }
            sum += self.decided(next, links);
        }
        sum
    }

    /// Makes what stands at the links of an object lazy pointers.
    fn read_links(&self, memory: &mut Memory, object: ObjId, links: &[u64]) {
        let (mut terms, size) = (Terms::default(), memory.object(object).size);
        for &link in links.iter().filter(|&&link| link + 8 <= size) {
            let at = Pointer::new(object, link as i64);
            memory.read(&mut terms, &self.module, &self.facts, at, 8).expect("it is whole");
        }
    }
}

fn limits(depth: u32) -> Limits {
    Limits { depth, array: 1, rules: HeapRules::default() }
}

/// A chain of k nodes ends in null or in one of them.
#[test]
fn lists_end_or_come_back() {
    for depth in 1..6 {
        let chains: u64 = (1..=u64::from(depth)).map(|length| 1 + length).sum();
        assert_eq!(Heaps::new(limits(depth)).count(&[2], &[0]), 1 + chains, "depth {depth}");
    }
}

/// Code that marks pointers to nodes in two bits, of which it looks at the lower one.
const MARKS: &str = "fn f0 f(%0 p: ptr(T2)) -> i64 external {\nb0:\n  %1: i64 = ptrtoint ptr %0 to i64\n  \
                     %2: i64 = or i64 %1, 3\n  %3: i64 = and i64 %1, 1\n  %4: i64 = add i64 %2, %3\n  \
                     %5: ptr = inttoptr i64 %2 to ptr\n  %6: ptr = offset %0 + 0 \"->next\" within T2\n  \
                     store ptr %5, [%6]\n  return %4\n}\n";

/// Each link of a chain has a mark in it or has none, the null one too.
#[test]
fn links_may_be_marked() {
    for depth in 1..6 {
        let chains: u64 = (1..=u64::from(depth)).map(|length| (1 + length) << length).sum();
        let heaps = Heaps::of(&format!("{TYPES}{MARKS}"), limits(depth));
        assert_eq!(heaps.count(&[2], &[0]), 1 + chains, "depth {depth}");
    }
}

/// A mark is part of the address, and no matter of where the pointer leads.
#[test]
fn marks_stay_with_what_they_are_in() {
    let heaps = Heaps::of(&format!("{TYPES}{MARKS}"), limits(1));
    let address = |tag: u8, target: Target| {
        let mut memory = Memory::new(heaps.limits, PointerSize::Eight);
        let root = memory.shape_mut().add_root("p", Some(TypeId::new(2)), Territory::Common);
        memory.decide_non_null(root);
        memory.decide_tag(root, tag);
        let targets = memory.shape().targets(&heaps.module, &heaps.facts, root);
        // What is not null with a mark may be so without.
        assert_eq!(targets.contains(&Target::Null), tag != 0);
        memory.decide(&heaps.module, &heaps.facts, root, target);
        // Deciding again what is decided changes nothing.
        let again = memory.shape().targets(&heaps.module, &heaps.facts, root);
        memory.decide(&heaps.module, &heaps.facts, root, again[0]);
        memory.settle(Value::lazy(root))
    };
    assert_eq!(address(1, Target::Null), Value::Int(1));
    let Value::Ptr(plain) = address(0, Target::New) else { panic!("it leads to an object") };
    let Value::Ptr(marked) = address(1, Target::New) else { panic!("it leads to an object") };
    assert_eq!((plain.offset, marked.offset), (0, 1));
}

/// Two parameters lead to nodes of one chain, or of two that may meet.
#[test]
fn two_parameters_may_alias() {
    // Both null; one of them; both to one node (which ends or comes back), or to two: each node's link is null or leads to one of both.
    assert_eq!(Heaps::new(limits(1)).count(&[2, 2], &[0]), 1 + 2 * 2 + 2 + 3 * 3);
}

/// Each link of each node is null or leads to a node that is there or to a new one, and nodes have their numbers in the order
/// in which a search meets them.
#[test]
fn graphs_of_two_links() {
    assert_eq!(Heaps::new(limits(1)).count(&[4], &[0, 8]), 1 + 2 * 2);
    // The root with both links decided: among null and itself (4); one of them to a second node, whose links are null, the
    // root or itself (two places for it, two for the other link: 4 * 9); both to the second (9), or to a second and a third
    // (16 each, for each has four ends: 256).
    assert_eq!(Heaps::new(limits(2)).count(&[4], &[0, 8]), 1 + 4 + 2 * 2 * 9 + 9 + 256);
}

/// What a structure by value leads to is an owner's or nobody's; nothing leads to the structure itself.
#[test]
fn structures_by_value_look_into_lists() {
    let heaps = Heaps::new(limits(2));
    let mut memory = Memory::new(heaps.limits, PointerSize::Eight);
    let list = memory.shape_mut().add_root("l", Some(TypeId::new(9)), Territory::Common);
    let handle = memory.add_passed(&heaps.module, TypeId::new(11), "h");
    memory.set_passed(handle, 0, list);
    let Binding::Target(at) = memory.shape().pointer(handle).decision else { panic!("it is there") };
    heaps.read_links(&mut memory, at.object, &[0, 8]);
    // Of no list: no node, or one that ends, comes back or has a second behind it. Of a list: no node, and a list of one or none; a node
    // but an empty list, or one that begins with it; a node beside another first one of the list, each of which ends in null or one of
    // both, or the node has a third behind it.
    let chain = 2 + 3;
    assert_eq!(heaps.decided(memory, &[0, 40]), (1 + chain) + (1 + 2) + 2 * chain + (3 * 3 + 4 * 4));
}

/// What hangs on one owner hangs on no other, unless that is asked for.
#[test]
fn owners_share_nothing() {
    // Each list alone: null, an empty one, or one whose node ends or comes back. Two lists: both one, or apart.
    let alone = 1 + 1 + 2;
    assert_eq!(Heaps::new(limits(2)).count(&[9], &[0, 40]), alone);
    let apart = Heaps::new(limits(2)).count(&[9, 9], &[0, 40]);
    assert_eq!(apart, alone * alone + 3, "both null, each of them, both there, and one for both");
    let shared = Heaps::new(Limits { rules: HeapRules { share_owners: true, ..HeapRules::default() }, ..limits(2) })
        .count(&[9, 9], &[0, 40]);
    assert!(shared > apart, "{shared}");
}

/// Nothing leads to what a caller has to itself, and what hangs on it is common; but an owner's elements are its own.
#[test]
fn what_callers_have_to_themselves_is_led_to_once() {
    let heaps = Heaps::new(limits(2));
    let alone = |ty: usize| [(ty, Territory::Alone(0)), (ty, Territory::Alone(1))];
    // Both null; one of them with no link, or one to a node that ends or comes back to itself; both, where the second links to nothing,
    // to the first one's node, or to one more, and each of two nodes ends or leads to one of both.
    let one = 1 + 2;
    let both = (1 + 2) + (2 + 2 + 3 * 3);
    assert_eq!(heaps.count_in(&alone(2), &[0]), 1 + 2 * one + both);
    let list = 1 + 1 + 2;
    assert_eq!(heaps.count_in(&alone(9), &[0, 40]), list * list);
    // Two pointers of one thread may lead to one object; none of another thread does, nor one that leads to what is shared.
    let same = [(9, Territory::Alone(0)), (9, Territory::Alone(0))];
    assert_eq!(heaps.count_in(&same, &[0, 40]), list * list + (list - 1));
    let shared = [(9, Territory::Common), (9, Territory::Alone(0))];
    assert_eq!(heaps.count_in(&shared, &[0, 40]), list * list);
}

/// What hangs on a private parameter is that thread's; owners as well, to which any number of pointers may lead.
#[test]
fn private_heaps_are_apart() {
    let heaps = Heaps::new(limits(2));
    let apart = |ty: usize| [(ty, Territory::Private(0)), (ty, Territory::Private(1)), (ty, Territory::Common)];
    let (chain, list): (u64, u64) = (1 + 2 + 3, 1 + 1 + 2);
    assert_eq!(heaps.count_in(&apart(2), &[0]), chain.pow(3));
    assert_eq!(heaps.count_in(&apart(9), &[0, 40]), list.pow(3));
}

/// A device with two counters and a spare number, and code that has pointers to all of them. `given`: it gives the address of the
/// spare number away.
fn devices(given: bool) -> String {
    let types = "T0 = void\nT1 = signed int 4\nT2 = ptr T1\nT3 = struct counter 4 { 0 value: T1 }\n\
                 T4 = struct device 12 { 0 in: T3, 4 out: T3, 8 spare: T1 }\nT5 = ptr T3\nT6 = ptr T4\n";
    let returned = if given { "return %3" } else { "return 0" };
    format!(
        "{types}fn f0 use(%0 n: ptr(T1), %1 c: ptr(T3), %2 d: ptr(T4)) -> ptr external {{\nb0:\n  \
         %3: ptr(T1) = offset %2 + 8 \"->spare\" within T4\n  {returned}\n}}\n"
    )
}

/// Whichever is decided first: each is null or there, and if both are, the counter is none of the device's or one of its two. The part
/// of a device to which nothing leads comes again.
#[test]
fn an_object_may_be_a_part_of_one_that_is_met_later() {
    let heaps = Heaps::of(&devices(false), limits(1));
    let both = 2 * 2 + 2;
    let (inside_unmet, counter_first) = (2, 2 * 2);
    assert_eq!(heaps.count(&[3, 4], &[]), both + inside_unmet * 2, "a counter, then a device");
    assert_eq!(heaps.count(&[4, 3], &[]), both + counter_first, "a device, then a counter");
}

/// To a number of a device a pointer to numbers leads only if the program gives its address away, or if that is not asked.
#[test]
fn pointers_to_numbers_lead_to_what_is_given_away() {
    let (alone, apart) = (2, 2 * 2);
    assert_eq!(Heaps::of(&devices(false), limits(1)).count(&[1], &[]), alone);
    assert_eq!(Heaps::of(&devices(false), limits(1)).count(&[4, 1], &[]), apart);
    // The one that is there, and one of another device, with and without this one.
    assert_eq!(Heaps::of(&devices(true), limits(1)).count(&[4, 1], &[]), apart + 1 + 2);
    let any = Limits { rules: HeapRules { any_member: true, ..HeapRules::default() }, ..limits(1) };
    // The values of both counters as well, and that of a counter of its own.
    assert_eq!(Heaps::of(&devices(false), any).count(&[4, 1], &[]), apart + 3 + 3 * 2);
}
