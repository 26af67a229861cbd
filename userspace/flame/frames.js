// SPDX-License-Identifier: GPL-2.0
/*
 * Frames of the graph, as called or inverted, and their names. Names are inserted into
 * the document as text only.
 */

/*
 * A frame to draw or describe. In the graph as called it is a node. In the inverted one
 * it is a set of pairs: a node with time, and the ancestor of that node which the frame
 * represents; its children are created on demand.
 */
function frameOf(n) {
	return { n, f: n ? func[n] : -1, v: [total[0][n], total[1][n], total[2][n]],
		self: [self[0][n], self[1][n], self[2][n]], count: totalCount[n],
		base: hasBase ? baseTotal[n] : 0 };
}

function invertedFrame(f, leaf, at) {
	const fr = { n: -1, f, leaf, at, v: [0, 0, 0], self: [0, 0, 0], count: 0, base: 0 };

	for (let i = 0; i < leaf.length; i++) {
		const l = leaf[i];
		fr.count += selfCount[l];
		fr.base += hasBase ? baseSelf[l] : 0;
		for (let p = 0; p < 3; p++) {
			fr.v[p] += self[p][l];
			if (at && !parent[at[i]])
				fr.self[p] += self[p][l];
		}
	}
	return fr;
}

function invertedRoot() {
	const leaf = [];

	for (let i = 1; i < nodes; i++)
		if (self[0][i] + self[1][i] + self[2][i] > 0 || (hasBase && baseSelf[i] > 0))
			leaf.push(i);
	return invertedFrame(-1, leaf, null);
}

function invertedChildren(fr) {
	const groups = new Map();

	for (let i = 0; i < fr.leaf.length; i++) {
		const at = fr.at ? parent[fr.at[i]] : fr.leaf[i];
		if (!at)
			continue;
		let g = groups.get(func[at]);
		if (!g)
			groups.set(func[at], g = [[], []]);
		g[0].push(fr.leaf[i]);
		g[1].push(at);
	}
	return [...groups.entries()].sort((x, y) => rank[x[0]] - rank[y[0]])
		.map(([f, g]) => invertedFrame(f, g[0], g[1])).filter((k) => sum(k.v) > 0);
}

const sum = (v) => v[0] + v[1] + v[2];

function children(fr, least = 0) {
	if (fr.n < 0)
		return fr.kids || (fr.kids = invertedChildren(fr));
	const kids = [];
	for (let c = start[fr.n]; c < start[fr.n + 1]; c++) {
		const n = child[c], v = total[0][n] + total[1][n] + total[2][n];
		if (v > 0 && v >= least)
			kids.push(frameOf(n));
	}
	return kids;
}

/* The frames from the root to the zoomed one; those that no longer exist are skipped. */
let path = [];
function findPath() {
	path = [view.invert ? invertedRoot() : frameOf(0)];
	for (const f of view.zoom) {
		const next = children(path[path.length - 1]).find((c) => c.f === f);
		if (!next)
			break;
		path.push(next);
	}
	view.zoom = path.slice(1).map((p) => p.f);
}

const top = () => path[path.length - 1];

function nameOf(fr) {
	return fr.f < 0 ? "all" : fn.name[fr.f] || "[unknown]";
}
/* With the file, which distinguishes functions without a name. */
function wholeName(fr) {
	const dso = fr.f < 0 ? "" : data.dsos[fn.dso[fr.f]], name = nameOf(fr);
	/* The label of a function without a name contains its file already. */
	return name + (dso && !name.startsWith(dso + "+") ? " [" + dso.replace(/^\[|\]$/g, "") + "]" : "");
}

const short = (v, u) => v < 9.995 ? v.toFixed(2) + u : v < 99.95 ? v.toFixed(1) + u :
	v.toFixed(0) + u;
function amount(v) {
	if (unit() !== "time")
		return v.toLocaleString("en") + " " + unit();
	return v >= 1e9 ? short(v / 1e9, " s") : v >= 1e6 ? short(v / 1e6, " ms") :
		v >= 1e3 ? short(v / 1e3, " \u00b5s") : v + " ns";
}
/* The same with more digits. */
function long(v) {
	if (unit() !== "time")
		return v.toLocaleString("en") + " " + unit();
	return v >= 1e9 ? (v / 1e9).toFixed(3) + " s" : v >= 1e6 ? (v / 1e6).toFixed(3) + " ms" :
		v >= 1e3 ? (v / 1e3).toFixed(3) + " \u00b5s" : v + " ns";
}
const percent = (v, of) => (of ? (100 * v / of).toFixed(2) : "0.00") + " %";
