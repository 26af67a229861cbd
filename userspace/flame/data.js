// SPDX-License-Identifier: GPL-2.0
/*
 * The page of wallprof flame: the recording, from the element "data", and the sums of its
 * selected lines. All files of the page form the body of one function, in the order of
 * page.S.
 */

const $ = (id) => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const ROW = 18, TINY = 0.3, FONT = '12px system-ui, "DejaVu Sans", sans-serif';
const CPU = 0, OFF = 1, WAKE = 2, CHAIN = 3;
const USER = 0, KERNEL = 1, THREAD = 2;
const fn = data.functions, L = data.lines, slots = data.slots;
const nodes = data.nodes.parent.length;
const parent = Uint32Array.from(data.nodes.parent);
const func = Uint32Array.from(data.nodes.function);
const kind = Uint8Array.from(L.kind), thread = Uint32Array.from(L.thread);
const node = Uint32Array.from(L.node), slot = Uint16Array.from(L.slot);
const count = Float64Array.from(L.count), runnable = Float64Array.from(L.runnable);
/* For on-CPU lines, events if they are not time. */
const ns = Float64Array.from(L.value), event = Uint16Array.from(L.event);
/* With a baseline, the lines of which are compared with the others. */
const hasBase = !!L.baseline, ofBase = Uint8Array.from(L.baseline || []);
const idle = Uint8Array.from(L.idle), detail = Uint32Array.from(L.detail);
/* Time slots in which a line's time began; slot is where it ended. */
const begin = Uint16Array.from(L.begin);
const events = data.events, clock = events.findIndex((e) => e[1] === "ns");
const has = [0, 1, 2, 3].map((k) => kind.includes(k));
const modes = [
	["wall", "Wall-clock", has[OFF] && clock >= 0],
	["cpu", "On-CPU", has[CPU]],
	["off", "Off-CPU", has[OFF]],
	["blocked", "Blocked", has[OFF]],
	["runnable", "Runnable", has[OFF] && runnable.some((v) => v > 0)],
	["offwake", "Off-wake", has[CHAIN]],
	["wake", "Wakers", has[WAKE]],
].filter((m) => m[2]);

if (events.length === 1)
	data.about.push(["on-CPU by", events[0][0]]);
/* A selected event that is not time is no part of wall-clock time. */
const first = () => {
	const timed = !events.length || events[data.event][1] === "ns";
	const order = [data.mode, timed ? "wall" : "cpu", ...modes.map((m) => m[0]), "cpu"];
	return order.find((id) => modes.some((m) => m[0] === id) && (timed || id !== "wall")) || "cpu";
};
const view = { mode: first(), event: data.event, icicle: false, base: false, invert: false, programs: false, idle: !!data.idle, function: -1, pid: "", tid: "", q: "", counts: false,
	a: 0, b: slots, zoom: [], lo: 0, hi: 1, theme: "" };
let sel = null, shown = [], hover = null, level = [];

/* Filtered values of the nodes: on-CPU, runnable, blocked; self values first. */
let self = [], total = [], selfCount, totalCount, parts;
/* With a baseline, values of the recording that is not shown, in the time of the other. */
let baseSelf = null, baseTotal = null;

const rank = (() => {
	const order = fn.name.map((_, i) => i);
	const key = (i) => fn.name[i] + "\0" + data.dsos[fn.dso[i]];
	const keys = order.map(key);
	order.sort((x, y) => keys[x] < keys[y] ? -1 : keys[x] > keys[y] ? 1 : 0);
	const at = new Uint32Array(order.length);
	order.forEach((f, i) => { at[f] = i; });
	return at;
})();

/* Children of each node, sorted by name: child[start[n]] to child[start[n + 1]]. */
const start = new Uint32Array(nodes + 1), child = new Uint32Array(Math.max(nodes - 1, 0));
(() => {
	for (let i = 1; i < nodes; i++)
		start[parent[i] + 1]++;
	for (let i = 0; i < nodes; i++)
		start[i + 1] += start[i];
	const next = start.slice();
	for (let i = 1; i < nodes; i++)
		child[next[parent[i]]++] = i;
	for (let i = 0; i < nodes; i++)
		if (start[i + 1] - start[i] > 1)
			child.subarray(start[i], start[i + 1]).sort(
				(x, y) => rank[func[x]] - rank[func[y]]);
})();

/* Whether the selected event is time: others are no part of wall-clock time. */
const byTime = () => !events.length || events[view.event][1] === "ns";

/*
 * What the width can be: the event's own unit, or time; and, if it is known, the number of
 * samples or of intervals. Of sums it is not, but there an event's own unit is its number.
 */
function units() {
	if (view.mode === "cpu")
		return [byTime() ? "time" : events[view.event][1], ...data.sums ? [] : ["samples"]];
	if (["off", "blocked", "runnable", "offwake"].includes(view.mode) && data.has_causes)
		return ["time", "intervals"];
	return ["time"];
}
const counts = () => view.counts && units().length > 1;
const unit = () => units()[counts() ? 1 : 0];

/*
 * Set parts to the values of a line in this mode. Idle time of a whole host is summed
 * separately: kernel threads, event loops of programs, CPUs, wallprof.
 */
