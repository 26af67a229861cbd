// SPDX-License-Identifier: GPL-2.0
/*
 * State of the view: stored in the page's address, and described in words.
 */

function share() {
	let hit = 0;

	if (!view.q) {
		$("share").textContent = "";
		window.wallprof.matched = 0;
		return;
	}
	const fr = top();
	if (fr.n < 0) {
		for (const l of fr.leaf)
			if (below[l])
				hit += self[0][l] + self[1][l] + self[2][l];
	} else {
		const inside = new Uint8Array(nodes);
		inside[fr.n] = 1;
		for (let i = fr.n; i < nodes; i++) {
			if (i !== fr.n && inside[parent[i]])
				inside[i] = 1;
			if (inside[i] && below[i])
				hit += self[0][i] + self[1][i] + self[2][i];
		}
	}
	window.wallprof.matched = hit;
	$("share").textContent = percent(hit, sum(fr.v)) + " (" + amount(hit) + ") matched";
}

function text(el, s) {
	el.textContent = s;
	return el;
}
const make = (tag, s = "") => text(document.createElement(tag), s);

/* The visible part of the graph's width, and a way back. */
function crumbWidth(box) {
	if (!zoomed())
		return;
	const b = make("a", "show all");
	b.href = "#";
	b.onclick = (e) => { e.preventDefault(); showWidth(0, 1); };
	box.append(", " + widthText() + ": ", b);
}
const widthText = () => "a part of " + +(100 * (view.hi - view.lo)).toPrecision(3) +
	" % of its width";

function crumbs() {
	const box = $("crumbs");

	box.textContent = "";
	path.forEach((p, i) => {
		if (i)
			box.append(" \u203a ");
		if (i === path.length - 1) {
			box.append(nameOf(p) + " (" + amount(sum(p.v)) + ", " +
				percent(sum(p.v), sum(path[0].v)) + " of all)");
			crumbWidth(box);
			return;
		}
		/* Only the ends of a long one. */
		if (path.length > 9 && i > 2 && i < path.length - 5) {
			if (i === 3)
				box.append("\u2026");
			return;
		}
		const b = make("a", nameOf(p));
		b.href = "#";
		b.onclick = (e) => {
			e.preventDefault();
			view.zoom = path.slice(1, i + 1).map((x) => x.f);
			update(false);
		};
		box.append(b);
	});
}

function describe(fr) {
	const v = sum(fr.v);
	return wholeName(fr) + ": " + long(v) + ", " + percent(v, sum(top().v)) + " of what is shown, " +
		percent(v, sum(path[0].v)) + " of all" + (hasBase ? ", " + changeText(fr) : "");
}

/* What a frame changed by, from the baseline to the other recording. */
function changeOf(now, before) {
	const change = view.base ? before - now : now - before;

	return (change > 0 ? "+" : change < 0 ? "-" : "") + amount(Math.abs(Math.round(change)));
}
function ratioOf(now, before) {
	const [a, b] = view.base ? [now, before] : [before, now];

	return a <= 0 ? b > 0 ? "new" : "" : b <= 0 ? "gone" : "x" + (b / a).toFixed(2);
}
const changeText = (fr) => "change " + changeOf(sum(fr.v), fr.base) + " (" +
	(ratioOf(sum(fr.v), fr.base) || "none") + ")";

