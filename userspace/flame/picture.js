// SPDX-License-Identifier: GPL-2.0
/*
 * Script of a picture, where scripts may run: a click zooms, and a search marks frames
 * and shows their share. Names are inserted as text only. The script is embedded as
 * CDATA, so nothing here may look like the end of that.
 */
"use strict";
(() => {
	const svg = document.documentElement, NS = svg.namespaceURI, W = 1200, LETTER = 6.6, GAP = 0.4;
	const $ = (id) => document.getElementById(id);
	const frames = [...svg.querySelectorAll("g.f")].map((g) => {
		const rect = g.querySelector("rect"), label = g.querySelector("text");
		const title = g.querySelector("title").textContent;
		const whole = title.replace(/: [\d.]+ \S+, [\d.]+ %(, change [^%]*)?$/, ""), file = whole.lastIndexOf(" in ");
		const num = (name) => parseFloat(rect.getAttribute(name));
		return { g, rect, label, title, name: file > 0 ? whole.slice(0, file) : whole, whole,
			x: num("x"), w: num("width") + (num("width") > 1 - GAP ? GAP : 0), y: num("y"), fill: rect.getAttribute("fill") };
	});
	let from = 0, width = W, q = "";

	function write(fr, w) {
		const most = Math.floor((w - 6) / LETTER);
		let name = fr.name;

		if (name.length > most)
			name = most > 4 && name !== "[unknown]" ? name.slice(0, most - 1) + "\u2026" : "";
		if (!name && !fr.label)
			return;
		if (!fr.label) {
			fr.label = document.createElementNS(NS, "text");
			fr.label.setAttribute("y", fr.y + 12);
			fr.g.append(fr.label);
		}
		fr.label.textContent = name;
	}

	function draw() {
		const scale = W / width;
		for (const fr of frames) {
			const left = Math.max((fr.x - from) * scale, 0);
			const right = Math.min((fr.x + fr.w - from) * scale, W);
			const w = right - left;
			fr.g.style.display = w < 0.05 ? "none" : "";
			if (w < 0.05)
				continue;
			fr.rect.setAttribute("x", left);
			fr.rect.setAttribute("width", w > 1 ? w - GAP : w);
			/* Its callers are wider than the visible part. */
			fr.g.style.opacity = width < W && fr.w > width + 0.01 ? 0.6 : 1;
			write(fr, w);
			if (fr.label)
				fr.label.setAttribute("x", left + 3);
		}
		$("reset").style.display = width < W || q ? "" : "none";
	}

	/* Count each position once, even if several frames above one another match. */
	function search() {
		const low = q.toLowerCase();
		let end = -1, all = 0;
		const hits = frames.filter((fr) => q && fr.whole.toLowerCase().includes(low));

		for (const fr of frames)
			fr.rect.setAttribute("fill", fr.fill);
		for (const fr of hits)
			fr.rect.setAttribute("fill", "#e05bd0");
		hits.sort((a, b) => a.x - b.x || b.w - a.w);
		for (const fr of hits) {
			if (fr.x + fr.w <= end + 0.001)
				continue;
			all += fr.x + fr.w - Math.max(fr.x, end);
			end = fr.x + fr.w;
		}
		$("matched").textContent = q ? "matched: " + (100 * all / W).toFixed(2) + " %" : "";
		draw();
	}

	function ask() {
		const answer = window.prompt("Name of a function or file, or a part of it", q);
		if (answer !== null) {
			q = answer;
			search();
		}
	}
	function reset() {
		from = 0;
		width = W;
		q = "";
		search();
	}
	for (const fr of frames)
		fr.g.addEventListener("click", () => {
			from = fr.x;
			width = Math.max(fr.w, 0.001);
			draw();
		});
	$("search").addEventListener("click", ask);
	$("reset").addEventListener("click", reset);
	window.addEventListener("keydown", (e) => {
		if (e.key === "Escape")
			reset();
		else if (e.key === "/" || ((e.ctrlKey || e.metaKey) && e.key === "f"))
			ask();
		else
			return;
		e.preventDefault();
	});
	window.wallprof = { find: (text) => { q = text; search(); } };
	$("buttons").style.display = "";
	reset();
})();
