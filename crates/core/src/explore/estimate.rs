//! How much of a tree has been searched, and how much that leaves.
//!
//! Knuth (*Estimating the efficiency of backtrack programs*, Mathematics of Computation 1975)
//! weighs a leaf by the product of one over the number of branches at each node on its way: the
//! weights of all leaves add up to one. Kilby, Slaney, Thiébaux and Walsh (*Estimating search tree
//! size*, AAAI 2006) do so for the leaves a depth-first search has met instead of a sample. So does
//! this: the weights of the complete ones sum to the part `p` of the tree that is complete, and if
//! `n` leaves made it up, about `n × (1 − p) / p` are left.
//!
//! Computed from the path the search is on, at any time, since everything beside it is complete or
//! not begun: a node with `b` branches begun, of which the last one is complete to a part `f`, and
//! `k` known to be left, is complete to the part `(b − 1 + f) / (b + k)`. Nothing is remembered
//! from one execution to the next.
//!
//! Cost: O(depth).
//!
//! Departures: how many branches a node has is known only when it is complete, since executions
//! below it may bring more. Taken is what is known now, of all leaves alike. So the part can shrink
//! as branches turn up.
//!
//! What it can miss: it is exact for a tree whose nodes of one depth are alike and whose branches
//! are known when the first of them is begun; indexer's is one. Where executions bring further
//! branches at nodes far above, it is too low at first.

/// A node on the path of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fork {
    /// Branches that have been begun. All but the last are complete; that one is complete if the
    /// path ends here, and else is what the next node of the path has to say.
    pub(super) begun: usize,
    /// Branches known to be left.
    pub(super) left: usize,
}

/// The part of the tree that is complete, from 0 to 1; the path begins at the deepest node.
pub(super) fn part_done(path: impl IntoIterator<Item = Fork>) -> f64 {
    path.into_iter().fold(1.0, |last, Fork { begun, left }| match begun {
        0 => 0.0,
        _ => ((begun - 1) as f64 + last) / (begun + left) as f64,
    })
}

/// How many leaves are left, if `leaves` are the part `done` of all.
pub(super) fn left(leaves: u64, done: f64) -> f64 {
    if done >= 1.0 {
        return 0.0;
    }
    // No branch is complete: there is nothing to extrapolate from.
    (leaves.max(1) as f64 * (1.0 - done) / done.max(f64::MIN_POSITIVE)).min(f64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree: its branches; a leaf has none.
    struct Node(Vec<Node>);

    fn uniform(branches: &[usize]) -> Node {
        let (count, rest) = branches.split_first().map_or((0, &[][..]), |(&count, rest)| (count, rest));
        Node((0..count).map(|_| uniform(rest)).collect())
    }

    fn leaves(node: &Node) -> u64 {
        if node.0.is_empty() { 1 } else { node.0.iter().map(leaves).sum() }
    }

    /// Depth first: what is estimated to be left after each leaf.
    fn estimates(root: &Node) -> Vec<f64> {
        fn visit(node: &Node, path: &mut Vec<Fork>, met: &mut u64, estimates: &mut Vec<f64>) {
            if node.0.is_empty() {
                *met += 1;
                estimates.push(left(*met, part_done(path.iter().rev().copied())));
            }
            for (at, child) in node.0.iter().enumerate() {
                path.push(Fork { begun: at + 1, left: node.0.len() - at - 1 });
                visit(child, path, met, estimates);
                path.pop();
            }
        }
        let mut estimates = Vec::new();
        visit(root, &mut Vec::new(), &mut 0, &mut estimates);
        estimates
    }

    #[test]
    fn exact_where_nodes_of_one_depth_are_alike() {
        for branches in [&[2; 10][..], &[3, 1, 4, 2], &[7], &[]] {
            let tree = uniform(branches);
            let all = leaves(&tree);
            for (met, estimate) in estimates(&tree).into_iter().enumerate() {
                let truth = all - met as u64 - 1;
                assert!((estimate - truth as f64).abs() < 1e-6, "{branches:?}: {estimate} of {truth}");
            }
        }
    }

    /// Two branches, of 64 leaves and of one: a half is complete after the first, and 64 more are
    /// guessed.
    #[test]
    fn a_lopsided_tree() {
        let tree = Node(vec![uniform(&[2; 6]), Node(Vec::new())]);
        let estimates = estimates(&tree);
        assert_eq!((estimates[0], estimates[31], estimates[63], estimates[64]), (127.0, 96.0, 64.0, 0.0));
    }

    #[test]
    fn the_ends() {
        assert_eq!(part_done([]), 1.0);
        assert_eq!(part_done([Fork { begun: 0, left: 3 }]), 0.0);
        assert_eq!(left(10, 1.0), 0.0);
        assert!(left(0, 0.0) > 1e100, "nothing is known");
        assert!(left(u64::MAX, 1e-300).is_finite());
    }
}
