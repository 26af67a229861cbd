#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A front of a receiver that fails as it is made to: nginx (tests/lab/nginx), which passes
requests on to another server, or not.

    with faulty.Front(directory, upstream=collector.http) as front:
        front.plan("503", "429:2")      # for the next two requests; then they pass
        # send to front.http
        front.wait(3)
        print([r["status"] for r in front.requests()])

An action of the plan is
  STATUS          an answer with this status (STATUSES); the receiver gets nothing
  STATUS:SECONDS  the same with Retry-After; SECONDS may be any text
  reset           the connection is closed without an answer
  lost            the receiver gets the request, and the sender no answer: the connection is
                  closed
  slow            no answer, and the connection stays
  pass            the receiver answers
and one with "=" before it is for all requests from then on. Each request takes one, also one
that is refused by @limit.

Addresses, all of 127.0.0.1: http; https, with a certificate of the authority in the file ca;
self_signed, expired and wrong_name, with certificates that are not right. They are for that
address, and for 10.0.2.2, which is the same for a guest with --net."""

import json
import os
import signal
import socket
import subprocess
import time

import ports

LAB = os.path.dirname(os.path.abspath(__file__))
STATUSES = 400, 401, 403, 404, 413, 429, 500, 502, 503, 504
HOSTS = "IP:127.0.0.1,IP:10.0.2.2"
TLS = "https", "self_signed", "expired", "wrong_name"
PORTS = "http", *TLS, "inner"

# One process, so that the plan has one reader, which takes the first line. A request whose answer
# is to be lost is passed on to a server that adds to the receiver's answer where nginx is to
# continue: where it closes the connection. A slow one is passed on to a socket that nobody accepts
# connections of.
CONFIGURATION = """\
load_module %(root)s/usr/lib/nginx/modules/ngx_http_perl_module.so;
daemon off;
master_process off;
pid %(dir)s/nginx.pid;
error_log stderr info;
events { worker_connections 256; }
http {
	client_body_temp_path %(dir)s/body;
	client_body_buffer_size 64m;
	client_max_body_size %(limit)s;
	proxy_temp_path %(dir)s/proxy;
	fastcgi_temp_path %(dir)s/none;
	uwsgi_temp_path %(dir)s/none;
	scgi_temp_path %(dir)s/none;
	proxy_read_timeout 1d;
	keepalive_timeout 1d;
	reset_timedout_connection on;
	log_format line escape=json '{"status":$status,"method":"$request_method","uri":"$uri",'
		'"scheme":"$scheme","length":"$content_length","type":"$content_type",'
		'"encoding":"$http_content_encoding","agent":"$http_user_agent",'
		'"authorization":"$http_authorization","connection":$connection}';
	access_log %(dir)s/requests line;

	perl_modules %(root)s/usr/lib/x86_64-linux-gnu/perl5/5.36;
	perl_set $action 'sub {
		open(my $plan, "+<", "%(dir)s/plan") or return "pass";
		my @lines = <$plan>;
		@lines or return "pass";
		chomp(my $first = $lines[0]);
		return substr($first, 1) if $first =~ /^=/;
		shift @lines;
		seek($plan, 0, 0);
		truncate($plan, 0);
		print $plan @lines;
		close($plan);
		return $first;
	}';
	map $action $kind { "~^(?<kind_of>[0-9]+)(:|$)" $kind_of; default $action; }
	map $action $retry { "~^[0-9]+:(?<after>.*)$" $after; default ""; }
	map $action $upstream {
		slow "%(silent)s";
		lost "127.0.0.1:%(inner)d";
		default "%(upstream)s";
	}

	server {
		listen 127.0.0.1:%(inner)d;
		access_log off;
		location / {
			add_header X-Accel-Redirect @closed always;
			proxy_pass http://%(upstream)s;
		}
	}
