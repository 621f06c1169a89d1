//! Assembly trees: a mechanism as two mechanisms joined by one joint, down to single bodies. [Kim, Redon, Kim 2008, section 2]
//!
//! ```text
//!              C             leaves are bodies, every inner node is a joint; a part that is cut out of the whole is entered at its
//!           joint            handles: the bodies at which joints leave it. The principal handle is where its sibling is joined.
//!          /     \
//!         A       B          T_A^C, T_B^C     child to parent: principal handle to principal handle
//!       / | \    / \         T_i^C            principal handle to a further handle i
//! ```
//!
//! A joint that changes is felt by the nodes above it alone: with m active joints at the top of the tree m nodes are redone, and a body is
//! located in the world by the O(log n) transforms above its leaf. Depth is O(log n) for every tree: bodies with many children are split
//! into copies that rest on each other, so that no body has more than three joints and some joint parts any piece at worst one to two;
//! a piece with many handles is parted between its handles first.
//!
//! The tree knows nothing of what is composed: poses, interval matrices or tubes, see [`Transform`] and [`Kinematics`].

mod kinematics;
mod transforms;

pub use kinematics::Kinematics;
pub(crate) use transforms::Carry;
pub use transforms::Transform;

/// A node: a body, or a joint between two nodes.
#[derive(Clone, Debug)]
struct Node {
    /// Its parent; itself for the root.
    parent: u32,
    /// The body that holds the principal handle.
    principal: u32,
    /// The bodies that hold further handles, without the principal one.
    handles: Vec<u32>,
    joined: Option<Joined>,
    /// For each of the handles: whether the near child holds it, and where among that child's handles; its principal one is nowhere.
    held_by: Vec<(bool, Option<u32>)>,
    /// Where the near child has the node's principal handle.
    entry: Option<u32>,
}

/// The joint of an inner node.
#[derive(Clone, Copy, Debug)]
struct Joined {
    /// The child that holds the node's principal handle, and the other one.
    near: u32,
    far: u32,
    /// Which joint it is; none where copies of one body rest on each other.
    joint: Option<u32>,
    /// Whether the joint's own child body is in the far node.
    outward: bool,
}

/// The order in which a mechanism is put together; body 0 is the world, and joint i joins body i to its parent.
#[derive(Clone, Debug)]
pub struct AssemblyTree {
    /// Children before parents; the root is the last.
    nodes: Vec<Node>,
    /// The node of every joint; that of joint 0, which does not exist, is the root.
    node_of_joint: Vec<u32>,
    leaf_of_body: Vec<u32>,
    depth: usize,
}

impl AssemblyTree {
    /// For bodies with these parents: `parents[i] < i` for all but the world, which comes first and is its own.
    ///
    /// # Panics
    /// If a parent does not come before its child.
    pub fn new(parents: &[u32]) -> Self {
        assert!((1..parents.len()).all(|i| (parents[i] as usize) < i), "parents come before their children");
        let split = Split::new(parents);
        let mut tree = AssemblyTree {
            nodes: Vec::with_capacity(2 * split.bodies()),
            node_of_joint: vec![0; parents.len()],
            leaf_of_body: vec![0; parents.len()],
            depth: 0,
        };
        let all: Vec<u32> = (0..split.bodies() as u32).collect();
        let root = tree.assemble(&split, &all, 0, &[], 1);
        tree.nodes[root as usize].parent = root;
        tree
    }

    /// How many bodies there are, the world among them.
    pub fn bodies(&self) -> usize {
        self.leaf_of_body.len()
    }

    /// The largest number of nodes between the root and a body.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The joint at every inner node, from the root downwards, level by level: the first m of them are an active set as adaptive simulation
    /// chooses it.
    pub fn joints_from_the_top(&self) -> Vec<usize> {
        let mut level = vec![self.root()];
        let mut out = Vec::new();
        while !level.is_empty() {
            let joined: Vec<Joined> = level.iter().filter_map(|&n| self.nodes[n as usize].joined).collect();
            out.extend(joined.iter().filter_map(|j| j.joint).map(|j| j as usize));
            level = joined.iter().flat_map(|j| [j.near, j.far]).collect();
        }
        out
    }

    /// The node that was made last: the root, once all are.
    fn root(&self) -> u32 {
        self.nodes.len() as u32 - 1
    }

    /// Puts together a connected set of bodies, entered at `principal`, with further handles.
    fn assemble(&mut self, split: &Split, bodies: &[u32], principal: u32, handles: &[u32], depth: usize) -> u32 {
        self.depth = self.depth.max(depth);
        let node = |joined, held_by, entry| Node { parent: 0, principal, handles: handles.to_vec(), joined, held_by, entry };
        if let [body] = bodies {
            self.nodes.push(node(None, Vec::new(), None));
            // A copy of a body is nobody's leaf.
            if let Some(leaf) = self.leaf_of_body.get_mut(*body as usize) {
                *leaf = self.nodes.len() as u32 - 1;
            }
            return self.root();
        }
        let cut = split.cut(bodies, principal, handles);
        let near = self.assemble(split, &cut.near, cut.near_end, &held(&cut.near, principal, handles, cut.near_end), depth + 1);
        let far = self.assemble(split, &cut.far, cut.far_end, &held(&cut.far, principal, handles, cut.far_end), depth + 1);
        let find = |child: u32, handle: u32| self.nodes[child as usize].handles.binary_search(&handle).ok().map(|k| k as u32);
        let holds = |child: u32, handle: u32| self.nodes[child as usize].principal == handle || find(child, handle).is_some();
        let held_by = |&h: &u32| if holds(near, h) { (true, find(near, h)) } else { (false, find(far, h)) };
        let (held_by, entry) = (handles.iter().map(held_by).collect(), find(near, principal));
        self.nodes.push(node(Some(Joined { near, far, joint: cut.joint, outward: cut.outward }), held_by, entry));
        let at = self.root();
        for child in [near, far] {
            self.nodes[child as usize].parent = at;
        }
        if let Some(joint) = cut.joint {
            self.node_of_joint[joint as usize] = at;
        }
        at
    }
}

