// SPDX-License-Identifier: GPL-2.0
/*
 * The pointer, the keys and the controls; and the initialization.
 */

function at(e) {
	const r = $("graph").getBoundingClientRect(), row = Math.floor((e.clientY - r.top) / ROW);
	const depth = view.icicle ? row : rowsNow - 1 - row, x = e.clientX - r.left;
	const line = level[depth];

	if (!line)
		return null;
	let best = null;
	for (const s of line)
		if (x >= s.x && x < s.x + Math.max(s.w, 1))
			best = s;
	return best;
}

function chain(s) {
	const f = [];
	for (; s && s.fr.f >= 0; s = s.par)
		f.unshift(s.fr.f);
	return f;
}
function zoom(s) {
	view.zoom = chain(s);
	sel = null;
	update(false);
}

function hideTip() {
	$("tip").hidden = true;
	$("tip").className = "";
}

function fillTip(fr) {
	const box = $("tip");

	box.textContent = "";
	box.append(make("b", nameOf(fr)));
	if (fr.f >= 0)
		box.append(make("span", ["", "kernel ", "thread ", "why "][fn.type[fr.f]] +
			data.dsos[fn.dso[fr.f]].replace(/^\[|\]$/g, "")));
	box.append(detailTable(fr));
	box.hidden = false;
}

function tip(s, e) {
	const box = $("tip");

	if (s !== hover || box.hidden || box.className) {
		box.className = "";
		fillTip(s.fr);
	}
	const r = box.getBoundingClientRect();
	box.style.left = Math.max(4, Math.min(e.clientX + 14, innerWidth - r.width - 8)) + "px";
	box.style.top = (e.clientY + 18 + r.height > innerHeight ?
		Math.max(4, e.clientY - r.height - 10) : e.clientY + 18) + "px";
}

/* Without a hovering pointer: the touched frame, and its actions. */
function dock(s) {
	const box = $("tip"), p = make("p"), button = (name, fn2) => {
		const b = make("button", name);
		b.type = "button";
		b.onclick = fn2;
		p.append(b);
	};

	fillTip(s.fr);
	button("Zoom in", () => zoom(s));
	if (s.fr.f >= 0 && fn.type[s.fr.f] !== THREAD)
		button("Callers, callees", () => chooseFunction(s.fr.f));
	button("Close", hideTip);
	box.append(p);
	box.className = "dock";
	box.style.left = box.style.top = "";
}

const graph = $("graph");
let touched = false;
graph.addEventListener("pointerdown", (e) => { touched = e.pointerType !== "mouse"; });
graph.addEventListener("mousemove", (e) => {
	/* Browsers generate these events for touches, too. */
	if (touched || dragged)
		return;
	const s = at(e);
	if (s) {
		tip(s, e);
		if (s !== hover)
			text($("status"), describe(s.fr));
	} else {
		hideTip();
	}
	hover = s;
});
graph.addEventListener("mouseleave", () => {
	if (!touched)
		hideTip();
});
graph.addEventListener("click", (e) => {
	const s = at(e);
	if (!s)
		return;
	if (!touched || (sel && sel.fr.n === s.fr.n && sel.fr.f === s.fr.f && sel.depth === s.depth)) {
		zoom(s);
		return;
	}
	sel = s;
	drawGraph();
	text($("status"), describe(s.fr));
	dock(s);
});

function select(s) {
	if (!s)
		return;
	sel = s;
	drawGraph();
	text($("status"), describe(s.fr));
	const box = $("scroll"), y = yOf(s.depth, rowsNow);
	if (y < box.scrollTop || y + ROW > box.scrollTop + box.clientHeight)
		box.scrollTop = y - box.clientHeight / 2;
}
graph.addEventListener("keydown", (e) => {
	const cur = sel || shown[path.length - 1], line = level[cur.depth] || [];
	const deeper = view.icicle ? "ArrowDown" : "ArrowUp";
	const outer = view.icicle ? "ArrowUp" : "ArrowDown";

	if (e.key === deeper)
		select(shown.filter((s) => s.par === cur).sort((x, y) => y.w - x.w)[0]);
	else if (e.key === outer)
		select(cur.par);
	else if ((e.key === "ArrowRight" || e.key === "ArrowLeft") && e.shiftKey)
		move(e.key === "ArrowRight" ? 0.2 : -0.2);
	else if (e.key === "ArrowRight" || e.key === "ArrowLeft")
		select(line.slice().sort((x, y) => x.x - y.x)[line.slice().sort((x, y) => x.x - y.x)
			.indexOf(cur) + (e.key === "ArrowRight" ? 1 : -1)]);
	else if (e.key === "Enter" || e.key === " ")
		zoom(cur);
	else if (e.key === "Backspace" && view.zoom.length) {
		view.zoom = view.zoom.slice(0, -1);
		sel = null;
		update(false);
	} else
		return;
	e.preventDefault();
});
graph.addEventListener("focus", drawGraph);
graph.addEventListener("blur", drawGraph);

