// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that wait in classes that an agent redefines, one after the other: the methods before
 * are freed, and the next class, of the same shape and loader, can have each of its methods at
 * the same addresses. No class is unloaded. A thread has the name of its class. Begins when its
 * input has ended; each round ends with a class that stays for some seconds. Its own agent.
 *
 * usage: java -jar JAR DIR CLASSES ROUNDS    DIR has the classes, Wa to Wd; so many redefined a round
 */
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

public class Redefines {
	static Instrumentation tools;

	public static void agentmain(String args, Instrumentation given) {
		tools = given;
	}

	static class Loader extends ClassLoader {
		final Path dir;

		Loader(Path dir) {
			this.dir = dir;
		}

		byte[] bytes(String name) throws Exception {
			return Files.readAllBytes(dir.resolve(name + ".class"));
		}

		@Override
		protected Class<?> findClass(String name) throws ClassNotFoundException {
			try {
				byte[] bytes = bytes(name);

				return defineClass(name, bytes, 0, bytes.length);
			} catch (Exception e) {
				throw new ClassNotFoundException(name, e);
			}
		}
	}

	/* Redefines a class as it is, and runs it for so many times 2 ms. */
	static void one(Loader loader, int i, int times) throws Exception {
		String name = "W" + (char) ('a' + i % 4);
		Class<?> type = loader.loadClass(name);
		Runnable work = (Runnable) type.getConstructor(int.class).newInstance(times);

		tools.redefineClasses(new ClassDefinition(type, loader.bytes(name)));
		Thread thread = new Thread(work, name);

		thread.start();
		thread.join();
	}

	public static void main(String[] args) throws Exception {
		Loader loader = new Loader(Paths.get(args[0]));
		int classes = Integer.parseInt(args[1]), rounds = Integer.parseInt(args[2]), n = 0;

		while (System.in.read() >= 0)
			;
		for (int round = 0; round < rounds; round++) {
			for (int i = 0; i < classes; i++) {
				one(loader, n++, 4);
				System.gc();
			}
			one(loader, n++, 3000);
			System.gc();
		}
	}
}
