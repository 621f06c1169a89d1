//! Spans of a slice, halved where needed, with the states of links over them: computed once, shared by everything that a link carries.

use crate::bvh::RestingTree;
use crate::motion::{Chain, LinkState, Relative, Span};
use crate::search::sweep::swept_box::Sweep;

/// A span in a [`Timeline`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SpanId(u32);

#[derive(Clone, Copy, Debug)]
struct Entry {
    span: Span,
    halves: Option<[SpanId; 2]>,
    /// Whose sweep is kept for this span.
    task: u32,
}

const NOBODY: u32 = u32::MAX;

/// A tree of spans. Cleared for every slice, so that its size does not grow with the motion.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    entries: Vec<Entry>,
    /// One per entry.
    sweeps: Vec<Sweep>,
    /// `frames` per entry, valid where `done`.
    states: Vec<LinkState>,
    done: Vec<bool>,
    path: Vec<u32>,
    frames: usize,
    pub link_states: u64,
}

impl Timeline {
    pub fn reset(&mut self, frames: usize, span: Span) -> SpanId {
        self.entries.clear();
        self.done.clear();
        self.frames = frames;
        self.push(span)
    }

    fn push(&mut self, span: Span) -> SpanId {
        self.entries.push(Entry { span, halves: None, task: NOBODY });
        // States and sweeps are overwritten before use: the old ones stay where they are.
        if self.sweeps.len() < self.entries.len() {
            self.sweeps.push(Sweep::default());
        }
        let needed = self.entries.len() * self.frames;
        if self.states.len() < needed {
            self.states.resize(needed, LinkState::WORLD);
        }
        self.done.resize(needed, false);
        SpanId(self.entries.len() as u32 - 1)
    }

    #[inline(always)]
    pub fn span(&self, id: SpanId) -> Span {
        self.entries[id.0 as usize].span
    }

    pub fn halves(&mut self, id: SpanId) -> [SpanId; 2] {
        if let Some(halves) = self.entries[id.0 as usize].halves {
            return halves;
        }
        let s = self.span(id);
        let m = s.middle();
        let halves = [self.push(Span::new(s.from, m)), self.push(Span::new(m, s.to))];
        self.entries[id.0 as usize].halves = Some(halves);
        halves
    }

    /// The state of a frame over a span, computed when first asked for together with those of its ancestors.
    #[inline(always)]
    pub fn state(&mut self, chain: &Chain, frame: usize, id: SpanId) -> &LinkState {
        let base = id.0 as usize * self.frames;
        if !self.done[base + frame] {
            self.compute(chain, frame, id);
        }
        &self.states[base + frame]
    }

    #[inline(always)]
    fn compute(&mut self, chain: &Chain, frame: usize, id: SpanId) {
        let base = id.0 as usize * self.frames;
        let span = self.span(id);
        let (middle, half) = (span.middle(), span.half());
        self.path.clear();
        let mut at = frame;
        while at != 0 && !self.done[base + at] {
            self.path.push(at as u32);
            at = chain.parents[at] as usize;
        }
        self.states[base] = LinkState::WORLD;
        while let Some(i) = self.path.pop() {
            let i = i as usize;
            self.states[base + i] = chain.step(i, &self.states[base + chain.parents[i] as usize], middle, half);
            self.done[base + i] = true;
            self.link_states += 1;
        }
    }

    /// The sweep of a task over a span, made when first asked for.
    #[inline(always)]
    pub fn sweep(&mut self, task: u32, id: SpanId, relative: &Relative<'_>, tree: &RestingTree, extra: f64) -> &Sweep {
        if self.entries[id.0 as usize].task != task {
            let span = self.span(id);
            let (a, b) = relative.frames();
            let tube = if b == 0 {
                relative.in_world(self.state(relative.chain(), a, id), span)
            } else {
                self.state(relative.chain(), a, id);
                self.state(relative.chain(), b, id);
                let base = id.0 as usize * self.frames;
                relative.between(&self.states[base + a], &self.states[base + b], span)
            };
            self.sweeps[id.0 as usize].set(tube, tree, extra);
            self.entries[id.0 as usize].task = task;
        }
        &self.sweeps[id.0 as usize]
    }
}
