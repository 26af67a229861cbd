// SPDX-License-Identifier: GPL-2.0
/*
 * A service in Java under load: HTTP over loopback, a pool of threads for requests, a queue
 * with workers, and a lock.
 *
 * usage: Service serve          prints its port; runs until it is killed
 *        Service load PORT N    eight clients, which send N requests together
 */
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;

public class Service {
	static final int CLIENTS = 8, HANDLERS = 8, WORKERS = 3;
	static final BlockingQueue<Job> jobs = new LinkedBlockingQueue<>();
	static final ReentrantLock lock = new ReentrantLock();
	static final Map<String, Integer> seen = new HashMap<>();

	static class Job {
		final String path;
		final CompletableFuture<String> answer = new CompletableFuture<>();

		Job(String path) {
			this.path = path;
		}

		void work() {
			int times;

			lock.lock();
			try {
				times = seen.merge(path, 1, Integer::sum);
			} finally {
				lock.unlock();
			}
			StringBuilder text = new StringBuilder("{\"times\": " + times + ", \"tree\": ");
			render(text, 8);
			answer.complete(text.append("}\n").toString());
		}
	}

	static void render(StringBuilder text, int depth) {
		if (depth == 0) {
			text.append("\"leaf\"");
			return;
		}
		text.append("{\"depth\": ").append(depth).append(", \"of\": [");
		render(text, depth - 1);
		text.append(", ");
		render(text, depth - 1);
		text.append("]}");
	}

	static void worker() {
		try {
			while (true)
				jobs.take().work();
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	static void handle(HttpExchange exchange) throws IOException {
		Job job = new Job(exchange.getRequestURI().getPath());

		jobs.add(job);
		byte[] answer = job.answer.join().getBytes(StandardCharsets.UTF_8);
		exchange.sendResponseHeaders(200, answer.length);
		try (OutputStream body = exchange.getResponseBody()) {
			body.write(answer);
		}
	}

	/* Without the property, an answer waits for the client's delayed acknowledgment. */
	static void serve() throws IOException {
		System.setProperty("sun.net.httpserver.nodelay", "true");
		HttpServer server = HttpServer.create(
			new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);

		for (int i = 0; i < WORKERS; i++)
			new Thread(Service::worker, "worker").start();
		server.createContext("/", Service::handle);
		server.setExecutor(Executors.newFixedThreadPool(HANDLERS));
		server.start();
		System.out.println(server.getAddress().getPort());
	}

	/* A line without its end; the empty one ends the head of an answer. */
	static String line(InputStream in) throws IOException {
		StringBuilder text = new StringBuilder();
		int c;

		while ((c = in.read()) != '\n') {
			if (c < 0)
				throw new IllegalStateException("the connection has ended");
			if (c != '\r')
				text.append((char) c);
		}
		return text.toString();
	}

	/* Requests of one connection. */
	static void client(int port, int requests) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			InputStream in = new BufferedInputStream(socket.getInputStream());

			for (int i = 0; i < requests; i++) {
				String request = "GET /" + i % 10 + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
				int length = -1;
				String line;

				socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
				while (!(line = line(in)).isEmpty())
					if (line.toLowerCase().startsWith("content-length:"))
						length = Integer.parseInt(line.substring(15).trim());
				byte[] answer = in.readNBytes(length);
				if (answer.length != length || answer[length - 1] != '\n')
					throw new IllegalStateException("a short answer");
			}
		} catch (IOException e) {
			throw new IllegalStateException(e);
		}
	}

	static void load(int port, int requests) throws InterruptedException {
		Thread[] threads = new Thread[CLIENTS];

		for (int i = 0; i < CLIENTS; i++) {
			threads[i] = new Thread(() -> client(port, requests / CLIENTS));
			threads[i].start();
		}
		for (Thread thread : threads)
			thread.join();
	}

	public static void main(String[] args) throws Exception {
		if (args[0].equals("serve"))
			serve();
		else
			load(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
	}
}
