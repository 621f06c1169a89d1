#!/usr/bin/env python3
"""Measures of the library's structure: files, names, layers, and who needs whom.

    python3 scripts/measures.py [--json] [--cycles]

Counted from the text of the sources: paths after `use`, `crate::` and `super::` are edges from file to file, names that a folder's `mod.rs`
passes on count for the file that defines them. Tests at the end of a file do not count.
"""
import argparse, json, re, sys
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = ROOT / "crates/impinge/src"


def code(path):
    """A file without comments, strings and its tests."""
    text = path.read_text()
    text = re.sub(r'//[^\n]*', '', text)
    text = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)
    return re.split(r'#\[cfg\(test\)\]\s*mod \w+', text)[0]


def modules(src):
    """Module path -> file."""
    found = {}
    for path in src.rglob("*.rs"):
        parts = list(path.relative_to(src).with_suffix("").parts)
        if parts[-1] in ("mod", "lib"):
            parts.pop()
        if parts and parts[-1] == "tests":
            continue
        found[tuple(parts)] = path
    return found


def uses(text):
    """Every path that a file names, as tuples."""
    def flatten(tree, prefix):
        tree = tree.strip()
        if not tree:
            return
        depth, start = 0, 0
        for i, c in enumerate(tree):
            depth += c == "{"
            depth -= c == "}"
            if c == "," and depth == 0:
                yield from flatten(tree[start:i], prefix)
                start = i + 1
        if start:
            yield from flatten(tree[start:], prefix)
            return
        if "{" in tree:
            head, rest = tree.split("{", 1)
            yield from flatten(rest.rsplit("}", 1)[0], prefix + [p for p in head.strip().split("::") if p])
        else:
            yield tuple(prefix + [p.strip() for p in tree.split(" as ")[0].split("::")])

    for m in re.finditer(r'\buse\s+([^;]+);', text):
        yield from flatten(m.group(1), [])
    for m in re.finditer(r'\b((?:crate|super)(?:::\w+)+)', re.sub(r'\buse\s+[^;]+;', '', text)):
        yield tuple(m.group(1).split("::"))


def passed_on(text):
    """Names that a module re-exports: name -> path."""
    out = {}
    for m in re.finditer(r'\bpub(?:\([^)]*\))?\s+use\s+([^;]+);', text):
        for path in uses(f"use {m.group(1)};"):
            out[path[-1]] = path
    return out


def edges(src):
    mods = modules(src)
    texts = {m: code(p) for m, p in mods.items()}
    exports = {m: passed_on(t) for m, t in texts.items()}

    def resolve(path, here, depth=0):
        path = list(path)
        if path[0] == "crate":
            at, path = (), path[1:]
        elif path[0] in ("super", "self"):
            at = here
            while path and path[0] in ("super", "self"):
                at = at[:-1] if path[0] == "super" else at
                path = path[1:]
        elif here + (path[0],) in mods:
            at = here
        else:
            return None
        while path and at + (path[0],) in mods:
            at, path = at + (path[0],), path[1:]
        if path and path[0] in exports.get(at, {}) and depth < 8:
            return resolve(exports[at][path[0]], at, depth + 1) or at
        return at

    graph = defaultdict(set)
    for m, text in texts.items():
        graph[m]
        is_folder = mods[m].name in ("mod.rs", "lib.rs")
        reexports = set(exports[m].values()) if is_folder else set()
        for path in uses(text):
            if path in reexports:
                continue
            target = resolve(path, m)
            if target is not None and target != m and target in mods:
                graph[m].add(target)
    return mods, texts, graph


def components(graph):
    """Strongly connected components, by Tarjan's algorithm."""
    index, low, stack, on, out, counter = {}, {}, [], set(), [], [0]
    sys.setrecursionlimit(10000)

    def visit(v):
        index[v] = low[v] = counter[0]
        counter[0] += 1
        stack.append(v)
        on.add(v)
        for w in graph[v]:
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in on:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            group = []
            while True:
                w = stack.pop()
                on.discard(w)
                group.append(w)
                if w == v:
                    break
            out.append(group)

    for v in list(graph):
        if v not in index:
            visit(v)
    return sorted(out, key=len, reverse=True)


def lines_of_functions(text):
    """How many lines each function has."""
    found = []
    for m in re.finditer(r'\bfn \w+[^;{]*\{', text):
        depth, i = 1, m.end()
        while depth and i < len(text):
            depth += {"{": 1, "}": -1}.get(text[i], 0)
            i += 1
        found.append(text[m.start():i].count("\n") + 1)
    return sorted(found)


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--json", action="store_true", help="one JSON object")
    args.add_argument("--cycles", action="store_true", help="list the files of each cycle")
    args = args.parse_args()
    mods, texts, graph = edges(LIBRARY)
    groups = [g for g in components(graph) if len(g) > 1]
    names = Counter()
    public = 0
    for m, text in texts.items():
        names.update(re.findall(r'^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|union|trait) (\w+)', text, re.M))
        public += len(re.findall(r'^pub (?:struct|enum|trait|type) \w+', text, re.M))
    functions = sorted(n for t in texts.values() for n in lines_of_functions(t))
    everything = sum(len(p.read_text().splitlines()) for p in ROOT.glob("crates/*/src/**/*.rs"))
    trees = sorted(n for n in names if n.endswith("Tree") and n != "AssemblyTree")
    numbers = {
        "files": len(mods),
        "lines of the library": sum(len(p.read_text().splitlines()) for p in mods.values()),
        "lines of all crates": everything,
        "public types": public,
        "types": len(names),
        "type names defined more than once": sum(n > 1 for n in names.values()),
        "bounding volume tree types": len(trees),
        "files in the largest cycle": len(groups[0]) if groups else 0,
        "files in cycles": sum(map(len, groups)),
        "longest function": functions[-1],
        "functions longer than 60 lines": sum(n > 60 for n in functions),
        "longest file": max(len(p.read_text().splitlines()) for p in mods.values()),
    }
    if args.json:
        print(json.dumps({**numbers, "repeated": {n: k for n, k in names.items() if k > 1}, "trees": trees}, indent=1))
        return
    width = max(map(len, numbers))
    for name, number in numbers.items():
        print(f"{name:{width}}  {number}")
    print("trees:", ", ".join(trees))
    print("repeated:", ", ".join(f"{n} {k}" for n, k in names.most_common() if k > 1))
    if args.cycles:
        for group in groups:
            print(f"cycle of {len(group)}:", ", ".join(sorted("/".join(m) or "lib" for m in group)))


if __name__ == "__main__":
    main()
