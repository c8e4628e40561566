"""A small chat service on this machine, with models that answer and a judge that compares."""

import hashlib
import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

STRENGTHS = {"large-1": 9, "medium-1": 6, "small-1": 4, "tiny-1": 2}
KEY = "a key of nobody"


def digest(*words):
    """A number from 0 to 9 that depends on the words alone."""
    return hashlib.sha256(json.dumps(words).encode()).digest()[0] % 10


class ChatHandler(BaseHTTPRequestHandler):
    """Answers chat completions; every seventh request is refused, as by a busy service."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        service = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with service.lock:
            service.requests.append(body)
            is_busy = len(service.requests) % 7 == 0
        if self.headers["Authorization"] != f"Bearer {KEY}" or self.path != "/chat/completions":
            return self.reply(401, {"error": "unknown key or path"})
        if is_busy:
            return self.reply(429, {"error": "too many requests"}, ("Retry-After", "1"))
        prompt = body["messages"][0]["content"]
        text = self.verdict(prompt) if body["model"] == "judge-1" else self.answer(body, prompt)
        usage = {"prompt_tokens": len(prompt.split()), "completion_tokens": len(text.split())}
        return self.reply(200, {"choices": [{"message": {"content": text}}], "usage": usage})

    def answer(self, body, prompt):
        quality = STRENGTHS[body["model"]] + digest(body["model"], prompt) % 4
        return f"an answer of quality {quality} by {body['model']}"

    def verdict(self, prompt):
        """The better answer; with equal ones, the judge prefers the first."""
        one, two = map(int, re.findall(r"of quality (\d+)", prompt))
        return "A" if one >= two else "B"

    def reply(self, status, value, *headers):
        content = json.dumps(value).encode()
        self.send_response(status)
        for name, text in [("Content-Length", str(len(content))), *headers]:
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Print nothing."""


@contextmanager
def judge_service():
    """The service while it is running; its `address` and the `requests` it got."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), ChatHandler)
    server.daemon_threads = True
    server.lock, server.requests = threading.Lock(), []
    server.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
