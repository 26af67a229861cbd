// SPDX-License-Identifier: GPL-2.0
// An HTTP server under load. usage: node http.js REQUESTS
'use strict';
const http = require('http');
const { fork } = require('child_process');
const [, , what, port] = process.argv;

// Work of some depth, that is compiled once it is hot.
function render(depth) {
	return depth ? { depth, of: [render(depth - 1), render(depth - 1)] } : 'leaf';
}

function serve(requests) {
	const server = http.createServer((request, response) => {
		request.resume();
		setTimeout(() => response.end(JSON.stringify(render(6))), 1);
	});
	server.listen(0, '127.0.0.1', () => {
		fork(__filename, ['load', server.address().port, requests])
			.on('exit', (code) => process.exit(code));
	});
}

// Eight clients, each with one request after the other.
function load(requests) {
	const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
	let begun = 0, done = 0;

	function next() {
		if (begun === requests)
			return;
		begun++;
		http.get({ port, agent, host: '127.0.0.1' }, (response) => {
			response.resume();
			response.on('end', () => {
				if (++done === requests)
					process.exit(0);
				next();
			});
		});
	}
	for (let i = 0; i < 8; i++)
		next();
}

if (what === 'load')
	load(Number(process.argv[4]));
else
	serve(Number(what));
