//! Which stronger orders, or fences, keep a program's weak atomics from what no interleaving shows: explored with them, it has nothing
//! else. Nothing is suggested that was not tried.

use concurrency::Site;
use ir::{Op, Order};
use machine::{Disorder, Ledger, Program, Remedy, Stronger, stronger_than};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How often circles that are left are taken in as well.
const ROUNDS: usize = 4;

/// Operations to be tried at the most: each takes a few searches.
const MOST: usize = 24;

/// Asks of a program what its weak orders allow; the search may end early with the first such thing. None where it did not come to its end.
pub type AskWeak<'a> = dyn FnMut(&Arc<Program>, bool) -> Option<Ledger> + 'a;

fn disorders(ledger: &Ledger) -> impl Iterator<Item = &Disorder> {
    ledger.entries().filter_map(|(entry, _)| match &entry.remedy {
        Remedy::Orders(disorder) => Some(disorder),
        _ => None,
    })
}

/// What works: by orders of what is there, or with fences, each the weakest of its kind that does. Fences only where orders alone have to be
/// sequentially consistent: these cost as much.
pub fn stronger_orders(program: &Arc<Program>, ledger: &Ledger, ask: &mut AskWeak) -> Vec<Stronger> {
    let mut trial = Trial { program, ask, sites: Vec::new() };
    if !trial.take_in(ledger) {
        return Vec::new();
    }
    let orders = trial.orders();
    let is_dear = |stronger: &Stronger| stronger.orders.values().any(|&order| order == Order::SeqCst);
    let fences = orders.as_ref().is_none_or(is_dear).then(|| trial.fences()).flatten();
    orders.into_iter().chain(fences).collect()
}

struct Trial<'t, 'a> {
    program: &'t Arc<Program>,
    ask: &'t mut AskWeak<'a>,
    /// On circles: first the operation, then the write that it misses, then what is between, fences at the end.
    sites: Vec<Site>,
}

impl Trial<'_, '_> {
    fn is_fence(&self, site: Site) -> bool {
        matches!(self.program.site_op(site), Some(Op::Fence { .. }))
    }

    /// Takes in what is on circles. False where nothing can be done about one: nothing of the program's own is on it.
    fn take_in(&mut self, ledger: &Ledger) -> bool {
        let is_own = |site: &Site| {
            let function = self.program.site_function(*site);
            let is_own = function.is_some_and(|function| !self.program.module[function].library);
            is_own && self.program.site_location(*site).is_some()
        };
        for site in disorders(ledger).flat_map(|disorder| &disorder.circle) {
            if !is_own(site) {
                return false;
            }
            if !self.sites.contains(site) {
                self.sites.push(*site);
            }
        }
        let (operations, fences) = self.sites.iter().partition::<Vec<Site>, _>(|&&site| !self.is_fence(site));
        self.sites = operations.into_iter().chain(fences).collect();
        !self.sites.is_empty() && self.sites.len() <= MOST
    }

    /// What the program's weak orders allow with these.
    fn asked(&mut self, stronger: &Stronger, ends_early: bool) -> Option<Ledger> {
        let program = Arc::new(self.program.strengthened(stronger).ok()?);
        (self.ask)(&program, ends_early)
    }

    fn works(&mut self, stronger: &Stronger) -> bool {
        self.asked(stronger, true).is_some_and(|ledger| disorders(&ledger).next().is_none())
    }

    /// Sequentially consistent wherever a circle comes through, then weaker one by one.
    fn orders(&mut self) -> Option<Stronger> {
        let mut stronger = self.sequentially_consistent()?;
        for site in self.sites.clone() {
            self.weaken(&mut stronger, |stronger| &mut stronger.orders, site, &self.orders_of(site));
        }
        Some(stronger)
    }

    /// Stronger orders that an operation could have.
    fn orders_of(&self, site: Site) -> Vec<Order> {
        self.program.site_op(site).map(stronger_than).unwrap_or_default()
    }

    /// Those of these that can be stronger, as strong as can be.
    fn strongest(&self, sites: &[Site]) -> BTreeMap<Site, Order> {
        sites.iter().filter_map(|&site| Some((site, *self.orders_of(site).last()?))).collect()
    }

    fn sequentially_consistent(&mut self) -> Option<Stronger> {
        for _ in 0..ROUNDS {
            let stronger = Stronger { orders: self.strongest(&self.sites), fences: BTreeMap::new() };
            let ledger = self.asked(&stronger, false)?;
            if disorders(&ledger).next().is_none() {
                return Some(stronger);
            }
            let known = self.sites.len();
            if !self.take_in(&ledger) || self.sites.len() == known {
                return None;
            }
        }
        None
    }

    /// A fence before each operation, then fewer and weaker ones.
    fn fences(&mut self) -> Option<Stronger> {
        let (fences, operations) = self.sites.iter().partition::<Vec<Site>, _>(|&&site| self.is_fence(site));
        let before = operations.iter().map(|&site| (site, Order::SeqCst)).collect();
        let mut stronger = Stronger { orders: self.strongest(&fences), fences: before };
        if !self.works(&stronger) {
            return None;
        }
        // Where what is there suffices, or stands before something else already, nothing is added.
        for site in operations {
            let orders = [Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];
            self.weaken(&mut stronger, |stronger| &mut stronger.fences, site, &orders);
        }
        for site in fences {
            self.weaken(&mut stronger, |stronger| &mut stronger.orders, site, &self.orders_of(site));
        }
        // Otherwise that is what orders alone do.
        (!stronger.fences.is_empty()).then_some(stronger)
    }

    /// Takes what is there, or the first of these orders with which it works still; with the last one it is known to.
    fn weaken(
        &mut self,
        stronger: &mut Stronger,
        which: fn(&mut Stronger) -> &mut BTreeMap<Site, Order>,
        site: Site,
        orders: &[Order],
    ) {
        let Some((_, weaker)) = orders.split_last() else { return };
        for order in std::iter::once(None).chain(weaker.iter().copied().map(Some)) {
            let mut other = stronger.clone();
            match order {
                Some(order) => which(&mut other).insert(site, order),
                None => which(&mut other).remove(&site),
            };
            if self.works(&other) {
                *stronger = other;
                return;
            }
        }
    }
}