/* State of the view in the address. */
function save() {
	const h = new URLSearchParams();

	h.set("mode", view.mode);
	if (view.event !== data.event)
		h.set("event", view.event);
	for (const k of ["pid", "tid", "q", "theme"])
		if (view[k])
			h.set(k, view[k]);
	if (view.counts)
		h.set("counts", 1);
	if (view.base)
		h.set("baseline", 1);
	if (view.icicle)
		h.set("icicle", 1);
	if (view.invert)
		h.set("invert", 1);
	if (view.programs)
		h.set("programs", 1);
	if (view.idle !== !!data.idle)
		h.set("idle", +view.idle);
	if (view.a > 0 || view.b < slots)
		h.set("time", view.a + "-" + view.b);
	if (view.function >= 0)
		h.set("function", view.function);
	if (view.zoom.length)
		h.set("zoom", view.zoom.join("."));
	if (zoomed())
		h.set("width", +view.lo.toFixed(9) + "-" + +view.hi.toFixed(9));
	try {
		history.replaceState(null, "", "#" + h);
	} catch (e) {
		/* Some browsers limit the rate: the next change includes this one. */
	}
}
/* Wall-clock time includes on-CPU values only if they are time. */
function agree() {
	if (view.mode === "wall" && !byTime())
		view.event = clock;
}
function load() {
	const h = new URLSearchParams(location.hash.slice(1));
	const m = /^(\d+)-(\d+)$/.exec(h.get("time") || "");

	view.mode = modes.some((x) => x[0] === h.get("mode")) ? h.get("mode") : first();
	view.event = h.has("event") && events[+h.get("event")] ? +h.get("event") : data.event;
	agree();
	for (const k of ["pid", "tid", "q"])
		view[k] = h.get(k) || "";
	view.theme = ["light", "dark"].includes(h.get("theme")) ? h.get("theme") : "";
	view.counts = h.get("counts") === "1";
	view.base = hasBase && h.get("baseline") === "1";
	view.icicle = h.get("icicle") === "1";
	view.invert = h.get("invert") === "1";
	view.programs = bothSorts && h.get("programs") === "1";
	view.idle = h.has("idle") ? h.get("idle") === "1" : !!data.idle;
	view.a = m ? Math.min(+m[1], slots - 1) : 0;
	view.b = m ? Math.min(Math.max(+m[2], view.a + 1), slots) : slots;
	view.function = h.has("function") && fn.name[+h.get("function")] !== undefined ?
		+h.get("function") : -1;
	view.zoom = (h.get("zoom") || "").split(".").filter(Boolean).map(Number);
	const w = /^([\d.]+)-([\d.]+)$/.exec(h.get("width") || "");
	const lo = w ? +w[1] : 0, hi = w ? +w[2] : 1;
	[view.lo, view.hi] = lo >= 0 && hi <= 1 && hi - lo >= WIDTH_LEAST / 2 ? [lo, hi] : [0, 1];
	keepsWidth = true;
}
/* Selection that view.lo and .hi belong to: another one begins with the whole width. */
let widthOf = "", keepsWidth = false;
const frames = () => [view.base, view.mode, view.event, view.counts, view.invert, view.programs, view.idle, view.pid,
	view.tid, view.a, view.b, view.zoom.join(".")].join();

const system = window.matchMedia("(prefers-color-scheme: dark)");
function applyTheme(forced) {
	const t = forced || view.theme || (system.matches ? "dark" : "light");
	document.documentElement.dataset.theme = t;
	$("theme").textContent = t === "dark" ? "Light" : "Dark";
	readTheme();
}

function fillThreads() {
	const pids = new Map(), tids = new Map();

	data.threads.forEach(([pid, tid, comm], i) => {
		/* Others are wakers, without further data. */
		if (!hasLines[i])
			return;
		if (!pids.has(pid) || pid === tid)
			pids.set(pid, comm);
		if (view.pid === "" || String(pid) === view.pid)
			tids.set(tid, comm);
	});
	const fill = (box, map, none, value) => {
		box.textContent = "";
		const all = make("option", none);
		all.value = "";
		box.append(all);
		for (const [id, comm] of [...map].sort((x, y) => x[0] - y[0]).slice(0, 5000)) {
			const o = make("option", id + " " + comm);
			o.value = id;
			box.append(o);
		}
		box.value = value;
		return box.value;
	};
	view.pid = fill($("pid"), pids, "all", view.pid);
	view.tid = fill($("tid"), tids, "all", view.tid);
}

const IDLE = ["", "kernel threads that wait" + (data.has_causes ? " for work" : " (for what was not recorded: -R)"),
	"loops of programs that wait for whatever comes next", "CPUs without a thread", "wallprof"];
