//! Bounds of links over the current interval: each computed once, whatever it carries. [Redon 2004, section 5.2.2]

use crate::motion::{Carried, Chain, Span};
use crate::reference::redon2004::boxes_over_span::LinearMotion;
use crate::reference::redon2004::taylor_motion::VaryingMotion;
use crate::search::Index;
use crate::search::pairs::Task;

/// How a task's moving side moves over the interval, as seen from what rests; errors of what rests included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TaskBounds {
    pub motion: VaryingMotion,
    pub lines: LinearMotion,
}

/// All bounds over one interval; those of another interval are forgotten.
#[derive(Debug)]
pub(crate) struct Bounds {
    span: Span,
    /// Relative to the world.
    frames: Vec<Option<VaryingMotion>>,
    tasks: Vec<Option<TaskBounds>>,
    path: Vec<usize>,
    /// Bounds of links computed so far.
    pub computed: u64,
}

impl Bounds {
    pub fn new(frames: usize, tasks: usize) -> Self {
        let (frames, tasks) = (vec![None; frames], vec![None; tasks]);
        Bounds { span: Span::new(0.0, 0.0), frames, tasks, path: Vec::new(), computed: 0 }
    }

    pub fn start(&mut self, span: Span) {
        self.span = span;
        self.frames.fill(None);
        self.tasks.fill(None);
    }

    /// The bounds of a task, computed when first asked for.
    pub fn of_task(&mut self, index: &Index, chain: &Chain, task: (usize, &Task)) -> &TaskBounds {
        let known = self.tasks[task.0].take();
        let bounds = known.unwrap_or_else(|| self.compute(index, chain, task.1));
        self.tasks[task.0].insert(bounds)
    }

    fn compute(&mut self, index: &Index, chain: &Chain, task: &Task) -> TaskBounds {
        let (moving, resting) = (&index.tasks.moving[task.moving], &index.tasks.resting[task.resting]);
        let [a, b] = [moving.frame, resting.frame].map(|i| self.frame(chain, task.ancestor, i));
        let a = (&a, &Carried { frame: moving.frame, placement: &moving.placement });
        let b = (&b, &Carried { frame: resting.frame, placement: &resting.placement });
        let mut motion = VaryingMotion::between(a, b, resting.tree.origin);
        motion.position = motion.position.shifted_within(resting.item_error);
        TaskBounds { motion, lines: LinearMotion::new(&motion) }
    }

    /// A frame relative to an ancestor. What two links share cancels only relative to theirs; relative to the world it is kept.
    fn frame(&mut self, chain: &Chain, ancestor: usize, frame: usize) -> VaryingMotion {
        if ancestor != 0 {
            self.computed += 1;
            return VaryingMotion::of_frame(chain, ancestor, frame, self.span);
        }
        self.path.clear();
        let mut at = frame;
        while at != 0 && self.frames[at].is_none() {
            self.path.push(at);
            at = chain.parents[at] as usize;
        }
        let mut motion = self.frames[at].unwrap_or_else(VaryingMotion::identity);
        while let Some(i) = self.path.pop() {
            motion = motion.step(chain, i, self.span);
            self.frames[i] = Some(motion);
            self.computed += 1;
        }
        motion
    }
}
