// SPDX-License-Identifier: GPL-2.0
/*
 * The functions of the graph as a table, with callers and callees of the selected one.
 */

/* A node below another one of the same function: its time has been counted there. */
const again = new Uint8Array(nodes);
(() => {
	const open = new Uint32Array(fn.name.length), stack = [[0, start[0]]];

	while (stack.length) {
		const e = stack[stack.length - 1];
		if (e[1] < start[e[0] + 1]) {
			const c = child[e[1]++];
			again[c] = open[func[c]]++ ? 1 : 0;
			stack.push([c, start[c]]);
		} else {
			if (e[0])
				open[func[e[0]]]--;
			stack.pop();
		}
	}
})();

const COLUMNS = [
	["name", "Function"], ["change", "Change"], ["total", "Total"], ["self", "Self"],
	["cpu", "On-CPU"], ["runnable", "Runnable"], ["blocked", "Blocked"],
];
const PAGE = 100;
let rows = [], rowsOf = -1, rowsMost = PAGE, order = [hasBase ? "change" : "self", -1];

/* Sums of the functions; recursive calls count once. */
function sumFunctions() {
	const by = new Map();
	const of = (f) => {
		let r = by.get(f);
		if (!r)
			by.set(f, r = { f, v: [0, 0, 0], self: [0, 0, 0], base: 0 });
		return r;
	};

	for (let n = 1; n < nodes; n++) {
		if (fn.type[func[n]] === THREAD || func[n] === separator ||
		    !(total[0][n] + total[1][n] + total[2][n] + (hasBase ? baseTotal[n] : 0)))
			continue;
		const r = of(func[n]);
		if (hasBase && !again[n])
			r.base += baseTotal[n];
		for (let p = 0; p < 3; p++) {
			if (!again[n])
				r.v[p] += total[p][n];
			r.self[p] += self[p][n];
		}
	}
	rows = [...by.values()];
	for (const r of rows)
		Object.assign(r, { total: sum(r.v), cpu: r.v[0], runnable: r.v[1], blocked: r.v[2],
			selfTotal: sum(r.self) });
}

const valueOf = (r, k) => k === "self" ? r.selfTotal :
	k === "change" ? Math.abs(r.total - r.base) : r[k];

/* The non-empty columns; a single kind equals the total. */
function columnsNow() {
	const some = ["cpu", "runnable", "blocked"].filter((k, p) => path[0].v[p] > 0);
	return COLUMNS.filter(([k]) => ["name", "total", "self"].includes(k) ||
		(hasBase && k === "change") || (some.length > 1 && some.includes(k)));
}

function functionButton(f, chosen) {
	const b = make("button", fn.name[f] || "[unknown]"), dso = data.dsos[fn.dso[f]];

	b.type = "button";
	b.className = "function";
	b.title = (fn.name[f] || "[unknown]") + (dso ? "\n" + dso : "");
	b.setAttribute("aria-pressed", chosen);
	b.onclick = () => chooseFunction(view.function === f ? -1 : f);
	return b;
}

function cells(tr, values, all) {
	for (const v of values) {
		const td = make("td");
		td.className = "n";
		if (v) {
			td.append(make("span", amount(v)), make("i", percent(v, all)));
			td.style.setProperty("--share", (100 * v / all).toFixed(2) + "%");
		}
		tr.append(td);
	}
}

function buildHead(columns) {
	const tr = make("tr");

	for (const [k, title] of columns) {
		const th = make("th"), b = make("button", title);
		b.type = "button";
		b.onclick = () => {
			order = [k, order[0] === k ? -order[1] : k === "name" ? 1 : -1];
			buildFunctions();
		};
		th.scope = "col";
		th.setAttribute("aria-sort", order[0] !== k ? "none" : order[1] < 0 ? "descending" :
			"ascending");
		if (k !== "name")
			th.className = "n";
		th.append(b);
		tr.append(th);
	}
	$("functionhead").textContent = "";
	$("functionhead").append(tr);
}

