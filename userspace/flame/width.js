// SPDX-License-Identifier: GPL-2.0
/*
 * The visible part of the graph's width, changed by wheel, pinch, drag and keys. A wheel
 * without a modifier scrolls the page, as usual.
 */

const WIDTH_LEAST = 1e-6, DRAG_LEAST = 4;
const clamp = (v, least, most) => Math.max(least, Math.min(v, most));
const zoomed = () => view.hi - view.lo < 1;

/* Draw on the next frame, once for all events. */
let wideFrame = 0, saveTimer;
function showWidth(lo, hi) {
	const part = clamp(hi - lo, WIDTH_LEAST, 1);

	view.lo = clamp(lo, 0, 1 - part);
	view.hi = view.lo + part > 1 - 1e-9 ? 1 : view.lo + part;
	cancelAnimationFrame(wideFrame);
	wideFrame = requestAnimationFrame(() => {
		const box = $("scroll"), below = box.scrollHeight - box.scrollTop;

		hideTip();
		drawGraph();
		/* Keep the root in place when deeper rows come or go. */
		if (!view.icicle)
			box.scrollTop = box.scrollHeight - below;
		crumbs();
		updateShown();
		clearTimeout(saveTimer);
		saveTimer = setTimeout(save, 200);
	});
}
/* @at: the fixed point, as a fraction of the visible part: 0 is left, 1 right. */
function widen(factor, at = 0.5) {
	const part = view.hi - view.lo, fixed = view.lo + at * part;
	const next = clamp(part / factor, WIDTH_LEAST, 1);

	showWidth(fixed - at * next, fixed + (1 - at) * next);
}
function move(by) {
	const part = view.hi - view.lo, lo = clamp(view.lo + by * part, 0, 1 - part);

	if (zoomed())
		showWidth(lo, lo + part);
}
const partOf = (el, x) => {
	const r = el.getBoundingClientRect();
	return clamp((x - r.left) / r.width, 0, 1);
};

/* Convert lines and pages to pixels. */
const pixels = (e, v) => v * [1, 16, 400][e.deltaMode];
/* Action of a wheel event: zoom or move, or null to scroll the page. */
function wheelOf(e) {
	const x = pixels(e, e.deltaX), y = pixels(e, e.deltaY);

	/* Touchpads send a pinch as small steps with Ctrl. */
	if (e.ctrlKey || e.metaKey)
		return { factor: Math.exp(-clamp(y, -400, 400) * (Math.abs(y) < 40 ? 0.01 : 0.003)) };
	if (e.shiftKey && !x)
		return { by: y };
	return Math.abs(x) > Math.abs(y) ? { by: x } : null;
}
$("graph").addEventListener("wheel", (e) => {
	const w = wheelOf(e), box = $("graph");

	if (!w || (!w.factor && !zoomed()))
		return;
	e.preventDefault();
	if (w.factor)
		widen(w.factor, partOf(box, e.clientX));
	else
		move(w.by / box.clientWidth);
}, { passive: false });

/* Pressed pointers on the graph, by id: one drags, two pinch. */
const down = new Map();
let dragged = false;
$("graph").addEventListener("pointerdown", (e) => {
	if (!down.size)
		dragged = false;
	if (!e.button)
		down.set(e.pointerId, { x: e.clientX, y: e.clientY, from: e.clientX });
});
function pinch(before, after) {
	const r = $("graph").getBoundingClientRect(), part = view.hi - view.lo;
	const mid = (p) => ((p[0] + p[1]) / 2 - r.left) / r.width;
	const gap = (p) => Math.max(Math.abs(p[0] - p[1]), 10);
	const next = clamp(part * gap(before) / gap(after), WIDTH_LEAST, 1);
	const lo = view.lo + mid(before) * part - mid(after) * next;

	showWidth(lo, lo + next);
}
$("graph").addEventListener("pointermove", (e) => {
	const p = down.get(e.pointerId), box = $("graph");

	/* It may have been released elsewhere. */
	if (p && e.pointerType === "mouse" && !(e.buttons & 1))
		down.delete(e.pointerId);
	if (!down.has(e.pointerId))
		return;
	const before = [...down.values()].map((q) => q.x), dx = e.clientX - p.x, dy = e.clientY - p.y;
	if (down.size < 2 && !dragged && (!zoomed() || Math.abs(e.clientX - p.from) < DRAG_LEAST))
		return;
	if (!dragged)
		box.setPointerCapture(e.pointerId);
	dragged = true;
	p.x = e.clientX;
	p.y = e.clientY;
	if (down.size > 1) {
		pinch(before, [...down.values()].map((q) => q.x));
		return;
	}
	move(-dx / box.clientWidth);
	/* Touches scroll natively. */
	if (e.pointerType === "mouse")
		$("scroll").scrollTop -= dy;
});
for (const name of ["pointerup", "pointercancel"])
	$("graph").addEventListener(name, (e) => { down.delete(e.pointerId); });
/* The end of a drag is no click. */
$("graph").addEventListener("click", (e) => {
	if (dragged)
		e.stopImmediatePropagation();
	dragged = false;
});

/* Safari's pinch on a touchpad. */
let scaled = 1;
$("graph").addEventListener("gesturestart", (e) => { e.preventDefault(); scaled = 1; });
$("graph").addEventListener("gesturechange", (e) => {
	e.preventDefault();
	if (down.size < 2)
		widen(e.scale / scaled, partOf($("graph"), e.clientX));
	scaled = e.scale;
});

const widthKeys = { "+": () => widen(1.5), "=": () => widen(1.5), "-": () => widen(1 / 1.5),
	0: () => showWidth(0, 1) };