function reset() {
	Object.assign(view, { zoom: [], a: 0, b: slots, lo: 0, hi: 1, q: "", function: -1 });
	sel = null;
	update();
}
const flip = (k) => {
	view[k] = !view[k];
	if (k === "invert")
		view.zoom = [];
	sel = null;
	update(["base", "programs", "idle", "counts"].includes(k));
};
document.addEventListener("keydown", (e) => {
	const typing = /^(INPUT|SELECT)$/.test(e.target.tagName) && e.target.type !== "radio";

	if (e.key === "Escape")
		reset();
	else if (typing || e.ctrlKey || e.metaKey || e.altKey)
		return;
	else if (e.key === "/")
		$("search").focus();
	else if (e.key === "b" && hasBase)
		flip("base");
	else if (e.key === "i")
		flip("icicle");
	else if (e.key === "v")
		flip("invert");
	else if (e.key === "p" && bothSorts)
		flip("programs");
	else if (e.key === "d" && data.host)
		flip("idle");
	else if (e.key === "u" && units().length > 1)
		flip("counts");
	else if (Object.hasOwn(widthKeys, e.key))
		widthKeys[e.key]();
	else
		return;
	e.preventDefault();
});
$("controls").addEventListener("submit", (e) => e.preventDefault());
$("base").onclick = () => flip("base");
$("icicle").onclick = () => flip("icicle");
$("invert").onclick = () => flip("invert");
$("programs").onclick = () => flip("programs");
$("idle").onclick = () => flip("idle");
$("reset").onclick = reset;
$("theme").onclick = () => {
	view.theme = dark ? "light" : "dark";
	applyTheme();
	update(false);
};
let timer;
$("search").addEventListener("input", () => {
	clearTimeout(timer);
	timer = setTimeout(() => {
		view.q = $("search").value;
		matches();
		update(false);
	}, 120);
});
$("event").onchange = () => {
	view.event = +$("event").value;
	if (!byTime())
		view.mode = "cpu";
	sel = null;
	update();
};
$("unit").onchange = () => { view.counts = $("unit").selectedIndex > 0; sel = null; update(); };
$("pid").onchange = () => { view.pid = $("pid").value; view.tid = ""; fillThreads(); update(); };
$("tid").onchange = () => { view.tid = $("tid").value; update(); };
$("table").ontoggle = buildTree;
$("heat").ontoggle = drawHeat;

function setTime(a, b) {
	view.a = Math.max(0, Math.min(Math.min(a, b), slots - 1));
	view.b = Math.min(slots, Math.max(Math.max(a, b), view.a + 1));
	sel = null;
	update();
}
const inSlots = (v) => v * 1e9 / data.span * slots;
$("from").onchange = () => setTime(Math.round(inSlots(+$("from").value)), view.b);
$("to").onchange = () => setTime(view.a, $("to").value === "" ? slots :
	Math.round(inSlots(+$("to").value)));
