// SPDX-License-Identifier: GPL-2.0
/*
 * A class of which in-guest makes some that have other names only, for Unloads.java.
 */
import java.util.concurrent.locks.LockSupport;

public class Work implements Runnable {
	final int times;

	public Work(int times) {
		this.times = times;
	}

	static void go(int times) {
		for (int i = 0; i < times; i++)
			LockSupport.parkNanos(2000000);
	}

	public void run() {
		go(times);
	}
}
