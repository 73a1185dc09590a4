#!/usr/bin/env python3
"""A class at work: so many clients ask `warptree serve` to compile different texts, at a steady rate, and ask again where they
are refused or cut off. Prints how long answers took and how many never came.

usage: bench/serve_load.py [--clients 200] [--rate 50] [--seconds 600] [--restart] [--hostile] [BINARY]
"""
import argparse
import http.client
import json
import random
import re
import signal
import subprocess
import threading
import time

TEXT = """// of client {client}, version {version}
template <unsigned BLOCK> __global__ void reduce(const float* in, float* out, unsigned n) {{
    __shared__ float partial[BLOCK];
    const unsigned t = threadIdx.x, i = blockIdx.x * BLOCK * 2 + t;
    partial[t] = (i < n ? in[i] : 0) + (i + BLOCK < n ? in[i + BLOCK] : 0) + {version}.{client}f;
    __syncthreads();
    for (unsigned s = BLOCK / 2; s > 0; s >>= 1) {{
        if (t < s) partial[t] += partial[t + s];
        __syncthreads();
    }}
    if (t == 0) atomicAdd(out, partial[0]);
}}
template __global__ void reduce<{block}>(const float*, float*, unsigned);
"""
SLOW = ("template <int D, int I> struct B {{ B<D - 1, I * 2> l; B<D - 1, I * 2 + 1> r; }};\n"
        "template <int I> struct B<0, I> {{ int x; }};\n__global__ void k(int* a) {{ a[0] = sizeof(B<26, {}>); }}")


def start(binary, port):
    process = subprocess.Popen([binary, "serve", "--quiet", "--listen", f"127.0.0.1:{port}"], stdout=subprocess.PIPE, text=True)
    return process, int(re.search(r":(\d+)/", process.stdout.readline()).group(1))


def ask(port, text, client):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("POST", "/compile", json.dumps({"text": text, "name": "mine.cu"}),
                           {"X-Warptree-Client": client, "Accept": "application/octet-stream"})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", nargs="?", default="build/release/bin/warptree")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--rate", type=float, default=50)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--restart", action="store_true", help="another server takes over at half time")
    parser.add_argument("--hostile", action="store_true", help="one client asks for slow texts all the time")
    a = parser.parse_args()
    server, port = start(a.binary, 0)
    times, lost, again, lock = [], [], [0], threading.Lock()
    begin, end = time.monotonic() + 1, time.monotonic() + 1 + a.seconds

    def work(client):
        due = begin + random.random() * a.clients / a.rate
        version = 0
        while due < end:
            time.sleep(max(0, due - time.monotonic()))
            version += 1
            text = TEXT.format(client=client, version=version, block=random.choice((64, 128, 256)))
            began, status = time.monotonic(), 0
            for attempt in range(20):
                try:
                    status, body = ask(port, text, f"student-{client}")
                except (OSError, http.client.HTTPException):
                    status = 0
                if status == 200:
                    break
                again[0] += 1
                time.sleep(0.1 * (attempt + 1))
            with lock:
                times.append(time.monotonic() - began)
                if status != 200:
                    lost.append((client, version, status))
            due += a.clients / a.rate

    def harm():
        number = 0
        while time.monotonic() < end:
            number += 1
            try:
                ask(port, SLOW.format(number), "hostile")
            except (OSError, http.client.HTTPException):
                time.sleep(0.1)

    threads = [threading.Thread(target=work, args=(client,)) for client in range(a.clients)]
    threads += [threading.Thread(target=harm, daemon=True) for _ in range(8 if a.hostile else 0)]
    for thread in threads:
        thread.start()
    if a.restart:
        time.sleep(a.seconds / 2)
        old, (server, _) = server, start(a.binary, port)
        old.send_signal(signal.SIGTERM)
        print("the first server ended with", old.wait())
    for thread in threads[:a.clients]:
        thread.join()
    times.sort()
    peak = [line for line in open(f"/proc/{server.pid}/status") if line.startswith("VmHWM")]
    server.terminate()
    server.wait()
    at = lambda share: 1e3 * times[min(len(times) - 1, int(share * len(times)))]
    print(f"{len(times)} compiles in {a.seconds:.0f} s, {len(times) / a.seconds:.1f} a second; ms: median {at(0.5):.0f}, "
          f"p95 {at(0.95):.0f}, p99 {at(0.99):.0f}, most {at(1):.0f}; asked again {again[0]}, lost {len(lost)}; "
          f"server {peak[0].split()[1] if peak else '?'} KB at most")


if __name__ == "__main__":
    main()
