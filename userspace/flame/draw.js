// SPDX-License-Identifier: GPL-2.0
/*
 * Draws the graph, the time strip and the heat map on canvases: a hundred thousand stacks
 * have too many frames for elements of the document.
 */

/* Colors: a hue for each kind, with variation by name. */
let palette, dark;
function readTheme() {
	const style = getComputedStyle(document.documentElement);

	dark = document.documentElement.dataset.theme === "dark";
	palette = {};
	for (const k of ["bg", "fg", "dim", "line", "hit", "accent", "cpu", "runnable", "blocked",
			 "shade", "panel"])
		palette[k] = style.getPropertyValue("--" + k).trim();
}
const HUES = [[30, 24], [72, 16], [208, 22]];
const colours = new Map();
function colour(f, p) {
	const key = (f * 3 + p) * 2 + (dark ? 1 : 0);
	let c = colours.get(key);
	if (c)
		return c;
	let h = 2166136261;
	const s = f < 0 ? "" : fn.name[f];
	for (let i = 0; i < s.length; i++)
		h = Math.imul(h ^ s.charCodeAt(i), 16777619) >>> 0;
	const hue = HUES[p][0] + (h % 1000 / 1000 - 0.5) * HUES[p][1];
	const kernel = f >= 0 && fn.type[f] === KERNEL ? -6 : 0;
	/* Names are drawn on it in black. */
	const light = (!dark ? 70 : p === 2 ? 64 : 54) + kernel + ((h >>> 10) % 1000 / 1000 - 0.5) * 10;
	c = f < 0 || fn.type[f] >= THREAD ? (dark ? "#8d929b" : "#c9c6bf") :
		`hsl(${hue.toFixed(0)} ${p === 1 ? 52 : dark ? 58 : 78}% ${light.toFixed(0)}%)`;
	colours.set(key, c);
	return c;
}
/*
 * Color of a change: red for more time than in the baseline, blue for less, the stronger the
 * larger the ratio, up to four times; grey for none. Widths show how much time it is.
 */
function colourOfChange(now, before) {
	const ratio = now > 0 && before > 0 ? Math.log2(now / before) / 2 : now > before ? 1 :
		now < before ? -1 : 0;
	const change = Math.max(-1, Math.min(ratio, 1)) * (view.base ? -1 : 1);
	const light = (dark ? 62 : 88) - (dark ? 6 : 30) * Math.abs(change);

	return `hsl(${change > 0 ? 6 : 214} ${(85 * Math.sqrt(Math.abs(change))).toFixed(0)}% ${light.toFixed(0)}%)`;
}
const KIND = ["cpu", "runnable", "blocked"], WORD = ["on-CPU", "runnable", "blocked"];
const wordOf = (p) => view.mode === "wake" ? "woke what was blocked for" : WORD[p];

function sizeCanvas(canvas, w, h) {
	const dpr = window.devicePixelRatio || 1;

	canvas.width = Math.round(w * dpr);
	canvas.height = Math.min(Math.round(h * dpr), 32000);
	canvas.style.width = w + "px";
	canvas.style.height = h + "px";
	const c = canvas.getContext("2d");
	c.setTransform(dpr, 0, 0, dpr, 0, 0);
	return c;
}

/*
 * Lay out frames in rows: those above the zoom over the whole width. For others, x and w
 * are the visible part, @left and @whole the whole frame.
 */
function layout(width) {
	shown = [];
	level = [];
	const put = (fr, depth, left, whole, par, above) => {
		const x = Math.max(left, 0), w = Math.min(left + whole, width) - x;
		const s = { fr, depth, x, w, left, whole, par, above };
		shown.push(s);
		(level[depth] = level[depth] || []).push(s);
		return s;
	};
	let last = null;
	path.forEach((p, i) => { last = put(p, i, 0, width, last, i < path.length - 1); });
	const all = sum(top().v);
	if (!all)
		return;
	const scale = width / all / (view.hi - view.lo), stack = [last];
	last.whole = all * scale;
	last.left = -view.lo * last.whole;
	while (stack.length) {
		const s = stack.pop();
		let x = s.left;
		const kids = s.whole < TINY ? [] : children(s.fr);
		for (const k of kids) {
			const w = sum(k.v) * scale;
			if (w >= TINY && x + w > 0 && x < width)
				stack.push(put(k, s.depth + 1, x, w, s, false));
			x += w;
		}
	}
}

