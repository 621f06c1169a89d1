//! SRDF: semantic information beyond the URDF: groups, named states, pairs of links that need not be checked.
//!
//! A disabled pair is never checked, so the loader does not guess: only `<disable_collisions>` with both links is used.
//! [`Srdf::check`] compares names with a robot; unknown ones are warnings, not errors, because reduced models often lack links.
//! Ignored with a warning: `disable_default_collisions` and `enable_collisions`, whose absence only adds checked pairs, and
//! unknown elements.

use std::path::{Path, PathBuf};

use impinge::robot::Robot;
use roxmltree::Node;

use crate::error::{IoError, Place, Result, shorten};
use crate::number;
use crate::warning::{Loaded, Warning};
use crate::xml::{self, Xml, children};

/// A named set of links, joints, chains and other groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Links named individually.
    pub links: Vec<String>,
    /// Joints named individually.
    pub joints: Vec<String>,
    /// Chains as (base link, tip link).
    pub chains: Vec<(String, String)>,
    /// Other groups it contains.
    pub subgroups: Vec<String>,
}

/// A named configuration of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupState {
    /// Its name.
    pub name: String,
    /// The group it belongs to.
    pub group: String,
    /// Joint names and their values.
    pub values: Vec<(String, Vec<f64>)>,
}

/// Two links that need not be checked against each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisabledPair {
    /// One link.
    pub a: String,
    /// The other.
    pub b: String,
    /// The reason given in the file: Adjacent, Never, Default, …
    pub reason: String,
    /// Its line.
    pub line: Option<usize>,
}

/// The contents of an SRDF file.
#[derive(Clone, Debug, PartialEq)]
pub struct Srdf {
    /// The file.
    pub path: PathBuf,
    /// The name of its robot.
    pub robot: String,
    /// Groups, in order.
    pub groups: Vec<Group>,
    /// Named states, in order.
    pub states: Vec<GroupState>,
    /// Pairs that need not be checked, in order.
    pub disabled: Vec<DisabledPair>,
}

/// Loads an SRDF file.
///
/// # Errors
/// If it is not well-formed, or an element lacks a required name.
pub fn load_srdf(path: impl AsRef<Path>) -> Result<Loaded<Srdf>> {
    let path = path.as_ref();
    parse(&xml::read_bytes(path)?, path)
}

/// Parses the bytes of an SRDF file; `path` is only named in messages.
///
/// # Errors
/// See [`load_srdf`].
pub fn parse(bytes: &[u8], path: &Path) -> Result<Loaded<Srdf>> {
    let xml = xml::parse(path, bytes)?;
    let root = xml.root();
    if root.tag_name().name() != "robot" || children(root, "joint").next().is_some() {
        return Err(IoError::BadFormat {
            at: xml.place(root),
            what: format!("this is not an SRDF (<{}>)", shorten(root.tag_name().name())),
            remedy: "give the .srdf file, not the .urdf".into(),
        });
    }
    let mut srdf = Srdf {
        path: path.into(),
        robot: root.attribute("name").unwrap_or("").into(),
        groups: Vec::new(),
        states: Vec::new(),
        disabled: Vec::new(),
    };
    let mut warnings = xml.warnings().to_vec();
    for element in root.children().filter(Node::is_element) {
        match element.tag_name().name() {
            "group" => srdf.groups.push(group(&xml, element)?),
            "group_state" => srdf.states.push(group_state(&xml, element)?),
            "disable_collisions" => srdf.disabled.push(disabled_pair(&xml, element)?),
            tag @ ("disable_default_collisions" | "enable_collisions") => {
                let message = format!("<{tag}> was ignored: pairs it would disable are checked");
                warnings.push(Warning::new(xml.place(element), "ignored-element", message));
            }
            "end_effector" | "virtual_joint" | "passive_joint" | "link_sphere_approximation" | "joint_property" => {}
            tag => {
                let message = format!("<{}> is unknown and was ignored", shorten(tag));
                warnings.push(Warning::new(xml.place(element), "unknown-element", message));
            }
        }
    }
    Ok(Loaded { value: srdf, warnings })
}

impl Srdf {
    /// Returns warnings about names that do not fit the robot: unknown links (`unknown-link`), another robot's name
    /// (`robot-name`), pairs of a link with itself (`self-pair`), group states of unknown joints (`unknown-joint`).
    pub fn check(&self, robot: &Robot) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut warn = |line, kind, message| warnings.push(Warning { path: self.path.clone(), line, message, kind });
        if self.robot != robot.name() {
            warn(None, "robot-name", format!("the file is for robot '{}', not for '{}'", self.robot, robot.name()));
        }
        for pair in &self.disabled {
            for name in [&pair.a, &pair.b] {
                if robot.find_link(name).is_none() {
                    warn(
                        pair.line,
                        "unknown-link",
                        format!("robot '{}' has no link '{name}'; the entry is ignored", robot.name()),
                    );
                }
            }
            if pair.a == pair.b {
                warn(pair.line, "self-pair", format!("link '{}' is paired with itself", pair.a));
            }
        }
        for GroupState { name, values, .. } in &self.states {
            for (joint, _) in values.iter().filter(|(joint, _)| robot.find_joint(joint).is_none()) {
                let message =
                    format!("group state '{name}': robot '{}' has no joint '{joint}'; its value is ignored", robot.name());
                warn(None, "unknown-joint", message);
            }
        }
        warnings
    }

    /// Returns the disabled pairs as indices of the robot's links, each once, smaller index first; pairs with unknown links are
    /// excluded.
    pub fn disabled_links(&self, robot: &Robot) -> Vec<(usize, usize)> {
        let mut pairs: Vec<(usize, usize)> = self
            .disabled
            .iter()
            .filter_map(|p| Some((robot.find_link(&p.a)?, robot.find_link(&p.b)?)))
            .filter(|(a, b)| a != b)
            .map(|(a, b)| (a.min(b), a.max(b)))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}

