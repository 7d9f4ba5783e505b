#!/usr/bin/env python3
# What raddle asks of `hq`, answered as HyperQueue 0.26 does: server, workers and jobs, kept in files of the server's folder. Each worker
# runs one task after the other. HQ_TEST_PROGRAM names what runs in place of raddle; HQ_TEST_LOST a file: as long as it is
# there, a server ends with its eighth request, and the file goes.

import json
import os
import signal
import subprocess
import sys
import time
import tomllib


def ended(*_):
    sys.exit(0)


def fail(why):
    print(json.dumps({"error": why}))
    sys.exit(1)


def load(name, default):
    try:
        with open(f"{folder}/{name}") as file:
            return json.load(file)
    except FileNotFoundError:
        return default


def store(name, content):
    with open(f"{folder}/{name}.{os.getpid()}", "w") as file:
        json.dump(content, file)
    os.replace(f"{folder}/{name}.{os.getpid()}", f"{folder}/{name}")


def is_alive(process):
    return process is not None and os.path.exists(f"/proc/{process}")


def tasks_of(job):
    """The names of a job's tasks."""
    return sorted(name for name in os.listdir(folder) if name.startswith(f"task-{job}-") and name.count(".") == 0)


def server():
    store("server", os.getpid())
    while True:
        time.sleep(0.05)


def worker():
    # A server that is gone takes its workers along.
    here, child = f"worker-{os.getpid()}", None
    store(here, 1)
    while is_alive(load("server", None)):
        waiting = [name for name in os.listdir(folder) if name.startswith("task-") and name.endswith(".waiting")]
        for name in sorted(waiting):
            task = name.removesuffix(".waiting")
            try:
                os.rename(f"{folder}/{name}", f"{folder}/{task}.running-{os.getpid()}")
            except FileNotFoundError:
                continue
            content = load(task, None)
            command = content["command"]
            if program := os.environ.get("HQ_TEST_PROGRAM"):
                command = [program, *command[1:]]
            with open(content["stderr"], "wb") as errors:
                child = subprocess.Popen(command, cwd=content["cwd"], stdout=subprocess.DEVNULL, stderr=errors)
                while child.poll() is None:
                    if not is_alive(load("server", None)):
                        child.kill()
                        sys.exit(0)
                    time.sleep(0.02)
            content["state"] = "finished" if child.returncode == 0 else "failed"
            if child.returncode != 0:
                content["error"] = f"Program terminated with exit code {child.returncode}."
            store(task, content)
            break
        time.sleep(0.02)


def submit(path):
    with open(path, "rb") as file:
        job = tomllib.load(file)
    number = load("last", 0) + 1
    store("last", number)
    for task in job["task"]:
        unknown = set(task) - {"id", "command", "cwd", "stdout", "stderr"}
        if unknown or not isinstance(task["stderr"], str):
            fail(f"Deserialization error: {unknown}")
        name = f"task-{number}-{task['id']}"
        store(name, {"state": "waiting", **task})
        open(f"{folder}/{name}.waiting", "w").close()
    print(json.dumps({"id": number}))


def listed(jobs):
    answer = {}
    for job in jobs.split(","):
        contents = [load(name, None) for name in tasks_of(job)]
        if contents:
            known = ("id", "state", "error")
            answer[job] = [{key: content[key] for key in known if key in content} for content in contents]
    print(json.dumps(answer))


arguments = [word for word in sys.argv[1:] if word not in ("--output-mode", "json")]
if arguments == ["--version"]:
    print("hyperqueue 0.27.0")
    sys.exit(0)
folder = os.environ.get("HQ_SERVER_DIR")
if arguments[0] == "--server-dir":
    folder, arguments = arguments[1], arguments[2:]
if not folder or not os.path.isdir(folder):
    fail('Invalid server directory\n\nCaused by:\n    Error: it is not a directory\n\nStack backtrace:\n   0: x')
signal.signal(signal.SIGTERM, ended)
match arguments:
    case ["server", "start"]:
        server()
    case ["worker", "start", "--cpus", "1"]:
        worker()
asked = load("asked", 0) + 1
store("asked", asked)
lost = os.environ.get("HQ_TEST_LOST")
if lost and asked == 8 and os.path.exists(lost):
    os.remove(lost)
    os.kill(load("server", None), signal.SIGKILL)
    time.sleep(0.2)
if not is_alive(load("server", None)):
    fail("No running instance of HQ found")
match arguments:
    case ["server", "info"]:
        print(json.dumps({"version": "0.27.0"}))
    case ["worker", "list"]:
        workers = [name for name in os.listdir(folder) if name.startswith("worker-") and name.count(".") == 0]
        cpus = {"name": "cpus", "kind": "range", "start": 0, "end": 0}
        one = {"configuration": {"resources": {"resources": [cpus]}}}
        print(json.dumps([one for name in workers if is_alive(name.removeprefix("worker-"))]))
    case ["job", "submit-file", path]:
        submit(path)
    case ["task", "list", jobs]:
        listed(jobs)
    case ["job", "forget" | "cancel", jobs]:
        for name in [name for job in jobs.split(",") for name in tasks_of(job)]:
            for file in (name, f"{name}.waiting"):
                if os.path.exists(f"{folder}/{file}"):
                    os.remove(f"{folder}/{file}")
        print("{}")
    case _:
        fail(f"unknown: {arguments}")
