//! Spans of a slice, halved where needed, with the states of links over them: computed once, shared by everything that a link carries.

use crate::cull::Sweep;
use crate::motion::{Chain, LinkState, Span};

/// A span in a [`Timeline`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SpanId(u32);

#[derive(Debug)]
struct Entry {
    span: Span,
    halves: Option<[SpanId; 2]>,
    /// The sweep of the task that asked last.
    sweep: Option<(u32, Sweep)>,
}

/// A tree of spans. Cleared for every slice, so that its size does not grow with the motion.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    entries: Vec<Entry>,
    states: Vec<Option<LinkState>>,
    frames: usize,
    pub link_states: u64,
}

impl Timeline {
    pub fn reset(&mut self, frames: usize, span: Span) -> SpanId {
        self.entries.clear();
        self.states.clear();
        self.frames = frames;
        self.push(span)
    }

    fn push(&mut self, span: Span) -> SpanId {
        self.entries.push(Entry { span, halves: None, sweep: None });
        self.states.resize(self.states.len() + self.frames, None);
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

    /// The state of a frame over a span.
    #[inline]
    pub fn state(&mut self, chain: &Chain, frame: usize, id: SpanId) -> LinkState {
        if frame == 0 {
            return LinkState::WORLD;
        }
        let at = id.0 as usize * self.frames + frame;
        if let Some(s) = self.states[at] {
            return s;
        }
        let parent = self.state(chain, chain.parents[frame] as usize, id);
        let span = self.span(id);
        let state = chain.step(frame, &parent, span.middle(), span.half());
        self.link_states += 1;
        self.states[at] = Some(state);
        state
    }

    /// The sweep of a task over a span, made when first asked for.
    #[inline(always)]
    pub fn sweep(&mut self, task: u32, id: SpanId, make: impl FnOnce(&mut Self) -> Sweep) -> &Sweep {
        let known = matches!(&self.entries[id.0 as usize].sweep, Some((t, _)) if *t == task);
        if !known {
            let made = make(self);
            self.entries[id.0 as usize].sweep = Some((task, made));
        }
        match &self.entries[id.0 as usize].sweep {
            Some((_, s)) => s,
            None => unreachable!("just made"),
        }
    }
}
