// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that wait in classes whose loaders are dropped, one after the other: what they leave
 * is unloaded, and the next class, of the same shape, can have each of its structures at the
 * same addresses. A thread has the name of its class. Begins when its input has ended; each round
 * ends with a class that stays for some seconds.
 *
 * usage: Unloads DIR CLASSES ROUNDS    DIR has the classes, Wa, Wb...; so many loaders a round
 */
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

public class Unloads {
	static class Loader extends ClassLoader {
		final Path dir;

		Loader(Path dir) {
			this.dir = dir;
		}

		@Override
		protected Class<?> findClass(String name) throws ClassNotFoundException {
			try {
				byte[] bytes = Files.readAllBytes(dir.resolve(name + ".class"));

				return defineClass(name, bytes, 0, bytes.length);
			} catch (java.io.IOException e) {
				throw new ClassNotFoundException(name, e);
			}
		}
	}

	/* Runs a class in a loader of its own, for so many times 2 ms. */
	static void one(Path dir, int i, int times) throws Exception {
		String name = "W" + (char) ('a' + i % 4);
		Runnable work = (Runnable) new Loader(dir).loadClass(name)
			.getConstructor(int.class).newInstance(times);
		Thread thread = new Thread(work, name);

		thread.start();
		thread.join();
	}

	public static void main(String[] args) throws Exception {
		Path dir = Paths.get(args[0]);
		int classes = Integer.parseInt(args[1]), rounds = Integer.parseInt(args[2]), n = 0;

		while (System.in.read() >= 0)
			;
		for (int round = 0; round < rounds; round++) {
			for (int i = 0; i < classes; i++) {
				one(dir, n++, 4);
				System.gc();
			}
			one(dir, n++, 3000);
			System.gc();
		}
	}
}
