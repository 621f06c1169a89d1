//! Where a body is at one instant, how it moves there, and bounds from then on.

use crate::math::rounding::{INFLATE, U};
use crate::math::{M4, V4};
use crate::motion::{InBetween, Relative, Tube};

/// Not less than a third.
const THIRD: f64 = 0.333_333_333_4;

/// The motion of one side of a task, in a form that is quick to evaluate.
pub(crate) enum Course<'a> {
    /// Nothing turns: one tube for the whole motion.
    Straight(Basis),
    /// About an axis that goes straight at constant speed: velocity and spin are those of the tube at all times.
    OneAxis(Basis, &'a InBetween),
    /// Anything else.
    Any,
}

/// A tube, and what is needed of it again and again.
pub(crate) struct Basis {
    tube: Tube,
    spin: V4,
    spin_size: f64,
}

impl Basis {
    #[inline(always)]
    fn new(tube: Tube) -> Self {
        let spin_size = tube.spin_local.norm() * (1.0 + 16.0 * U);
        Basis { spin: tube.rotation.apply(tube.spin_local), spin_size, tube }
    }
}

/// A body at one instant, in the frame of what rests.
pub(crate) struct State<'a> {
    pub rotation: M4,
    pub position: V4,
    /// Of the body's origin.
    pub velocity: V4,
    pub spin: V4,
    /// The same in the body's axes.
    pub spin_local: V4,
    /// At least its length.
    pub spin_size: f64,
    /// For errors of lines that begin at this instant, and for accelerations.
    pub tube: &'a Tube,
    pub one_axis: bool,
}

impl<'a> Course<'a> {
    pub fn new(relative: &Relative<'a>) -> Self {
        if !relative.turns() {
            return Course::Straight(Basis::new(relative.ahead(0.0, 1.0)));
        }
        match relative.one_joint() {
            Some(joint) => Course::OneAxis(Basis::new(relative.ahead(0.0, 1.0)), joint),
            None => Course::Any,
        }
    }

    pub fn turns(&self) -> bool {
        !matches!(self, Course::Straight(_))
    }

    /// The state at `t`, with bounds until `t + horizon`; a tube that has to be made is put into `room`.
    ///
    /// Errors of a tube about 0 with half the length 1 hold for lines from t on, too: they are those of a line's end, and of the whole
    /// motion; what the place at t rounds more than that at 0 is below 8 u of the way between, of which 16 u are in the tube.
    #[inline(always)]
    pub fn state<'s>(&'s self, relative: &Relative<'_>, t: f64, horizon: f64, room: &'s mut Option<Basis>) -> State<'s> {
        let (basis, rotation, since) = match self {
            Course::Straight(basis) => (basis, basis.tube.rotation, t),
            Course::OneAxis(basis, joint) => (basis, joint.at(t).0, t),
            Course::Any => {
                let basis = &*room.insert(Basis::new(relative.ahead(t, horizon)));
                (basis, basis.tube.rotation, 0.0)
            }
        };
        let tube = &basis.tube;
        State {
            rotation,
            position: tube.position.add(tube.velocity.scale(since)),
            velocity: tube.velocity,
            spin: basis.spin,
            spin_local: tube.spin_local,
            spin_size: basis.spin_size,
            tube,
            one_axis: matches!(self, Course::OneAxis(..)),
        }
    }
}

/// A point of the body at that instant, and bounds for all within some radius of it until a horizon.
pub(crate) struct Passing {
    /// From the body's origin to the point, in the frame of what rests.
    pub lever: V4,
    pub velocity: V4,
    /// Where the body turns about one axis; zero elsewhere.
    pub acceleration: V4,
    /// [`Bends`] of these points.
    pub bend: f64,
    pub bend_rest: f64,
}

/// How points may be accelerated until a horizon.
pub(crate) struct Bends {
    /// At least the acceleration of any of them.
    pub most: f64,
    /// At least by how much n · (the acceleration of any of them), n a unit vector, may fall short of that known now, as far as way goes.
    pub rest: f64,
}

impl State<'_> {
    /// The point y of the body, and all within `radius` of it until `horizon` later.
    #[inline(always)]
    pub fn passing(&self, y: V4, radius: f64, horizon: f64) -> Passing {
        let lever = self.rotation.apply(y);
        let around = self.spin.cross(lever);
        let acceleration = if self.one_axis { self.spin.cross(around) } else { V4::splat(0.0) };
        let Bends { most, rest } = self.bends(acceleration.norm(), y.norm1() * INFLATE, radius, horizon);
        Passing { lever, velocity: self.velocity.add(around), acceleration, bend: most, bend_rest: rest }
    }

    /// For points at most `reach` from the body's origin, accelerated by at most `acceleration` as far as that is known, and all within
    /// `radius` of them, until `horizon` later.
    ///
    /// About one axis the acceleration of y is omega × (omega × R y). That of y + d differs from it by at most W^2 |d|, and it changes by at
    /// most W times itself per time: W bend tau, which adds W bend tau^3 / 6 to the way, at most a third of W bend horizon times tau^2 / 2.
    /// The error of R y is that of a line, and 64 u cover the rounding of all products. Elsewhere all of the acceleration may fall short.
    #[inline(always)]
    pub fn bends(&self, acceleration: f64, reach: f64, radius: f64, horizon: f64) -> Bends {
        if self.one_axis {
            let w = self.spin_size;
            let off = w * w * (radius + self.tube.line_error(reach) + 64.0 * U * reach) * INFLATE;
            let most = (acceleration + off) * INFLATE;
            Bends { most, rest: (off + w * most * horizon * THIRD) * INFLATE }
        } else {
            let most = self.tube.acceleration(reach + radius);
            Bends { most, rest: most }
        }
    }
}