function buildFunctions() {
	if (rowsOf !== summed) {
		sumFunctions();
		rowsOf = summed;
	}
	const columns = columnsNow(), all = sum(path[0].v), body = $("functionrows");
	const [by, way] = columns.some(([k]) => k === order[0]) ? order : ["total", -1];
	const wantedRows = rows.filter((r) => !found || found[r.f]);

	wantedRows.sort((x, y) => (by === "name" ? rank[x.f] - rank[y.f] :
		valueOf(x, by) - valueOf(y, by)) * way || rank[x.f] - rank[y.f]);
	buildHead(columns);
	body.textContent = "";
	for (const r of wantedRows.slice(0, rowsMost)) {
		const tr = make("tr"), th = make("th");
		th.scope = "row";
		th.append(functionButton(r.f, r.f === view.function));
		th.append(make("small", fn.type[r.f] === KERNEL ? "kernel" : data.dsos[fn.dso[r.f]]));
		tr.append(th);
		const rest = columns.slice(1).map(([k]) => k);
		if (rest[0] === "change") {
			const td = make("td");
			td.className = "n";
			td.append(make("span", changeOf(r.total, r.base)),
				make("i", ratioOf(r.total, r.base)));
			tr.append(td);
			rest.shift();
		}
		cells(tr, rest.map((k) => valueOf(r, k)), all);
		if (r.f === view.function)
			tr.className = "chosen";
		body.append(tr);
	}
	$("morefunctions").hidden = wantedRows.length <= rowsMost;
	text($("morefunctions"), "Show more of " + wantedRows.length.toLocaleString("en"));
	text($("functionsof"), wantedRows.length.toLocaleString("en") +
		(found ? " of " + rows.length.toLocaleString("en") : "") + " functions");
	buildSandwich(all);
}
$("morefunctions").onclick = () => { rowsMost += 10 * PAGE; buildFunctions(); };

/* Callers and callees of a function: pairs of a function and its values. */
function neighbours(f) {
	const callers = new Map(), callees = new Map();
	const add = (map, g, n) => {
		const v = map.get(g) || [0, 0, 0];
		for (let p = 0; p < 3; p++)
			v[p] += total[p][n];
		map.set(g, v);
	};
	/* The same call further out has counted its time already. */
	const nested = (g, n) => {
		for (let at = n; at && parent[at]; at = parent[at])
			if (func[at] === g && func[parent[at]] === f)
				return true;
		return false;
	};

	for (let n = 1; n < nodes; n++) {
		if (!(total[0][n] + total[1][n] + total[2][n]))
			continue;
		if (func[n] === f && !again[n] && parent[n])
			add(callers, func[parent[n]], n);
		if (parent[n] && func[parent[n]] === f && !nested(func[n], parent[n]))
			add(callees, func[n], n);
	}
	const most = (map) => [...map].sort((x, y) => sum(y[1]) - sum(x[1]));
	return [most(callers), most(callees)];
}

function buildSandwich(all) {
	const f = view.function, box = $("sandwich");

	box.hidden = f < 0 || !rows.some((r) => r.f === f);
	if (box.hidden)
		return;
	const row = rows.find((r) => r.f === f), [callers, callees] = neighbours(f);
	const dso = data.dsos[fn.dso[f]].replace(/^\[|\]$/g, "");
	text($("chosenname"), fn.name[f] || "[unknown]");
	text($("chosenfile"), (dso ? dso + ": " : "") + "total " + long(row.total) + " (" +
		percent(row.total, all) + "), self " + long(row.selfTotal) + " (" +
		percent(row.selfTotal, all) + ")");
	for (const [id, list] of [["callers", callers], ["callees", callees]]) {
		$(id).textContent = "";
		for (const [g, v] of list.slice(0, PAGE)) {
			const tr = make("tr"), th = make("th");
			if (fn.type[g] === THREAD)
				th.append(make("span", "thread " + fn.name[g]));
			else
				th.append(functionButton(g, false));
			tr.append(th);
			cells(tr, [sum(v)], row.total);
			$(id).append(tr);
		}
		if (!list.length) {
			const tr = make("tr");
			tr.append(make("td", "none"));
			$(id).append(tr);
		}
	}
}

function chooseFunction(f) {
	view.function = f;
	update(false, true);
	if (!$("sandwich").hidden)
		$("sandwich").scrollIntoView({ block: "nearest" });
}
