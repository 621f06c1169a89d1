//! Joints that close loops, which URDF itself does not have.
//!
//! ```text
//! <loop_joint name type="revolute"><link1 link xyz rpy/><link2 link xyz rpy/><axis xyz/></loop_joint>    Drake, Isaac Sim
//! <gazebo><joint name type="revolute"><parent/><child/><pose/><axis><xyz/></axis></joint></gazebo>       Gazebo (SDFormat)
//! ```
//!
//! In SDFormat the joint's pose is in the child's frame; the frame on the parent is its position there with all joints at zero.
//! Refused: unknown types, poses relative to other frames, and loops of other programs (Drake's bushings and constraints,
//! MuJoCo's equalities). Such a loop must not be dropped silently: the tree alone would move differently from the mechanism.

use impinge::math::{Pose, Vec3};
use impinge::robot::{LoopKind, LoopSpec, Robot};
use roxmltree::Node;

use super::Reader;
use crate::error::{IoError, Place, Result, shorten};
use crate::number;
use crate::placement::compose;
use crate::scene::poses_at_zero;
use crate::xml::{self, Xml, children};

/// Unsupported elements, anywhere below `<robot>`, that connect two links.
const NOT_UNDERSTOOD: [&str; 6] =
    ["linear_bushing_rpy", "ball_constraint", "distance_constraint", "weld_constraint", "tendon_constraint", "equality"];

/// Joints of `<gazebo>`, whose frames need the finished tree.
pub(super) struct GazeboJoint<'a, 'i> {
    node: Node<'a, 'i>,
}

impl GazeboJoint<'_, '_> {
    pub(super) fn place(&self, xml: &Xml<'_>) -> Place {
        xml.place(self.node)
    }
}

impl Reader<'_, '_> {
    /// Refuses loops in other forms.
    pub(super) fn refuse_other_loops(&self, root: Node<'_, '_>) -> Result<()> {
        let found = root.descendants().find(|n| n.is_element() && NOT_UNDERSTOOD.contains(&n.tag_name().name()));
        found.map_or(Ok(()), |node| {
            Err(IoError::UnsupportedFormat {
                at: self.xml.place(node),
                what: format!("a loop closed by <{}>", shorten(node.tag_name().name())),
                remedy: "write it as <loop_joint>, or remove it if it closes no loop".into(),
            })
        })
    }

    /// Reads a `<loop_joint>`.
    pub(super) fn loop_joint(&self, node: Node<'_, '_>) -> Result<LoopSpec> {
        let name = self.xml.required(node, "name", "loop joint")?.to_owned();
        let user = format!("loop joint '{}'", shorten(&name));
        let (a, b) = (self.loop_end(node, "link1", &user)?, self.loop_end(node, "link2", &user)?);
        let axis = match self.xml.only_child(node, "axis", &user)? {
            Some(element) => self.xml.numbers::<3>(element, "xyz", &user)?.map(Vec3::from),
            None => None,
        };
        let kind = self.loop_kind(node, axis.unwrap_or(Vec3::unit(0)), &user)?;
        Ok(LoopSpec { name, links: [a.0, b.0], link_from_loop: [a.1, b.1], kind })
    }

    fn loop_end(&self, node: Node<'_, '_>, tag: &'static str, user: &str) -> Result<(String, Pose)> {
        let Some(end) = self.xml.only_child(node, tag, user)? else {
            return Err(IoError::MissingElement { at: self.xml.place(node), user: user.into(), what: format!("<{tag}>") });
        };
        let vector = |name| Ok::<_, IoError>(Vec3::from(self.xml.numbers::<3>(end, name, user)?.unwrap_or_default()));
        let pose = Pose::from_rpy(vector("xyz")?, vector("rpy")?).map_err(|source| self.model(end, user, source))?;
        Ok((self.xml.required(end, "link", user)?.to_owned(), pose))
    }

    fn loop_kind(&self, node: Node<'_, '_>, axis: Vec3, user: &str) -> Result<LoopKind> {
        Ok(match self.xml.required(node, "type", user)? {
            "fixed" => LoopKind::Fixed,
            "revolute" | "continuous" => LoopKind::Revolute { axis },
            "prismatic" => LoopKind::Prismatic { axis },
            "planar" => LoopKind::Planar { axis },
            "spherical" | "ball" => LoopKind::Spherical,
            other => {
                return Err(IoError::UnsupportedFormat {
                    at: self.xml.attribute_place(node, "type"),
                    what: format!("{user}: a loop of type '{}'", shorten(other)),
                    remedy: "use fixed, revolute, continuous, prismatic, planar or spherical".into(),
                });
            }
        })
    }