/// The handles of a piece: those of the whole that it holds, without its own principal one.
fn held(piece: &[u32], principal: u32, handles: &[u32], own: u32) -> Vec<u32> {
    let mut held: Vec<u32> = handles.iter().chain([&principal]).copied().filter(|h| *h != own && piece.contains(h)).collect();
    held.sort_unstable();
    held.dedup();
    held
}

/// The mechanism with bodies of many joints split into copies.
struct Split {
    /// For every body and copy, its parent; copies come after all bodies.
    parents: Vec<u32>,
    /// How many bodies are no copies.
    given: usize,
}

/// Where a piece is cut.
struct Cut {
    /// The side with the principal handle, and the other.
    near: Vec<u32>,
    far: Vec<u32>,
    /// The bodies at the joint.
    near_end: u32,
    far_end: u32,
    joint: Option<u32>,
    outward: bool,
}

/// A piece with more handles than this is cut between its handles.
const MANY_HANDLES: usize = 3;

impl Split {
    fn new(parents: &[u32]) -> Self {
        let mut split = Split { parents: parents.to_vec(), given: parents.len() };
        let mut children = vec![Vec::new(); parents.len()];
        for i in 1..parents.len() {
            children[parents[i] as usize].push(i as u32);
        }
        for (body, children) in children.iter().enumerate() {
            split.hang(body as u32, children);
        }
        split
    }

    /// Hangs children on a body, two at most, or on copies of it that hang on it.
    fn hang(&mut self, body: u32, children: &[u32]) {
        if children.len() <= 2 {
            children.iter().for_each(|&c| self.parents[c as usize] = body);
            return;
        }
        let (left, right) = children.split_at(children.len() / 2);
        for half in [left, right] {
            if let [child] = half {
                self.parents[*child as usize] = body;
            } else {
                self.parents.push(body);
                let copy = self.parents.len() as u32 - 1;
                self.hang(copy, half);
            }
        }
    }

    fn bodies(&self) -> usize {
        self.parents.len()
    }

    /// The joint whose larger side is smallest: in bodies, or in handles where there are many.
    fn cut(&self, bodies: &[u32], principal: u32, handles: &[u32]) -> Cut {
        let place = |body: u32| bodies.binary_search(&body).ok();
        let above: Vec<Option<usize>> = bodies.iter().map(|&b| place(self.parents[b as usize]).filter(|_| b != 0)).collect();
        // How many bodies and handles hang below every body, itself included. Copies break the order of indices: walk by depth.
        let order = from_the_top(&above);
        let mut below = vec![(1usize, 0usize); bodies.len()];
        for h in handles.iter().chain([&principal]) {
            if let Some(at) = place(*h) {
                below[at].1 += 1;
            }
        }
        for &at in order.iter().rev() {
            if let Some(up) = above[at] {
                below[up] = (below[up].0 + below[at].0, below[up].1 + below[at].1);
            }
        }
        let total = (bodies.len(), handles.len() + 1);
        let larger = |at: usize| {
            let (b, h) = below[at];
            let (bodies, handles) = (b.max(total.0 - b), h.max(total.1 - h));
            if total.1 > MANY_HANDLES { (handles, bodies) } else { (bodies, handles) }
        };
        let child = (0..bodies.len()).filter(|&at| above[at].is_some()).min_by_key(|&at| (larger(at), at)).unwrap_or(0);
        let mut under = vec![false; bodies.len()];
        for &at in &order {
            under[at] = at == child || above[at].is_some_and(|up| under[up]);
        }
        let side =
            |inside: bool| -> Vec<u32> { (0..bodies.len()).filter(|&at| under[at] == inside).map(|at| bodies[at]).collect() };
        let (lower, upper) = (bodies[child], self.parents[bodies[child] as usize]);
        let joint = ((lower as usize) < self.given).then_some(lower);
        if place(principal).is_some_and(|p| under[p]) {
            Cut { near: side(true), far: side(false), near_end: lower, far_end: upper, joint, outward: false }
        } else {
            Cut { near: side(false), far: side(true), near_end: upper, far_end: lower, joint, outward: true }
        }
    }
}

/// Positions in an order in which parents come before children.
fn from_the_top(above: &[Option<usize>]) -> Vec<usize> {
    let mut children = vec![Vec::new(); above.len()];
    let mut order = Vec::with_capacity(above.len());
    for (at, up) in above.iter().enumerate() {
        match up {
            Some(up) => children[*up].push(at),
            None => order.push(at),
        }
    }
    let mut next = 0;
    while next < order.len() {
        let at: usize = order[next];
        order.extend(&children[at]);
        next += 1;
    }
    order
}