fn group(xml: &Xml<'_>, node: Node<'_, '_>) -> Result<Group> {
    let mut group = Group { name: xml.required(node, "name", "group")?.into(), ..Group::default() };
    let user = format!("group '{}'", shorten(&group.name));
    for element in node.children().filter(Node::is_element) {
        match element.tag_name().name() {
            "link" => group.links.push(xml.required(element, "name", &user)?.into()),
            "joint" | "passive_joint" => group.joints.push(xml.required(element, "name", &user)?.into()),
            "group" => group.subgroups.push(xml.required(element, "name", &user)?.into()),
            "chain" => {
                let base = xml.required(element, "base_link", &user)?.into();
                group.chains.push((base, xml.required(element, "tip_link", &user)?.into()));
            }
            _ => {}
        }
    }
    Ok(group)
}

fn group_state(xml: &Xml<'_>, node: Node<'_, '_>) -> Result<GroupState> {
    let name: String = xml.required(node, "name", "group_state")?.into();
    let user = format!("group_state '{}'", shorten(&name));
    let mut values = Vec::new();
    for joint in children(node, "joint") {
        let joint_name: String = xml.required(joint, "name", &user)?.into();
        let text = xml.required(joint, "value", &user)?;
        let context = || (xml.attribute_place(joint, "value"), format!("{user}, joint '{}'", shorten(&joint_name)));
        let numbers: Result<Vec<f64>> = text.split_ascii_whitespace().map(|w| number::parse(w, context)).collect();
        values.push((joint_name.clone(), numbers?));
    }
    Ok(GroupState { name, group: xml.required(node, "group", &user)?.into(), values })
}

fn disabled_pair(xml: &Xml<'_>, node: Node<'_, '_>) -> Result<DisabledPair> {
    let Place { line, .. } = xml.place(node);
    Ok(DisabledPair {
        a: xml.required(node, "link1", "disable_collisions")?.into(),
        b: xml.required(node, "link2", "disable_collisions")?.into(),
        reason: node.attribute("reason").unwrap_or("").into(),
        line,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint_values::tests::robot;

    const TEXT: &str = "<robot name='r'>\n<group name='arm'><chain base_link='a' tip_link='c'/><joint name='elbow'/><link name='d'/>\
        <group name='hand'/></group>\n<group_state name='home' group='arm'><joint name='elbow' value='0.5'/>\
        <joint name='base' value='0 0 0 1 0 0 0'/></group_state>\n<virtual_joint name='v' type='fixed' parent_frame='w' child_link='a'/>\
        <disable_collisions link1='b' link2='a' reason='Adjacent'/>\n<disable_collisions link1='a' link2='b'/>\
        <disable_collisions link1='a' link2='ghost'/><disable_default_collisions link='c'/></robot>";

    #[test]
    fn groups_states_and_pairs_are_read() {
        let loaded = parse(TEXT.as_bytes(), Path::new("r.srdf")).expect("SRDF");
        let srdf = &loaded.value;
        assert_eq!(srdf.groups[0].chains, [("a".to_owned(), "c".to_owned())]);
        assert_eq!((&srdf.groups[0].joints[0][..], &srdf.groups[0].subgroups[0][..]), ("elbow", "hand"));
        assert_eq!((srdf.states[0].values.len(), srdf.states[0].values[1].1.len()), (2, 7));
        assert_eq!((srdf.disabled.len(), srdf.disabled[0].reason.as_str()), (3, "Adjacent"));
        assert!(loaded.warns("ignored-element"));
        let warnings = srdf.check(&robot());
        assert_eq!(warnings.len(), 1);
        assert_eq!((warnings[0].kind, warnings[0].line), ("unknown-link", Some(5)));
        assert_eq!(srdf.disabled_links(&robot()), [(1, 2)]);
    }

    #[test]
    fn misspelled_names_are_reported() {
        let text = "<robot name='r'><disable_collision link1='a' link2='b'/><group_state name='home' group='g'>\
            <joint name='elbow' value='1'/><joint name='elbwo' value='1'/></group_state></robot>";
        let loaded = parse(text.as_bytes(), Path::new("r.srdf")).expect("SRDF");
        assert!(loaded.warns("unknown-element"), "{:?}", loaded.warnings);
        let messages: Vec<String> = loaded.value.check(&robot()).iter().map(|w| w.message.clone()).collect();
        assert_eq!(messages, ["group state 'home': robot 'r' has no joint 'elbwo'; its value is ignored"]);
    }

    #[test]
    fn broken_files_are_refused() {
        let error = |text: &str| parse(text.as_bytes(), Path::new("r.srdf")).expect_err("refused").class();
        assert_eq!(error("<robot><disable_collisions link1='a'/></robot>"), "MissingElement");
        assert_eq!(
            error("<robot><group_state name='s' group='g'><joint name='j' value='nan'/></group_state></robot>"),
            "NonFinite"
        );
        assert_eq!(error("<robot><link name='a'/><joint name='j'/></robot>"), "BadFormat");
        assert_eq!(error("<robot><group/></robot>"), "MissingElement");
    }
}
