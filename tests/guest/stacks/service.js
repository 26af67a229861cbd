// SPDX-License-Identifier: GPL-2.0
// A service in JavaScript under load: HTTP over loopback, a file that threads of the pool
// read, and a worker thread behind a queue of messages.
//
// usage: service.js serve          prints its port; runs until it is killed
//        service.js load PORT N    eight clients, which send N requests together
'use strict';
const fs = require('fs');
const http = require('http');
const { Worker, isMainThread, parentPort } = require('worker_threads');
const [, , what, port, requests] = process.argv;

function render(depth) {
	return depth ? { depth, of: [render(depth - 1), render(depth - 1)] } : 'leaf';
}

function serve() {
	const worker = new Worker(__filename);
	const waiting = new Map();
	let number = 0;

	function answer(response, text) {
		response.setHeader('Content-Length', Buffer.byteLength(text));
		response.end(text);
	}

	function readDone(response, error, data) {
		const id = number++;

		if (error)
			throw error;
		waiting.set(id, response);
		worker.postMessage({ id, length: data.length });
	}

	worker.on('message', ({ id, text }) => {
		answer(waiting.get(id), text);
		waiting.delete(id);
	});
	const server = http.createServer((request, response) => {
		request.resume();
		fs.readFile(__filename, (error, data) => readDone(response, error, data));
	});
	server.listen(0, '127.0.0.1', () => console.log(server.address().port));
}

function work() {
	parentPort.on('message', ({ id, length }) => {
		parentPort.postMessage({ id, text: JSON.stringify({ length, tree: render(6) }) });
	});
}

function load() {
	const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
	let begun = 0, done = 0;

	function next() {
		if (begun === Number(requests))
			return;
		begun++;
		http.get({ port, agent, host: '127.0.0.1' }, (response) => {
			response.resume();
			response.on('end', () => {
				if (++done === Number(requests))
					process.exit(0);
				next();
			});
		});
	}
	for (let i = 0; i < 8; i++)
		next();
}

if (!isMainThread)
	work();
else if (what === 'serve')
	serve();
else
	load();