$("alltime").onclick = () => setTime(0, slots);
let drag = null, frame = 0;
const fingers = new Map();
const slotAt = (e) => {
	const r = $("strip").getBoundingClientRect();
	return (e.clientX - r.left) / r.width * slots;
};
const soon = (a, b) => {
	cancelAnimationFrame(frame);
	frame = requestAnimationFrame(() => setTime(Math.floor(Math.min(a, b)),
		Math.ceil(Math.max(a, b))));
};
$("strip").addEventListener("pointerdown", (e) => {
	if (!fingers.size)
		drag = slotAt(e);
	fingers.set(e.pointerId, slotAt(e));
	$("strip").setPointerCapture(e.pointerId);
});
/* One pointer selects the range of its drag; two, the range between them. */
$("strip").addEventListener("pointermove", (e) => {
	if (drag === null)
		return;
	fingers.set(e.pointerId, slotAt(e));
	const at = [...fingers.values()];
	if (at.length > 1)
		drag = at[0];
	soon(drag, at[at.length - 1]);
});
/* Around the pointer, or to a side; a time range consists of whole slots. */
$("strip").addEventListener("wheel", (e) => {
	const w = wheelOf(e), box = $("strip"), part = view.b - view.a;

	if (!w || (!w.factor && part === slots))
		return;
	e.preventDefault();
	if (!w.factor) {
		const a = clamp(view.a + Math.round(w.by / box.clientWidth * slots), 0, slots - part);
		setTime(a, a + part);
	} else if (w.factor !== 1) {
		const next = clamp(Math.round(w.factor > 1 ? Math.min(part / w.factor, part - 1) :
			Math.max(part / w.factor, part + 1)), 1, slots);
		const x = clamp(slotAt(e), view.a, view.b);
		const a = clamp(Math.round(x - (x - view.a) / part * next), 0, slots - next);
		setTime(a, a + next);
	}
}, { passive: false });
$("strip").addEventListener("pointercancel", (e) => {
	fingers.delete(e.pointerId);
	drag = null;
});
$("strip").addEventListener("pointerup", (e) => {
	const alone = fingers.size === 1;

	fingers.delete(e.pointerId);
	if (alone && drag !== null && Math.abs(slotAt(e) - drag) * $("strip").clientWidth / slots < 3) {
		cancelAnimationFrame(frame);
		setTime(0, slots);
	}
	drag = null;
});

function about() {
	for (const [name, value] of data.about) {
		const div = make("div");
		div.append(make("dt", name), make("dd", value));
		$("about").append(div);
	}
	text($("title"), data.title);
	$("title").title = data.title;
	$("info").open = innerWidth > 640;
	document.title = data.title + " - wallprof flame";
	if (data.lost) {
		text($("lost"), data.lost);
		$("lost").hidden = false;
	}
	events.forEach(([name], i) => {
		const o = make("option", name);
		o.value = i;
		$("event").append(o);
	});
	$("events").hidden = events.length < 2;
	$("heat").hidden = !has[OFF] || hasBase;
	/* Times and threads of one recording are not those of the other. */
	$("time").hidden = $("pids").hidden = $("tids").hidden = hasBase;
	$("base").hidden = $("basekey").hidden = $("changes").hidden = !hasBase;
	$("programs").hidden = !bothSorts;
	$("idle").hidden = !data.host;
	for (const [id, name] of modes) {
		const label = make("label"), r = make("input");
		r.type = "radio";
		r.name = "mode";
		r.value = id;
		r.onchange = () => { view.mode = id; agree(); sel = null; update(); };
		label.append(r, make("span", name));
		$("modes").append(label);
	}
}

window.wallprof = { drawn: 0, frames: 0, matched: 0, view, data,
	total: () => sum(top().v), all: () => sum(path[0].v),
	table: () => rows.map((r) => ({ name: fn.name[r.f], total: r.total, self: r.selfTotal,
		cpuself: r.self[0] })),
	neighbours: () => Object.fromEntries(neighbours(view.function).map((list, i) =>
		[["callers", "callees"][i], list.map(([g, v]) => [fn.name[g], sum(v)])])),
	details: (name) => details(name ? children(path[0]).find((c) => nameOf(c) === name) : path[0]), written: () => [...written],
	changes: () => shown.map((s) => ({ name: nameOf(s.fr), depth: s.depth, now: sum(s.fr.v),
		base: s.fr.base, colour: hasBase ? colourOfChange(sum(s.fr.v), s.fr.base) : "" })),
	functionChanges: () => rows.map((r) => ({ name: fn.name[r.f], now: r.total, base: r.base })),
	strip: () => [...perSlot[0]].map((v, i) => v + perSlot[1][i] + perSlot[2][i]),
	boxes: () => shown.map((s) => ({ name: nameOf(s.fr), depth: s.depth, x: s.x, w: s.w,
		y: yOf(s.depth, rowsNow) })) };
about();
load();
fillThreads();
applyTheme();
update();
let wide = 0;
new ResizeObserver(() => {
	if (Math.abs($("scroll").clientWidth - wide) > 1) {
		wide = $("scroll").clientWidth;
		update(false);
	}
}).observe($("scroll"));
system.addEventListener("change", () => { applyTheme(); update(false); });
window.addEventListener("hashchange", () => { load(); fillThreads(); applyTheme(); update(); });
window.addEventListener("beforeprint", () => { applyTheme("light"); drawGraph();
	drawStrip(); drawHeat(); controls(); });
window.addEventListener("afterprint", () => { applyTheme(); update(false); });
