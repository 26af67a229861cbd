// SPDX-License-Identifier: GPL-2.0
// An HTTP server and its client: what the oracle looks at in node.
"use strict";
const http = require("http");

function fibonacci(n) {
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

const server = http.createServer((request, response) => {
	response.end(JSON.stringify({ answer: fibonacci(18), list: [1, 2, 3] }));
});

function ask() {
	http.get({ port: server.address().port }, (response) => {
		response.on("data", () => {});
		response.on("end", ask);
	});
}

server.listen(0, "127.0.0.1", ask);
