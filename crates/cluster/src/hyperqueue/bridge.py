# Speaks to HyperQueue by its Python package: a request on a line of standard input, an answer on one of standard output, both
# JSON. Arguments: `own`, the folder for the server, how many workers; or `at`, the folder of a server that runs, or empty for the
# usual one. Ends with its standard input, and what it started with it.

import json
import os
import sys

# The package prints on standard output.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def answer(**fields):
    answers.write(json.dumps(fields) + "\n")
    answers.flush()


class Looked(Exception):
    """Ends a call that waits."""


class Bridge:
    def __init__(self, mode, folder, workers):
        self.cluster = None
        self.cores = None
        if mode == "own":
            self.cluster = LocalCluster(folder)
            for _ in range(workers):
                self.cluster.start_worker(WorkerConfig(cores=1))
            self.cores = workers
            folder = self.cluster.cluster.server_dir
        self.client = Client(folder or None)
        # The engine's jobs, one for each task, and what they are called here.
        self.jobs = {}

    def submit(self, tasks):
        for task in tasks:
            job = Job(name="raddle", max_fails=None)
            job.program(
                task["command"],
                cwd="/",
                stdout=None,
                stderr=task["errors"],
            )
            self.jobs[self.client.submit(job).id] = task["number"]
        return {}

    def follow(self, _):
        ended = []
        over = [job for job, state in self.look().items() if state["completed"]]
        failed = self.client.connection.get_failed_tasks(over) if over else {}
        for job in over:
            why = [context.error for context in failed.get(job, {}).values()]
            ended.append([self.jobs.pop(job), why[0] if why else None])
            self.client.connection.forget_job(job)
        return {"ended": ended, "cores": self.cores}

    def look(self):
        """The states of all jobs, now."""
        states = {}

        def note(now):
            states.update(now)
            raise Looked

        if self.jobs:
            try:
                self.client.connection.wait_for_jobs(list(self.jobs), note)
            except Looked:
                pass
        return states


def main():
    mode, folder, workers = sys.argv[1], sys.argv[2], int(sys.argv[3])
    bridge = Bridge(mode, folder, workers)
    answer(version=str(hyperqueue.get_version()))
    for line in sys.stdin:
        ((name, argument),) = json.loads(line).items()
        answer(**getattr(bridge, name)(argument))
    if bridge.cluster:
        bridge.cluster.stop()


try:
    import hyperqueue
except ModuleNotFoundError as error:
    answer(missing=str(error))
    sys.exit(1)
except Exception as error:
    answer(unfit=f"cannot be loaded: {error}")
    sys.exit(1)
try:
    from hyperqueue import Client, Job
    from hyperqueue.cluster import LocalCluster, WorkerConfig
except Exception as error:
    answer(unfit=f"is of version {hyperqueue.get_version()}, which raddle cannot speak to: {error}")
    sys.exit(1)
try:
    main()
except Exception as error:
    answer(error=f"{error}")
    sys.exit(1)