const allIdle = () => idleSums.reduce((sum, v) => sum + v, 0);
function leftOut() {
	const all = allIdle();
	const each = idleSums.map((v, k) => v ? amount(v) + " of " + IDLE[k] : "").filter(Boolean);

	text($("left"), "Not shown: " + amount(all) + " idle: " + each.join(", ") + ".");
	$("left").hidden = !all;
}

/* What the colors of a difference are. */
function changeLegend(box) {
	const all = sum(top().v), of = view.base ? "the baseline" : "the recording";

	box.textContent = "Widths: " + of + ", " + amount(all) + ". Whole change: " +
		changeText(top()).slice("change ".length) + ", in a time as long. Against the baseline: ";
	for (const [words, now, before] of [["a fourth or gone", 1, 4], ["the same", 1, 1],
			["four times or new", 4, 1]]) {
		const item = make("span"), i = make("i");
		i.style.background = view.base ? colourOfChange(before, now) : colourOfChange(now, before);
		item.append(i, words);
		box.append(item);
	}
}

function controls() {
	for (const r of $("modes").querySelectorAll("input"))
		r.checked = r.value === view.mode;
	$("event").value = view.event;
	$("event").disabled = !["wall", "cpu"].includes(view.mode);
	$("units").hidden = units().length < 2;
	$("unit").textContent = "";
	for (const name of units())
		$("unit").append(make("option", name));
	$("unit").selectedIndex = counts() ? 1 : 0;
	$("base").setAttribute("aria-pressed", view.base);
	$("icicle").setAttribute("aria-pressed", view.icicle);
	$("invert").setAttribute("aria-pressed", view.invert);
	$("programs").setAttribute("aria-pressed", view.programs);
	$("idle").setAttribute("aria-pressed", view.idle);
	leftOut();
	if ($("search").value !== view.q)
		$("search").value = view.q;
	const box = $("legend");
	box.textContent = "";
	if (hasBase)
		changeLegend($("changes"));
	KIND.forEach((k, p) => {
		const v = hasBase ? 0 : top().v[p];
		if (!v)
			return;
		const item = make("span"), i = make("i");
		i.style.background = palette[k];
		item.append(i, wordOf(p) + " " + amount(v));
		box.append(item);
	});
}

/* State of the controls as text, for printing. */
function updateShown() {
	const sec = (s) => (s * data.span / slots / 1e9).toFixed(3);
	const words = modes.filter((m) => m[0] === view.mode).map((m) => m[1]);

	if (events.length > 1 && ["wall", "cpu"].includes(view.mode))
		words.push("by " + events[view.event][0]);
	if (counts())
		words.push("in " + unit());
	for (const [id, name] of [["pid", "process"], ["tid", "thread"]])
		if (view[id])
			words.push(name + " " + $(id).selectedOptions[0].textContent);
	if (view.a > 0 || view.b < slots)
		words.push("from " + sec(view.a) + " s to " + sec(view.b) + " s");
	if (view.base)
		words.push("widths of the baseline");
	if (view.invert)
		words.push("inverted");
	if (zoomed())
		words.push(widthText());
	if (view.programs)
		words.push("without threads of the kernel");
	if (!$("left").hidden)
		words.push("without " + amount(allIdle()) + " idle");
	if (view.q)
		words.push("\u201c" + view.q + "\u201d: " + $("share").textContent);
	text($("shown"), words.join(", "));
}

/* @anew: the selection of lines changed: sum again. @stay: keep the scroll position. */
function update(anew = true, stay = false) {
	if (anew)
		compute();
	findPath();
	if (widthOf !== frames() && !keepsWidth)
		[view.lo, view.hi] = [0, 1];
	widthOf = frames();
	keepsWidth = false;
	drawGraph();
	drawStrip();
	drawHeat();
	controls();
	crumbs();
	share();
	updateShown();
	buildTree();
	buildFunctions();
	save();
	hideTip();
	text($("status"), describe(top()));
	$("graph").setAttribute("aria-label", "Flame graph, " +
		modes.filter((m) => m[0] === view.mode).map((m) => m[1]) + ": " + describe(top()));
	const box = $("scroll");
	if (!view.icicle && !stay)
		box.scrollTop = box.scrollHeight;
}