/* A name with fewer letters is useless. */
const CUT_LEAST = 4;
function fit(c, text, w) {
	if (w < 24)
		return "";
	/* A label that replaces a name is useless if it is truncated. */
	if (text === "[unknown]" && c.measureText(text).width > w)
		return "";
	let n = Math.floor(w / 5.2);
	if (text.length <= n && c.measureText(text).width <= w)
		return text;
	let lo = 0, hi = Math.min(n + 1, text.length);
	while (lo < hi) {
		const mid = (lo + hi + 1) >> 1;
		if (c.measureText(text.slice(0, mid) + "\u2026").width <= w)
			lo = mid;
		else
			hi = mid - 1;
	}
	return lo >= CUT_LEAST ? text.slice(0, lo) + "\u2026" : "";
}

/* Draw the names. */
const written = new Set();
const yOf = (depth, rows) => (view.icicle ? depth : rows - 1 - depth) * ROW;

function drawFrame(c, s, rows) {
	const y = yOf(s.depth, rows), v = s.fr.v, all = sum(v);
	const main = v[0] >= v[1] && v[0] >= v[2] ? 0 : v[2] >= v[1] ? 2 : 1;
	const hit = found && s.fr.f >= 0 && found[s.fr.f];
	const w = Math.max(s.w - (s.w > 3 ? 1 : 0), 0.3), faint = s.above || (found && !hit);

	c.globalAlpha = s.above ? 0.55 : faint ? 0.45 : 1;
	c.fillStyle = hit ? palette.hit : hasBase ? colourOfChange(all, s.fr.base) :
		colour(s.fr.f, main);
	c.fillRect(s.x, y, w, ROW - 1);
	/* Several kinds of time: draw their shares. */
	if (!hasBase && w > 6 && all > v[main] * 1.005) {
		let x = s.x;
		for (let p = 0; p < 3; p++) {
			c.fillStyle = palette[KIND[p]];
			c.fillRect(x, y + ROW - 4, w * v[p] / all, 3);
			x += w * v[p] / all;
		}
	}
	c.globalAlpha = s.above ? 0.8 : 1;
	if (w > 24) {
		c.fillStyle = hit ? palette.bg : dark && faint ? palette.fg : "#17181b";
		const name = fit(c, nameOf(s.fr), w - 7);
		written.add(name);
		c.fillText(name, s.x + 4, y + 12.5);
	}
	c.globalAlpha = 1;
	if (s.fr.f >= 0 && s.fr.f === view.function && w > 1) {
		c.strokeStyle = palette.hit;
		c.lineWidth = 2;
		c.strokeRect(s.x + 1, y + 1, Math.max(w - 2, 1), ROW - 3);
	}
}

let rowsNow = 1;
function mark(c, s) {
	c.strokeStyle = palette.fg;
	c.lineWidth = 2;
	c.strokeRect(s.x + 1, yOf(s.depth, rowsNow) + 1, Math.max(s.w - 3, 1), ROW - 3);
}

function drawGraph() {
	const box = $("scroll"), width = Math.max(box.clientWidth, 100);
	const began = performance.now();

	written.clear();
	layout(width);
	rowsNow = Math.max(level.length, 1);
	const c = sizeCanvas($("graph"), width, rowsNow * ROW + 2);
	c.fillStyle = palette.bg;
	c.fillRect(0, 0, width, rowsNow * ROW + 2);
	c.font = FONT;
	for (const s of shown)
		drawFrame(c, s, rowsNow);
	if (sel) {
		sel = shown.find((s) => s.depth === sel.depth && s.fr.f === sel.fr.f &&
			s.fr.n === sel.fr.n) || null;
		if (sel && (touched || document.activeElement === $("graph")))
			mark(c, sel);
	}
	if (!sum(top().v)) {
		c.fillStyle = palette.fg;
		c.fillText("Nothing was recorded here.", 6, 13);
	}
	window.wallprof.drawn = performance.now() - began;
	window.wallprof.frames = shown.length;
}