    /// Returns the joints inside `<gazebo>` elements.
    pub(super) fn gazebo_joints<'a, 'i>(&self, root: Node<'a, 'i>) -> Vec<GazeboJoint<'a, 'i>> {
        children(root, "gazebo").flat_map(|g| children(g, "joint")).map(|node| GazeboJoint { node }).collect()
    }

    /// Returns a joint of SDFormat between links of the tree. A joint to the world fixes the robot and closes no loop.
    pub(super) fn gazebo_loop(&self, joint: &GazeboJoint<'_, '_>, robot: &Robot) -> Result<Option<LoopSpec>> {
        let node = joint.node;
        let name = self.xml.required(node, "name", "joint in <gazebo>")?.to_owned();
        let user = format!("joint '{}' in <gazebo>", shorten(&name));
        let links = [self.gazebo_link(node, "parent", &user)?, self.gazebo_link(node, "child", &user)?];
        if links.iter().any(|l| l == "world") {
            return Ok(None);
        }
        let axis = self.xml.only_child(node, "axis", &user)?;
        let direction = axis.and_then(|a| children(a, "xyz").next()).map(|xyz| self.text_numbers::<3>(xyz, &user)).transpose()?;
        // SDFormat's default axis is z.
        let kind = self.loop_kind(node, direction.map_or(Vec3::unit(2), Vec3::from), &user)?;
        let child_from_loop = match self.xml.only_child(node, "pose", &user)? {
            Some(pose) => self.gazebo_pose(pose, &user)?,
            None => Pose::IDENTITY,
        };
        let find = |link: &String| {
            let unknown = || impinge::Error::Unknown { kind: "link", name: link.clone(), user: user.clone() };
            robot.find_link(link).ok_or_else(|| self.model(node, &user, unknown()))
        };
        let poses = poses_at_zero(robot);
        let parent_from_child = compose(poses[find(&links[0])?].pose.inverse(), poses[find(&links[1])?].pose);
        Ok(Some(LoopSpec { name, links, link_from_loop: [compose(parent_from_child, child_from_loop), child_from_loop], kind }))
    }

    fn gazebo_link(&self, node: Node<'_, '_>, tag: &'static str, user: &str) -> Result<String> {
        let Some(element) = self.xml.only_child(node, tag, user)? else {
            return Err(IoError::MissingElement { at: self.xml.place(node), user: user.into(), what: format!("<{tag}>") });
        };
        Ok(xml::text(element).trim().to_owned())
    }

    fn gazebo_pose(&self, node: Node<'_, '_>, user: &str) -> Result<Pose> {
        if let Some(attribute) =
            node.attributes().find(|a| a.value() != "" && matches!(a.name(), "relative_to" | "frame" | "rotation_format"))
        {
            return Err(IoError::UnsupportedFormat {
                at: self.xml.place(node),
                what: format!("{user}: <pose {}=\"{}\">", attribute.name(), shorten(attribute.value())),
                remedy: "give the pose in the frame of the child".into(),
            });
        }
        let [x, y, z, roll, pitch, yaw] = self.text_numbers::<6>(node, user)?;
        Pose::from_rpy(Vec3::new(x, y, z), Vec3::new(roll, pitch, yaw)).map_err(|source| self.model(node, user, source))
    }