const idleParts = [0, 0, 0, 0, 0];
let idleSums = idleParts;
function split(i) {
	const off = kind[i] === OFF, m = view.mode;

	parts[0] = parts[1] = parts[2] = 0;
	if (kind[i] === WAKE) {
		if (m === "wake")
			parts[2] = ns[i];
	} else if (kind[i] === CHAIN) {
		if (m === "offwake")
			parts[2] = ns[i];
	} else if (!off && (m === "wall" || m === "cpu")) {
		if (event[i] === view.event)
			parts[0] = ns[i];
	} else if (off && m !== "cpu" && m !== "wake" && m !== "offwake") {
		if (m !== "blocked")
			parts[1] = Math.min(runnable[i], ns[i]);
		if (m !== "runnable")
			parts[2] = Math.max(ns[i] - runnable[i], 0);
	}
	if (counts()) {
		/* Once, as what it was first. */
		const p = parts[0] ? 0 : parts[2] ? 2 : 1, some = parts[p] > 0;
		parts[0] = parts[1] = parts[2] = 0;
		parts[p] = some ? count[i] : 0;
	}
	if (data.host && !view.idle && idle[i]) {
		idleParts[idle[i]] += parts[0] + parts[2];
		parts[0] = parts[2] = 0;
	}
	return parts[0] + parts[1] + parts[2];
}

/* Kernel threads: idle ones would take most of a host's time. */
const inUser = new Uint8Array(nodes), programs = new Uint8Array(data.threads.length);
for (let i = 1; i < nodes; i++)
	inUser[i] = inUser[parent[i]] || fn.type[func[i]] === USER ? 1 : 0;
/* The upper frames of a chain belong to another thread. */
thread.forEach((t, i) => { programs[t] |= kind[i] === CHAIN ? 0 : inUser[node[i]]; });
const hasLines = new Uint8Array(data.threads.length);
thread.forEach((t) => { hasLines[t] = 1; });
const bothSorts = programs.some((p, i) => !p && hasLines[i]) && programs.includes(1);

function wanted(i) {
	const t = data.threads[thread[i]];
	return (!view.programs || programs[thread[i]]) && (view.pid === "" || String(t[0]) === view.pid) &&
		(view.tid === "" || String(t[1]) === view.tid);
}

let perSlot;
/* The share of a line in the selected time range. */
function insideOf(i) {
	/* An interval counts in the slot where it ended. */
	if (counts())
		return slot[i] >= view.a && slot[i] < view.b ? 1 : 0;
	const a = Math.max(begin[i], view.a), b = Math.min(slot[i] + 1, view.b);
	return b > a ? (b - a) / (slot[i] + 1 - begin[i]) : 0;
}
/* Add a value, spread over a line's slots, to an array of differences between slots. */
function spread(sums, i, v) {
	const from = counts() ? slot[i] : begin[i], each = v / (slot[i] + 1 - from);
	sums[from] += each;
	if (slot[i] + 1 < slots)
		sums[slot[i] + 1] -= each;
}
/* Add a line of the recording that is not shown. */
function addBase(i, kept) {
	const spans = [data.span, data.baseline_span], shows = view.base ? 1 : 0;

	baseSelf[node[i]] += kept * spans[shows] / spans[1 - shows];
}
/* Number of summations so far: frames belong to the last one. */
let summed = 0;
function compute() {
	summed++;
	parts = [0, 0, 0];
	idleSums = [0, 0, 0, 0, 0];
	self = [0, 1, 2].map(() => new Float64Array(nodes));
	selfCount = new Float64Array(nodes);
	baseSelf = hasBase ? new Float64Array(nodes) : null;
	perSlot = [0, 1, 2].map(() => new Float64Array(slots));
	for (let i = 0; i < kind.length; i++) {
		if (!wanted(i))
			continue;
		const kept = split(i), inside = insideOf(i);
		if (hasBase && ofBase[i] !== (view.base ? 1 : 0)) {
			idleParts.fill(0);
			addBase(i, kept);
			continue;
		}
		for (let k = 1; k < idleSums.length; k++)
			idleSums[k] += idleParts[k] * inside;
		idleParts.fill(0);
		if (!kept)
			continue;
		for (let p = 0; p < 3; p++)
			spread(perSlot[p], i, parts[p]);
		if (!inside)
			continue;
		for (let p = 0; p < 3; p++)
			self[p][node[i]] += parts[p] * inside;
		if (slot[i] >= view.a && slot[i] < view.b)
			selfCount[node[i]] += count[i];
	}
	for (const sums of perSlot)
		for (let s = 1; s < slots; s++)
			sums[s] = Math.max(sums[s] + sums[s - 1], 0);
	const round = view.a > 0 || view.b < slots;
	for (let p = 0; round && p < 3; p++)
		self[p] = self[p].map(Math.round);
	total = self.map((a) => a.slice());
	totalCount = selfCount.slice();
	baseTotal = hasBase ? baseSelf.slice() : null;
	for (let i = nodes - 1; i > 0; i--) {
		for (let p = 0; p < 3; p++)
			total[p][parent[i]] += total[p][i];
		totalCount[parent[i]] += totalCount[i];
		if (hasBase)
			baseTotal[parent[i]] += baseTotal[i];
	}
	matches();
}

/* Functions that match the search, and nodes at or below one. */
let found = null, below = null;
function matches() {
	const q = view.q.toLowerCase();

	found = below = null;
	if (!q)
		return;
	found = fn.name.map((n, i) => n.toLowerCase().includes(q) ||
		data.dsos[fn.dso[i]].toLowerCase().includes(q));
	below = new Uint8Array(nodes);
	for (let i = 1; i < nodes; i++)
		below[i] = below[parent[i]] || found[func[i]] ? 1 : 0;
}
