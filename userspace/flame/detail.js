// SPDX-License-Identifier: GPL-2.0
/*
 * Details of a frame beside its sums: objects and states of waits, and wakers. They are
 * collected from the lines on demand.
 */

/* Preorder numbers of nodes: those at or below n are from pre[n] to last[n]. */
const pre = new Uint32Array(nodes), last = new Uint32Array(nodes);
(() => {
	const next = start.slice(0, nodes), stack = [0];
	let at = 1;

	while (stack.length) {
		const n = stack[stack.length - 1];
		if (next[n] < start[n + 1]) {
			const c = child[next[n]++];
			pre[c] = at++;
			stack.push(c);
		} else {
			last[n] = at - 1;
			stack.pop();
		}
	}
})();

/* For a chain, the node of the blocked thread. */
const separator = fn.name.findIndex((n, i) => n === "-- woken by --" && fn.type[i] > THREAD);
const offNode = node.map((n, i) => {
	if (kind[i] !== CHAIN)
		return n;
	while (n && func[n] !== separator)
		n = parent[n];
	return parent[n];
});

/* Returns a function that checks whether a frame includes the time of a node. */
function holder(fr) {
	if (fr.n >= 0)
		return (n) => pre[n] >= pre[fr.n] && pre[n] <= last[fr.n];
	const is = new Uint8Array(nodes);
	for (const l of fr.leaf)
		is[l] = 1;
	return (n) => is[n] === 1;
}

function causeText(c) {
	const [state, reason, call, object] = data.causes[c];
	return [call || reason, object].filter(Boolean).join(": ") + (state ? " (" + state + ")" : "");
}

/* Objects of waits below a frame, and wakers: pairs of a text and ns, the largest first. */
function details(fr) {
	const causes = new Map(), wakers = new Map(), held = holder(fr);
	const add = (map, key, v) => map.set(key, (map.get(key) || 0) + v);

	if (view.mode === "cpu" || view.mode === "wake" || view.mode === "runnable")
		return { causes: [], wakers: [] };
	for (let i = 0; i < kind.length; i++) {
		if (kind[i] !== OFF && kind[i] !== CHAIN || data.host && !view.idle && idle[i])
			continue;
		if (hasBase && ofBase[i] !== (view.base ? 1 : 0))
			continue;
		const inside = insideOf(i), chain = kind[i] === CHAIN;
		const at = chain && view.mode !== "offwake" ? offNode[i] : node[i];
		if (!inside || !held(at) || !wanted(i))
			continue;
		if (chain)
			add(wakers, data.wakers[detail[i]], (counts() ? count[i] : ns[i]) * inside);
		else if (detail[i] && runnable[i] < ns[i])
			add(causes, causeText(detail[i]), (counts() ? count[i] : ns[i] - runnable[i]) * inside);
	}
	const most = (map) => [...map].filter((e) => e[1] > 0).sort((x, y) => y[1] - x[1]);
	return { causes: most(causes), wakers: most(wakers) };
}

const MOST = 4;
const addUp = (entries) => entries.reduce((s, e) => s + e[1], 0);
function detailTable(fr) {
	const all = sum(fr.v), whole = sum(path[0].v), table = make("table"), d = details(fr);
	const row = (name, v, of, head) => {
		const tr = make("tr");
		tr.append(make("td", name), make("td", long(v)), make("td", of ? percent(v, of) : ""));
		if (head)
			tr.className = "head";
		table.append(tr);
	};
	const list = (title, entries) => {
		if (!entries.length)
			return;
		const tr = make("tr"), td = make("td", title);
		td.colSpan = 3;
		tr.append(td);
		tr.className = "head";
		table.append(tr);
		for (const [name, v] of entries.slice(0, MOST))
			row(name, v, addUp(entries));
		if (entries.length > MOST)
			row("and " + (entries.length - MOST) + " others",
				addUp(entries.slice(MOST)));
	};

	row("total", all, whole);
	if (hasBase) {
		const tr = make("tr");
		tr.append(make("td", view.base ? "and later" : "in the baseline"),
			make("td", long(Math.round(fr.base))), make("td"));
		table.append(tr);
		const tr2 = make("tr");
		tr2.append(make("td", "change"), make("td", changeOf(all, fr.base)),
			make("td", ratioOf(all, fr.base)));
		table.append(tr2);
	}
	if (fr.self)
		row("self", sum(fr.self), whole);
	if (sum(fr.v.map((v) => v > 0 ? 1 : 0)) > 1 || !has[CPU] || view.mode === "wake")
		KIND.forEach((k, p) => {
			if (fr.v[p])
				row("  " + wordOf(p), fr.v[p], all);
		});
	if (fr.count) {
		const tr = make("tr");
		tr.append(make("td", fr.v[0] ? "samples, intervals" : "intervals"),
			make("td", fr.count.toLocaleString("en")), make("td"));
		table.append(tr);
	}
	list("blocked in: what for (state)", d.causes);
	list("woken by", d.wakers);
	return table;
}
