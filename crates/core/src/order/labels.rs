//! Order maintenance: a list in which "insert after x" is amortised O(log n) and "is x before y?" is one
//! comparison of two labels.
//!
//! Dietz and Sleator, *Two algorithms for maintaining order in a list* (1987), in the tag-range form of Bender et
//! al., *Two simplified algorithms for maintaining order in a list* (2002): when there is no label left between
//! two neighbours, the smallest aligned range of labels around them that is not too dense is
//! spread out evenly; what counts as too dense falls geometrically with the size of the range.

/// An element of a [`Labels`] list: the index of its insertion, the first element being 0.
pub(crate) type Element = u32;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    label: u64,
    next: u32,
    prev: u32,
}

const _: () = assert!(size_of::<Node>() == 16);

#[derive(Debug)]
pub(crate) struct Labels {
    nodes: Vec<Node>,
}

impl Labels {
    /// A list of one element, 0.
    pub(crate) fn new() -> Self {
        Labels { nodes: vec![Node { label: 0, next: NONE, prev: NONE }] }
    }

    #[inline]
    pub(crate) fn label(&self, element: Element) -> u64 {
        self.nodes[element as usize].label
    }

    /// Inserts a new element directly after `after`.
    pub(crate) fn insert_after(&mut self, after: Element) -> Element {
        if self.gap(after) < 2 {
            self.spread(after);
        }
        let gap = self.gap(after);
        let Node { label, next, .. } = self.nodes[after as usize];
        let new = u32::try_from(self.nodes.len()).expect("more than 2^32 strands in a run");
        self.nodes.push(Node { label: label + gap / 2, next, prev: after });
        self.nodes[after as usize].next = new;
        if next != NONE {
            self.nodes[next as usize].prev = new;
        }
        new
    }

    /// The distance from an element's label to its successor's; 2⁶³ is the end of the list.
    fn gap(&self, element: Element) -> u64 {
        let node = self.nodes[element as usize];
        let end = if node.next == NONE { 1 << 63 } else { self.nodes[node.next as usize].label };
        end - node.label
    }

    #[cold]
    fn spread(&mut self, around: Element) {
        let label = self.label(around);
        let (mut first, mut last) = (around, around);
        let mut count: u64 = 1;
        for bits in 1..=63 {
            let low = label & !((1u64 << bits) - 1);
            let high = low + ((1u64 << bits) - 1);
            while let Some(prev) = self.within(self.nodes[first as usize].prev, low, high) {
                first = prev;
                count += 1;
            }
            while let Some(next) = self.within(self.nodes[last as usize].next, low, high) {
                last = next;
                count += 1;
            }
            // Density at most (2/3)^bits: room for about 1.5^bits elements. Two free labels each at least.
            let room = 1.5f64.powi(bits);
            if (count as f64) < room && count <= (1 << bits) / 4 {
                let step = (1u64 << bits) / count;
                let (mut at, mut label) = (first, low);
                for _ in 0..count {
                    let node = &mut self.nodes[at as usize];
                    node.label = label;
                    label += step;
                    at = node.next;
                }
                return;
            }
        }
        unreachable!("fewer than 2^32 elements always fit into 2^63 labels")
    }

    fn within(&self, element: u32, low: u64, high: u64) -> Option<Element> {
        (element != NONE && (low..=high).contains(&self.label(element))).then_some(element)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Inserts by the given rule and compares every label with a plain vector's order.
    fn agrees_with_a_vector(choose: impl Fn(usize, u64) -> usize, inserts: u64) {
        let mut list = Labels::new();
        let mut plain: Vec<Element> = vec![0];
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..inserts {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let position = choose(plain.len(), random);
            let new = list.insert_after(plain[position]);
            plain.insert(position + 1, new);
        }
        for pair in plain.windows(2) {
            assert!(list.label(pair[0]) < list.label(pair[1]));
        }
    }

    #[test]
    fn order_is_kept_wherever_elements_are_inserted() {
        agrees_with_a_vector(|length, random| (random % length as u64) as usize, 20_000);
        agrees_with_a_vector(|_, _| 0, 20_000);
        agrees_with_a_vector(|length, _| length - 1, 20_000);
        agrees_with_a_vector(|length, _| length / 2, 20_000);
        agrees_with_a_vector(|length, random| length - 1 - (random % length.min(3) as u64) as usize, 20_000);
    }
}
