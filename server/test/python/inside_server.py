"""What listens in a sandbox, for the tests of ports: answers as its path says, well or badly. `inside_server.py PORT`"""
import base64
import hashlib
import json
import socket
import struct
import sys
import threading
import time
from urllib.parse import parse_qs, urlsplit

PORT = int(sys.argv[1])
counts = {"connections": 0, "open": 0, "left": 0, "silent": 0}
lock = threading.Lock()


def count(name, change):
    with lock:
        counts[name] += change


class Connection:
    def __init__(self, sock):
        self.sock = sock
        self.file = sock.makefile("rb")

    def send(self, *parts):
        self.sock.sendall(b"".join(part.encode("latin1") if isinstance(part, str) else part for part in parts))

    def answer(self, status, headers=(), body=b"", is_head=False):
        lines = [f"HTTP/1.1 {status} OK", *headers, f"Content-Length: {len(body)}", "", ""]
        self.send("\r\n".join(lines), b"" if is_head else body)

    def read_head(self):
        line = self.file.readline()
        if not line:
            return None
        headers = []
        while (header := self.file.readline().decode("latin1").rstrip("\r\n")) != "":
            name, _, value = header.partition(":")
            headers.append([name, value.strip()])
        return line.decode("latin1").split(" ")[:2] + [headers]

    def read_body(self, headers):
        named = {name.lower(): value for name, value in headers}
        if "content-length" in named:
            left = int(named["content-length"])
            while left > 0:
                part = self.file.read(min(left, 1 << 16))
                if not part:
                    raise EOFError
                left -= len(part)
                yield part
        elif named.get("transfer-encoding") == "chunked":
            while (size := int(self.file.readline().split(b";")[0], 16)) > 0:
                yield self.file.read(size)
                self.file.readline()
            self.file.readline()


def echo(c, method, target, headers, body):
    digest, length = hashlib.sha256(), 0
    for part in body:
        digest.update(part)
        length += len(part)
    told = {"method": method, "target": target, "headers": headers, "length": length, "sha256": digest.hexdigest()}
    c.answer(200, ["Content-Type: application/json"], json.dumps(told).encode(), method == "HEAD")


def mirror(c, body):
    """Each part as soon as it has come."""
    c.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    for part in body:
        c.send(f"{len(part):x}\r\n", part, "\r\n")
    c.send("0\r\n\r\n")


def events(c, query):
    c.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    try:
        for number in range(int(query["count"])):
            text = f"data: {number} {time.time()}\n\n"
            c.send(f"{len(text):x}\r\n{text}\r\n")
            time.sleep(float(query.get("delay", "0.1")))
    except OSError:
        count("left", 1)
        raise
    c.send("0\r\n\r\n")


def websocket(c, headers, query):
    named = {name.lower(): value for name, value in headers}
    key = named["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
    c.send(
        f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSet-Cookie: a=b\r\n"
        f"Sec-WebSocket-Accept: {accept}\r\n\r\n"
    )
    if "hello" in query:
        c.send(frame(1, query["hello"].encode()))
    while first := c.file.read(2):
        length = first[1] & 127
        if length == 126:
            (length,) = struct.unpack(">H", c.file.read(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", c.file.read(8))
        mask, data = c.file.read(4), c.file.read(length)
        data = (int.from_bytes(data, "big") ^ int.from_bytes((mask * (length // 4 + 1))[:length], "big")).to_bytes(length, "big")
        c.send(frame(first[0] & 15, data))
        if first[0] & 15 == 8:
            return


def frame(opcode, data):
    length = len(data)
    size = bytes([length]) if length < 126 else b"\x7e" + struct.pack(">H", length) if length < 65536 else b"\x7f" + struct.pack(">Q", length)
    return bytes([128 | opcode]) + size + data


def large(c, query):
    left = int(query["bytes"])
    c.send(f"HTTP/1.1 200 OK\r\nContent-Length: {left}\r\n\r\n")
    block = bytes(1 << 20)
    while left > 0:
        c.send(block[: min(left, len(block))])
        left -= len(block)


def handle(c, method, target, headers):
    url = urlsplit(target)
    query = {name: values[0] for name, values in parse_qs(url.query).items()}
    body = c.read_body(headers)
    path = url.path
    if path == "/mirror":
        return mirror(c, body)
    if path == "/early":
        c.answer(413, ["Connection: close"], b"too much")
        c.sock.shutdown(socket.SHUT_WR)
        while c.sock.recv(65536):
            pass
        return False
    if path == "/websocket":
        websocket(c, headers, query)
        return False
    if path == "/silent":
        count("silent", 1)
        for _ in body:
            pass
        if not c.file.read(1):
            count("left", 1)
        return False
    if path not in ("/counts", "/large", "/events", "/raw", "/stale"):
        return echo(c, method, target, headers, body)
    for _ in body:
        pass
    if path == "/counts":
        return c.answer(200, [], json.dumps(counts).encode())
    if path == "/large":
        return large(c, query)
    if path == "/events":
        return events(c, query)
    # Whatever it is told to, and then closes, with a reset where it is told so.
    c.send(base64.b64decode(query["answer"]))
    time.sleep(float(query.get("wait", "0")))
    if "reset" in query:
        c.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


def serve(sock):
    count("connections", 1)
    count("open", 1)
    c = Connection(sock)
    try:
        while head := c.read_head():
            if handle(c, *head) is False:
                break
    except (OSError, EOFError, ValueError):
        pass
    finally:
        count("open", -1)
        c.file.close()
        sock.close()


listener = socket.create_server(("127.0.0.1", PORT), backlog=512)
while True:
    connection, _ = listener.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    threading.Thread(target=serve, args=(connection,), daemon=True).start()
