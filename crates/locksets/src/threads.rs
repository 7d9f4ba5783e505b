//! Who runs what: a function for each way to call it, and threads for each place that creates some.

use ir::cfg::Cfg;
use ir::{BlockId, FuncId};

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(crate) struct $name(pub u32);

        impl $name {
            pub(crate) fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
index!(
    /// A function as it is called from one place of another.
    InstanceId
);
index!(
    /// Threads that are created at one place, to run one function; the first is `main`'s.
    RootId
);

/// The thread that runs `main`.
pub(crate) const MAIN: RootId = RootId(0);

/// An instruction of an instance.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Place {
    pub instance: InstanceId,
    pub block: BlockId,
    pub inst: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub function: FuncId,
    pub root: RootId,
    /// Several where a function calls itself.
    pub callers: Vec<Place>,
    pub calls_itself: bool,
    /// The number of its first register among those of all instances.
    pub first: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub function: FuncId,
    pub instance: InstanceId,
    /// None for `main`; several where threads create threads that run the same.
    pub creators: Vec<Place>,
}

/// Which instances are come to more than once, and of which roots there is more than one thread.
#[derive(Clone, Debug)]
pub(crate) struct Repeated {
    instances: Vec<bool>,
    roots: Vec<bool>,
}

impl Repeated {
    pub(crate) fn of(instances: &[Instance], roots: &[Root], cfg: impl Fn(FuncId) -> std::rc::Rc<Cfg>) -> Repeated {
        let mut repeated = Repeated { instances: vec![false; instances.len()], roots: vec![false; roots.len()] };
        let in_loop = |place: &Place| {
            let cfg = cfg(instances[place.instance.index()].function);
            cfg.is_irreducible() || cfg.innermost_loop(place.block).is_some()
        };
        loop {
            let before = repeated.clone();
            for (index, root) in roots.iter().enumerate() {
                let again = |place: &Place| in_loop(place) || before.instances[place.instance.index()];
                repeated.roots[index] = root.creators.len() > 1 || root.creators.iter().any(again);
            }
            for (index, instance) in instances.iter().enumerate() {
                let again = |place: &Place| in_loop(place) || before.instances[place.instance.index()];
                repeated.instances[index] =
                    instance.calls_itself || instance.callers.iter().any(again) || before.roots[instance.root.index()];
            }
            if repeated.instances == before.instances && repeated.roots == before.roots {
                return repeated;
            }
        }
    }

    /// Whether an instance may be run more than once, in all threads together.
    pub(crate) fn instance(&self, id: InstanceId) -> bool {
        self.instances[id.index()]
    }

    /// Whether there may be more than one such thread.
    pub(crate) fn root(&self, id: RootId) -> bool {
        self.roots[id.index()]
    }
}
