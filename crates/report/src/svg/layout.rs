//! Where boxes stand and how arrows get from one to the other: the layered drawing of `layout-rs`, from left to right.
//!
//! Only positions are taken from it; what stands there is drawn elsewhere.

use super::canvas::Point;
use layout::core::base::Orientation;
use layout::core::format::{ClipHandle, RenderBackend};
use layout::core::geometry::Point as LayoutPoint;
use layout::core::style::StyleAttr;
use layout::std_shapes::shapes::{Arrow, Element, ShapeKind};
use layout::topo::layout::VisualGraph;

/// Where everything stands, from (0, 0) on.
#[derive(Debug, Default)]
pub(super) struct Placed {
    /// Upper left corners of the boxes.
    pub(super) boxes: Vec<Point>,
    /// For each arrow the points between its ends, from its source to its target.
    pub(super) routes: Vec<Vec<Point>>,
}

/// `sizes`: of the boxes, width and height. `arrows`: from one box to another one, by position.
pub(super) fn place(sizes: &[Point], arrows: &[(usize, usize)]) -> Placed {
    // The library does not draw nothing.
    if sizes.is_empty() {
        return Placed::default();
    }
    let mut graph = VisualGraph::new(Orientation::LeftToRight);
    let handles: Vec<_> = (0..)
        .zip(sizes)
        .map(|(index, &(width, height)): (usize, _)| {
            let size = LayoutPoint::new(width, height);
            let shape = ShapeKind::new_box("");
            graph.add_node(Element::create_with_properties(
                shape,
                StyleAttr::simple(),
                Orientation::LeftToRight,
                size,
                format!("{index}"),
            ))
        })
        .collect();
    for (index, &(from, to)) in arrows.iter().enumerate() {
        graph.add_edge(Arrow::simple_with_properties("", format!("{index}")), handles[from], handles[to]);
    }
    let mut recorder =
        Recorder(Placed { boxes: vec![(0.0, 0.0); sizes.len()], routes: vec![Vec::new(); arrows.len()] });
    graph.do_it(false, false, false, &mut recorder);
    let mut placed = recorder.0;
    let least = |pick: fn(&Point) -> f64, points: &[Point]| points.iter().map(pick).fold(f64::INFINITY, f64::min);
    let (left, top) = (least(|p| p.0, &placed.boxes), least(|p| p.1, &placed.boxes));
    for point in placed.boxes.iter_mut().chain(placed.routes.iter_mut().flatten()) {
        *point = (point.0 - left, point.1 - top);
    }
    placed
}

/// Keeps what would be drawn.
struct Recorder(Placed);

impl RenderBackend for Recorder {
    fn draw_rect(
        &mut self,
        xy: LayoutPoint,
        _size: LayoutPoint,
        _look: &StyleAttr,
        properties: Option<String>,
        _clip: Option<ClipHandle>,
    ) {
        let index = properties.and_then(|text| text.parse::<usize>().ok());
        if let Some(corner) = index.and_then(|index| self.0.boxes.get_mut(index)) {
            *corner = (xy.x, xy.y);
        }
    }

    fn draw_line(&mut self, _: LayoutPoint, _: LayoutPoint, _: &StyleAttr, _: Option<String>) {}

    fn draw_circle(&mut self, _: LayoutPoint, _: LayoutPoint, _: &StyleAttr, _: Option<String>) {}

    fn draw_text(&mut self, _: LayoutPoint, _: &str, _: &StyleAttr) {}

    fn draw_arrow(
        &mut self,
        path: &[(LayoutPoint, LayoutPoint)],
        _dashed: bool,
        head: (bool, bool),
        _look: &StyleAttr,
        properties: Option<String>,
        _text: &str,
    ) {
        let index = properties.and_then(|text| text.parse::<usize>().ok());
        let Some(route) = index.and_then(|index| self.0.routes.get_mut(index)) else { return };
        // The first and the last point are on the boxes. Of each pair but the first, the second is the point.
        let inner = path.get(1..path.len().saturating_sub(1)).unwrap_or_default();
        *route = inner.iter().map(|(_, point)| (point.x, point.y)).collect();
        // An arrow against the direction of the drawing is drawn backwards, with its tip at the start.
        if head.0 {
            route.reverse();
        }
    }

    fn create_clip(&mut self, _: LayoutPoint, _: LayoutPoint, _: usize) -> ClipHandle {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn graphs() -> impl Strategy<Value = (Vec<Point>, Vec<(usize, usize)>)> {
        proptest::collection::vec((10.0f64..400.0, 10.0f64..400.0), 1..14).prop_flat_map(|sizes| {
            let count = sizes.len();
            let arrows = proptest::collection::vec((0..count, 0..count), 0..24);
            let apart = arrows.prop_map(|all| all.into_iter().filter(|(from, to)| from != to).collect());
            (Just(sizes), apart)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn boxes_never_overlap((sizes, arrows) in graphs()) {
            let placed = place(&sizes, &arrows);
            let areas: Vec<(Point, Point)> = placed.boxes.iter().copied().zip(sizes).collect();
            for (number, &((x, y), (w, h))) in areas.iter().enumerate() {
                prop_assert!(x >= 0.0 && y >= 0.0 && x.is_finite() && y.is_finite());
                for &((a, b), (c, d)) in &areas[..number] {
                    let apart = x + w <= a || a + c <= x || y + h <= b || b + d <= y;
                    prop_assert!(apart, "{placed:?}");
                }
            }
        }
    }
}
