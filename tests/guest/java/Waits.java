// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that wait in known chains of methods. Each prints its name once its methods were
 * called often enough to be compiled. The methods of the chain are so long that none is
 * inlined into its caller.
 */
import java.util.concurrent.locks.LockSupport;

public class Waits {
	static volatile long sink = 1;

	interface Target {
		long go(long ns, int few, double more);
	}

	/* Called so often that they are compiled; three of them, so that calls are virtual. */
	static class First implements Target {
		public long go(long ns, int few, double more) {
			return ns + few;
		}
	}

	static class Second implements Target {
		public long go(long ns, int few, double more) {
			return ns - few;
		}
	}

	static class Third implements Target {
		public long go(long ns, int few, double more) {
			return ns * few;
		}
	}

	/* Called once, from compiled code: it is interpreted, and has more locals than arguments. */
	static class Interpreted implements Target {
		public long go(long ns, int few, double more) {
			long one = ns + 1, two = ns + 2, three = ns + few;

			while (sink != 0) {
				LockSupport.parkNanos(ns);
				one += two;
				two += three;
			}
			return one + two;
		}
	}

	static long call(Target target, long ns, int few, double more) {
		long n = mix(ns);

		n += target.go(ns, few, more);
		n += mix(n) + mix(n + 1) + mix(n + 2) + mix(n + 3) + mix(n + 4) + mix(n + 5);
		return n;
	}

	static long mix(long n) {
		for (int i = 0; i < 3; i++)
			n = n * 31 + (n >>> 7);
		return n;
	}

	static void c(long ns) {
		sink = sink * 3 + (sink >>> 1);
		sink = sink * 5 + (sink >>> 2);
		sink = sink * 7 + (sink >>> 3);
		sink = sink * 9 + (sink >>> 4);
		sink = sink * 11 + (sink >>> 5);
		sink = sink * 13 + (sink >>> 6);
		sink = sink * 15 + (sink >>> 7);
		sink = sink * 17 + (sink >>> 8);
		sink = sink * 19 + (sink >>> 9);
		sink = sink * 21 + (sink >>> 10);
		sink = sink * 23 + (sink >>> 11);
		sink = sink * 25 + (sink >>> 12);
		sink = sink * 27 + (sink >>> 13);
		sink = sink * 29 + (sink >>> 1);
		sink = sink * 31 + (sink >>> 2);
		sink = sink * 33 + (sink >>> 3);
		sink = sink * 35 + (sink >>> 4);
		sink = sink * 37 + (sink >>> 5);
		sink = sink * 39 + (sink >>> 6);
		sink = sink * 41 + (sink >>> 7);
		sink = sink * 43 + (sink >>> 8);
		sink = sink * 45 + (sink >>> 9);
		sink = sink * 47 + (sink >>> 10);
		sink = sink * 49 + (sink >>> 11);
		LockSupport.parkNanos(ns);
		sink++;
	}

	static void b(long ns) {
		sink = sink * 3 + (sink >>> 1);
		sink = sink * 5 + (sink >>> 2);
		sink = sink * 7 + (sink >>> 3);
		sink = sink * 9 + (sink >>> 4);
		sink = sink * 11 + (sink >>> 5);
		sink = sink * 13 + (sink >>> 6);
		sink = sink * 15 + (sink >>> 7);
		sink = sink * 17 + (sink >>> 8);
		sink = sink * 19 + (sink >>> 9);
		sink = sink * 21 + (sink >>> 10);
		sink = sink * 23 + (sink >>> 11);
		sink = sink * 25 + (sink >>> 12);
		sink = sink * 27 + (sink >>> 13);
		sink = sink * 29 + (sink >>> 1);
		sink = sink * 31 + (sink >>> 2);
		sink = sink * 33 + (sink >>> 3);
		sink = sink * 35 + (sink >>> 4);
		sink = sink * 37 + (sink >>> 5);
		sink = sink * 39 + (sink >>> 6);
		sink = sink * 41 + (sink >>> 7);
		sink = sink * 43 + (sink >>> 8);
		sink = sink * 45 + (sink >>> 9);
		sink = sink * 47 + (sink >>> 10);
		sink = sink * 49 + (sink >>> 11);
		c(ns);
		sink++;
	}

	static void a(long ns) {
		sink = sink * 3 + (sink >>> 1);
		sink = sink * 5 + (sink >>> 2);
		sink = sink * 7 + (sink >>> 3);
		sink = sink * 9 + (sink >>> 4);
		sink = sink * 11 + (sink >>> 5);
		sink = sink * 13 + (sink >>> 6);
		sink = sink * 15 + (sink >>> 7);
		sink = sink * 17 + (sink >>> 8);
		sink = sink * 19 + (sink >>> 9);
		sink = sink * 21 + (sink >>> 10);
		sink = sink * 23 + (sink >>> 11);
		sink = sink * 25 + (sink >>> 12);
		sink = sink * 27 + (sink >>> 13);
		sink = sink * 29 + (sink >>> 1);
		sink = sink * 31 + (sink >>> 2);
		sink = sink * 33 + (sink >>> 3);
		sink = sink * 35 + (sink >>> 4);
		sink = sink * 37 + (sink >>> 5);
		sink = sink * 39 + (sink >>> 6);
		sink = sink * 41 + (sink >>> 7);
		sink = sink * 43 + (sink >>> 8);
		sink = sink * 45 + (sink >>> 9);
		sink = sink * 47 + (sink >>> 10);
		sink = sink * 49 + (sink >>> 11);
		b(ns);
		sink++;
	}

	static void ready(String name) {
		System.out.println(name);
		System.out.flush();
	}

	static void chain() {
		for (int i = 0; i < 20000; i++)
			a(1);
		ready("chain");
		while (true)
			a(20000000L);
	}

	static void mixed() {
		Target[] targets = { new First(), new Second(), new Third() };

		for (int i = 0; i < 20000; i++)
			LockSupport.parkNanos(1);
		for (int i = 0; i < 60000; i++)
			sink += call(targets[i % 3], 1, 2, 3) | 1;
		ready("mixed");
		call(new Interpreted(), 20000000L, 2, 3);
	}

	public static void main(String[] args) throws Exception {
		new Thread(Waits::chain, "chain").start();
		new Thread(Waits::mixed, "mixed").start();
		if (args.length == 0)
			Thread.sleep(Long.MAX_VALUE);
		/* With an argument, until its input ends. */
		while (System.in.read() >= 0)
			;
		System.exit(0);
	}
}
