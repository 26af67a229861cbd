// SPDX-License-Identifier: GPL-2.0
/*
 * The graph as a text tree, for screen readers and for the keyboard.
 */

/* The text tree: items are created when their parent is opened. */
function treeItem(fr, depth, size, pos) {
	const li = document.createElement("div"), span = document.createElement("span");
	const kids = children(fr).length, v = sum(fr.v);

	li.setAttribute("role", "treeitem");
	li.setAttribute("aria-level", depth);
	li.setAttribute("aria-setsize", size);
	li.setAttribute("aria-posinset", pos);
	li.setAttribute("aria-label", describe(fr));
	li.tabIndex = -1;
	span.append(make("b", amount(v)), make("b", percent(v, sum(top().v))), wholeName(fr));
	li.append(span);
	li.frame = fr;
	if (kids)
		li.setAttribute("aria-expanded", "false");
	span.onclick = (e) => { e.stopPropagation(); toggle(li); focusItem(li); };
	return li;
}
const TREE_MOST = 200;
function toggle(li, open) {
	const now = li.getAttribute("aria-expanded");

	if (now === null || String(open) === now)
		return;
	if (now === "true") {
		li.setAttribute("aria-expanded", "false");
		li.lastElementChild.remove();
		return;
	}
	const group = document.createElement("div");
	const kids = children(li.frame).slice().sort((x, y) => sum(y.v) - sum(x.v));
	group.setAttribute("role", "group");
	kids.slice(0, TREE_MOST).forEach((k, i) => group.append(treeItem(k,
		+li.getAttribute("aria-level") + 1, kids.length, i + 1)));
	if (kids.length > TREE_MOST)
		group.append(make("p", "and " + (kids.length - TREE_MOST) + " smaller ones"));
	li.setAttribute("aria-expanded", "true");
	li.append(group);
}
function focusItem(li) {
	for (const x of $("tree").querySelectorAll('[tabindex="0"]'))
		x.tabIndex = -1;
	li.tabIndex = 0;
	li.focus();
}
let treeOf = false;
function buildTree() {
	const box = $("tree"), of = $("table").open && [summed, ...view.zoom].join();

	/* Keep the position when only the search or the colors change. */
	if (treeOf === of)
		return;
	treeOf = of;
	box.textContent = "";
	if (!of)
		return;
	const li = treeItem(top(), 1, 1, 1);
	li.tabIndex = 0;
	box.append(li);
	toggle(li, true);
}
$("tree").addEventListener("keydown", (e) => {
	const li = document.activeElement.closest('[role="treeitem"]');
	if (!li)
		return;
	const items = [...$("tree").querySelectorAll('[role="treeitem"]')];
	const i = items.indexOf(li), open = li.getAttribute("aria-expanded");
	let to = null;
	if (e.key === "ArrowDown")
		to = items[i + 1];
	else if (e.key === "ArrowUp")
		to = items[i - 1];
	else if (e.key === "Home")
		to = items[0];
	else if (e.key === "End")
		to = items[items.length - 1];
	else if (e.key === "ArrowRight")
		open === "false" ? toggle(li, true) : to = open ? items[i + 1] : null;
	else if (e.key === "ArrowLeft")
		open === "true" ? toggle(li, false) :
			to = li.parentElement.closest('[role="treeitem"]');
	else if (e.key === "Enter" || e.key === " ")
		toggle(li);
	else
		return;
	e.preventDefault();
	e.stopPropagation();
	if (to)
		focusItem(to);
});