    /// Reads exactly `N` numbers as the text of an element.
    fn text_numbers<const N: usize>(&self, node: Node<'_, '_>, user: &str) -> Result<[f64; N]> {
        let text = xml::text(node);
        let what = || (self.xml.place(node), format!("{user}: <{}>", node.tag_name().name()));
        let numbers = text.split_ascii_whitespace().map(|word| number::parse(word, what)).collect::<Result<Vec<f64>>>()?;
        let found = numbers.len();
        numbers.try_into().map_err(|_| IoError::BadElement {
            at: self.xml.place(node),
            what: format!("{} holds {found} numbers", what().1),
            remedy: format!("write {N}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use impinge::robot::{LoopKind, Robot};
    use impinge::{Scene, Vec3};

    use crate::error::Result;
    use crate::urdf::{UrdfOptions, parse};
    use crate::warning::Loaded;

    /// A parallelogram of cranks of length 1 and a coupler of length 2, opened between coupler and right crank.
    const FOUR_BAR: &str = "<robot name='bars'>\n<link name='ground'/><link name='left'/><link name='coupler'/><link name='right'/>\n\
        <joint name='a' type='continuous'><parent link='ground'/><child link='left'/><axis xyz='0 0 1'/></joint>\n\
        <joint name='b' type='continuous'><parent link='left'/><child link='coupler'/><origin xyz='1 0 0'/><axis xyz='0 0 1'/></joint>\n\
        <joint name='d' type='continuous'><parent link='ground'/><child link='right'/><origin xyz='2 0 0'/><axis xyz='0 0 1'/></joint>\n\
        LOOP</robot>";
    const LOOP: &str = "<loop_joint name='c' type='revolute'><link1 link='coupler' xyz='2 0 0' rpy='0 0 0'/>\
        <link2 link='right' xyz='1 0 0'/><axis xyz='0 0 1'/></loop_joint>";
    const GAZEBO: &str = "<gazebo><joint name='c' type='revolute'><parent>coupler</parent><child>right</child>\
        <pose>1 0 0 0 0 0</pose><axis><xyz>0 0 1</xyz></axis></joint></gazebo>";

    fn read(closing: &str) -> Result<Loaded<Robot>> {
        parse(FOUR_BAR.replace("LOOP", closing).as_bytes(), Path::new("bars.urdf"), &UrdfOptions::default())
    }

    fn opens(robot: Robot, from: [f64; 3], to: [f64; 3]) -> f64 {
        let scene = Scene::builder().robot("r", robot).build().expect("a scene");
        let motion = scene.motion().joint_line(scene.robot("r").expect("there"), &from, &to).build().expect("finite");
        let found = scene.loop_openings(&motion).expect("of this scene").remove(0);
        assert_eq!(found.name, "r/c");
        found.at_most.metres
    }

    #[test]
    fn both_ways_of_writing_close_the_same_loop() {
        for closing in [LOOP, GAZEBO] {
            let loaded = read(closing).expect("a robot");
            assert!(loaded.warnings.iter().all(|w| w.kind == "no-geometry"), "{:?}", loaded.warnings);
            let robot = loaded.value;
            assert_eq!((robot.loops().len(), robot.values()), (1, 3));
            assert_eq!(robot.loops()[0].kind, LoopKind::Revolute { axis: Vec3::unit(2) });
            assert!(opens(robot.clone(), [0.3, -0.3, 0.3], [1.3, -1.3, 1.3]) < 5e-6);
            assert!((opens(robot, [0.0, 0.0, 0.0], [0.0, 0.0, std::f64::consts::PI]) - 2.0).abs() < 3e-3);
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for (closing, class) in [
            (LOOP.replace("revolute", "universal"), "UnsupportedFormat"),
            (LOOP.replace("link2 link='right'", "link2 link='ghost'"), "UnknownLink"),
            (LOOP.replace("name='c'", "name='a'"), "DuplicateName"),
            (LOOP.replace("0 0 1", "0 0 0"), "BadAxis"),
            (LOOP.replace("xyz='2 0 0'", "xyz='2 0'"), "BadElement"),
            (LOOP.replace("link1", "linkA"), "MissingElement"),
            (GAZEBO.replace("<pose>", "<pose relative_to='left'>"), "UnsupportedFormat"),
            (GAZEBO.replace("1 0 0 0 0 0", "1 0 0"), "BadElement"),
            (GAZEBO.replace(">coupler<", ">ghost<"), "UnknownLink"),
            (GAZEBO.replace("type='revolute'", "type='gearbox'"), "UnsupportedFormat"),
            ("<drake:linear_bushing_rpy xmlns:drake='http://drake.mit.edu'/>".into(), "UnsupportedFormat"),
            ("<mujoco><equality/></mujoco>".into(), "UnsupportedFormat"),
            ("<joint name='c' type='fixed'><parent link='coupler'/><child link='right'/></joint>".into(), "Model"),
        ] {
            let error = read(&closing).expect_err(&closing);
            assert_eq!(error.class(), class, "{error}");
            assert!(error.place().line.is_some_and(|l| l >= 2), "{error}");
        }
        let error =
            read("<joint name='c' type='fixed'><parent link='coupler'/><child link='right'/></joint>").expect_err("a loop");
        assert!(error.to_string().contains("<loop_joint>"), "{error}");
        let held = GAZEBO.replace(">coupler<", ">world<");
        assert!(read(&held).expect("held by the world").value.loops().is_empty());
    }
}
