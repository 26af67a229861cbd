// SPDX-License-Identifier: GPL-2.0
// Waits in a function, 10 ms each, 300 times. Then node writes the rest of its file.
'use strict';

const shared = new Int32Array(new SharedArrayBuffer(4));

function jsWaits() {
	Atomics.wait(shared, 0, 0, 10);
}

for (let i = 0; i < 300; i++)
	jsWaits();