%(servers)s}
"""

# Of each server.
LOCATIONS = """\
add_header Retry-After $retry always;
location / {
%s	if ($kind = reset) { return 444; }
	proxy_pass http://$upstream;
}
location @closed { return 444; }
"""


def _openssl(*words):
    subprocess.run(["openssl", *words], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.PIPE)


def certificates(directory):
    """The keys NAME.key and certificates NAME.pem for the addresses of TLS, and that of the
    authority, ca.pem."""
    def path(name):
        return os.path.join(directory, name)

    new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    for name in ("ca", "self_signed"):
        _openssl("req", "-x509", *new, "-days", "2", "-subj", "/CN=wallprof test " + name,
                 "-addext", "subjectAltName=" + HOSTS, "-keyout", path(name + ".key"),
                 "-out", path(name + ".pem"))
    for name, days, hosts in (("https", 2, HOSTS), ("expired", -1, HOSTS),
                              ("wrong_name", 2, "IP:192.0.2.1")):
        with open(path(name + ".ext"), "w") as f:
            f.write("subjectAltName=%s\n" % hosts)
        _openssl("req", "-new", *new, "-subj", "/CN=wallprof test " + name,
                 "-keyout", path(name + ".key"), "-out", path(name + ".csr"))
        _openssl("x509", "-req", "-in", path(name + ".csr"), "-CA", path("ca.pem"),
                 "-CAkey", path("ca.key"), "-days", str(days), "-extfile", path(name + ".ext"),
                 "-out", path(name + ".pem"))


class Front:
    """nginx on this machine's loopback, with its files in a directory. @upstream is a URL
    without a path; @limit the largest body that it takes, as nginx spells sizes."""

    def __init__(self, directory, upstream, limit="64m"):
        self.directory, self.process = os.path.abspath(directory), None
        self.upstream, self.limit = upstream.split("://", 1)[1].rstrip("/"), limit
        os.makedirs(self.directory, exist_ok=True)
        self.ca = self.file("ca.pem")
        self.root = subprocess.run([os.path.join(LAB, "nginx")], stdout=subprocess.PIPE,
                                   check=True, text=True).stdout.strip()

    def __enter__(self):
        certificates(self.directory)
        self.silent = socket.socket()
        self.silent.bind(("127.0.0.1", 0))
        self.silent.listen(256)
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        self.silent.close()

    def file(self, name):
        return os.path.join(self.directory, name)

    def plan(self, *actions):
        """What becomes of the next requests, instead of what was planned before."""
        for action in actions:
            kind = action.lstrip("=").split(":")[0]
            if kind not in ("reset", "lost", "slow", "pass", *map(str, STATUSES)):
                raise ValueError("no action is called %s" % action)
        with open(self.file("plan.new"), "w") as f:
            f.write("".join(action + "\n" for action in actions))
        os.rename(self.file("plan.new"), self.file("plan"))

    def planned(self):
        """How many actions of the plan are left."""
        try:
            with open(self.file("plan")) as f:
                return len(f.readlines())
        except FileNotFoundError:
            return 0

    def start(self):
        """Until it accepts connections."""
        def run(taken):
            self.addresses = dict(zip(PORTS, taken))
            with open(self.file("nginx.conf"), "w") as f:
                f.write(self.configuration())
            with open(self.file("nginx.log"), "wb") as log:
                self.process = subprocess.Popen(
                    [self.root + "/usr/sbin/nginx", "-p", self.directory, "-c", "nginx.conf",
                     "-e", "stderr"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            return self.process

        ports.start(run, getattr(self, "addresses", dict.fromkeys(PORTS, 0)).values(),
                    self.said, "event method")
        for name, port in self.addresses.items():
            setattr(self, name, "%s://127.0.0.1:%d" % ("https" if name in TLS else name, port))

    def configuration(self):
        with open(self.file("locations.conf"), "w") as f:
            f.write(LOCATIONS % "".join("\tif ($kind = %d) { return %d; }\n" % (s, s)
                                        for s in STATUSES))
        servers = ""
        for name in ("http", *TLS):
            port = self.addresses[name]
            servers += "\tserver {\n\t\tlisten 127.0.0.1:%d%s;\n" % (
                port, " ssl" if name in TLS else "")
            if name in TLS:
                servers += "\t\tssl_certificate {0}.pem;\n\t\tssl_certificate_key {0}.key;\n" \
                    .format(self.file(name))
            servers += "\t\tinclude %s;\n\t}\n" % self.file("locations.conf")
        return CONFIGURATION % dict(
            root=self.root, dir=self.directory, limit=self.limit, upstream=self.upstream,
            silent="127.0.0.1:%d" % self.silent.getsockname()[1], servers=servers,
            inner=self.addresses["inner"])

    def said(self):
        """Its messages since it was started last."""
        with open(self.file("nginx.log"), errors="replace") as f:
            return f.read()

    def stop(self, number=signal.SIGTERM):
        """Ends it. Returns its exit status; None if it does not run."""
        if not self.process:
            return None
        self.process.send_signal(number)
        status = self.process.wait()
        self.process = None
        return status

    def requests(self, uri=None):
        """The requests that ended, as dicts, in the order in which they did; of one path, or all.
        The status is that of the answer; 444 where there was none, 499 where the sender gave up.
        One that got its answer is there some time later."""
        try:
            with open(self.file("requests")) as f:
                text = f.read()
        except FileNotFoundError:
            return []
        found = [json.loads(line) for line in text.split("\n")[:-1]]
        return [request for request in found if uri in (None, request["uri"])]

    def wait(self, number, uri=None):
        """Until so many requests have ended, of one path, or all."""
        while len(self.requests(uri)) < number:
            if self.process.poll() is not None:
                raise RuntimeError("nginx ended: " + self.said())
            time.sleep(0.05)