function drawStrip() {
	const box = $("strip"), width = box.parentElement.clientWidth, height = 48;
	const c = sizeCanvas(box, width, height), w = width / slots;
	const heights = [...perSlot[0]].map((v, i) => v + perSlot[1][i] + perSlot[2][i]);
	const filled = heights.filter((v) => v > 0).sort((x, y) => x - y);
	let most = filled.length ? filled[filled.length - 1] : 0;

	/* A single slot far above the others must not hide these. */
	const usual = filled[Math.floor(filled.length * 0.95)] || most;
	if (most > 4 * usual)
		most = 2 * usual;
	c.fillStyle = palette.bg;
	c.fillRect(0, 0, width, height);
	for (let i = 0; most && i < slots; i++) {
		let y = height;
		for (let p = 0; p < 3; p++) {
			const h = Math.min(perSlot[p][i] / most * (height - 4), y - 4);
			c.fillStyle = palette[KIND[p]];
			c.fillRect(i * w, y - h, w + 0.5, h);
			y -= h;
		}
		/* Mark a bar that is cut at the top. */
		if (heights[i] > most) {
			c.fillStyle = palette.hit;
			c.fillRect(i * w, 0, w + 0.5, 3);
		}
	}
	if (view.a > 0 || view.b < slots) {
		c.fillStyle = palette.shade;
		c.fillRect(0, 0, view.a * w, height);
		c.fillRect(view.b * w, 0, width - view.b * w, height);
		c.fillStyle = palette.accent;
		c.fillRect(view.a * w - 1, 0, 2, height);
		c.fillRect(view.b * w - 1, 0, 2, height);
	}
	const sec = (s) => +(s * data.span / slots / 1e9).toFixed(6);
	$("from").value = sec(view.a);
	$("to").value = sec(view.b);
	$("from").max = $("to").max = sec(slots);
}

/* Ticks of the time axis, in nanoseconds: at round numbers, not too many. */
function ticks(span, most) {
	let step = 10 ** Math.floor(Math.log10(span / most));
	const at = [];

	step *= [1, 2, 5, 10].find((n) => span / (n * step) <= most);
	for (let t = 0; t <= span; t += step)
		at.push(t);
	return at;
}

function drawHeat() {
	if (!$("heat").open)
		return;
	const box = $("heatmap"), width = Math.max(box.parentElement.clientWidth - 2, 100);
	const bins = new Map();
	let low = 64, high = 0, most = 0;

	for (let i = 0; i < kind.length; i++) {
		if (kind[i] !== OFF || !count[i] || !ns[i] || !wanted(i))
			continue;
		const b = Math.floor(Math.log2(Math.max(ns[i] / count[i], 1)));
		const key = b * slots + slot[i], n = (bins.get(key) || 0) + count[i];
		bins.set(key, n);
		low = Math.min(low, b);
		high = Math.max(high, b);
		most = Math.max(most, n);
	}
	const height = 200, axis = 18, left = 64;
	const rows = Math.max(high - low + 1, 1), c = sizeCanvas(box, width, height + axis);
	const w = (width - left) / slots, h = height / rows;
	c.fillStyle = palette.bg;
	c.fillRect(0, 0, width, height + axis);
	for (const [key, n] of bins) {
		const b = Math.floor(key / slots);
		c.globalAlpha = 0.15 + 0.85 * Math.log(1 + n) / Math.log(1 + most);
		c.fillStyle = palette.blocked;
		c.fillRect(left + key % slots * w, (high - b) * h, w + 0.3, h - 0.5);
	}
	c.globalAlpha = 1;
	c.fillStyle = palette.dim;
	c.font = FONT;
	for (let b = low; b <= high; b += Math.ceil(rows / 11))
		c.fillText(time(2 ** b), 4, (high - b) * h + h / 2 + 4);
	for (const t of ticks(data.span, Math.min(10, (width - left) / 80))) {
		const x = left + t / data.span * (width - left);
		c.fillRect(x, height, 1, 4);
		const text = t ? time(t) : "0", room = c.measureText(text).width;
		c.fillText(text, Math.min(Math.max(x - room / 2, left), width - room), height + 15);
	}
	$("heattext").textContent = bins.size ? "From " + time(2 ** low) + " to " +
		time(2 ** (high + 1)) + "; at most " + most.toLocaleString("en") +
		" intervals in a cell." : "There are no off-CPU intervals with a count here.";
}
const time = (v) => v >= 1e9 ? short(v / 1e9, " s") : v >= 1e6 ? short(v / 1e6, " ms") :
	v >= 1e3 ? short(v / 1e3, " \u00b5s") : v + " ns";
