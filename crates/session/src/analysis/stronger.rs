//! What was tried against weak orders, in words.

use crate::losses::allowed;
use concurrency::Site;
use ir::{Op, Order};
use machine::{Disorder, Ledger, Program, Remedy, Stronger};
use std::collections::BTreeMap;

/// The ledger, with what was tried.
pub(super) fn in_words(program: &Program, ledger: &Ledger, tried: &[Stronger]) -> Ledger {
    let ways: Vec<String> = tried.iter().map(|stronger| said(program, stronger)).collect();
    ledger.with_remedies(|remedy| match remedy {
        Remedy::Orders(disorder) if ways.is_empty() => {
            Remedy::Orders(Disorder { circle: Vec::new(), ..disorder.clone() })
        }
        Remedy::Orders(disorder) => {
            let way = ways.join("; or with ");
            format!("{}; with {way}, nothing does (tried); --memory sc takes it as it is", allowed(disorder)).into()
        }
        other => other.clone(),
    })
}

/// Where operations stand, by order.
fn said(program: &Program, stronger: &Stronger) -> String {
    let by_order = |orders: &BTreeMap<Site, Order>| {
        let mut by_order: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
        for (&site, &order) in orders {
            let places = by_order.entry(name(order)).or_default();
            let place = format!("{} in {}", kind(program, site, order), line(program, site));
            if !places.contains(&place) {
                places.push(place);
            }
        }
        by_order
    };
    let orders = by_order(&stronger.orders).into_iter();
    let orders = orders.map(|(order, places)| format!("{order} for {}", listed(&places)));
    let fences = by_order(&stronger.fences).into_iter();
    let fences = fences.map(|(order, places)| format!("atomic_thread_fence({order}) before {}", listed(&places)));
    listed(&orders.chain(fences).collect::<Vec<_>>())
}

fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [item] => item.clone(),
        [items @ .., last] => format!("{} and {last}", items.join(", ")),
    }
}

fn name(order: Order) -> &'static str {
    match order {
        Order::Relaxed => "memory_order_relaxed",
        Order::Acquire => "memory_order_acquire",
        Order::Release => "memory_order_release",
        Order::AcqRel => "memory_order_acq_rel",
        Order::SeqCst => "memory_order_seq_cst",
    }
}

fn kind(program: &Program, site: Site, order: Order) -> &'static str {
    match program.site_op(site) {
        Some(Op::Load { .. }) => "the load",
        Some(Op::Store { .. }) => "the store",
        Some(Op::CompareExchange { success_order: Order::SeqCst, .. }) => "failures of the compare-and-exchange",
        // Where it fails it is a load.
        Some(Op::CompareExchange { .. }) if order != Order::Release => "both orders of the compare-and-exchange",
        Some(Op::CompareExchange { .. }) => "the compare-and-exchange",
        Some(Op::Fence { .. }) => "the fence",
        _ => "the update",
    }
}

fn line(program: &Program, site: Site) -> String {
    match program.site_location(site) {
        Some(location) => format!("line {}", program.module[location].line),
        None => program.place(site),
    }
}
