# A server of HyperQueue's, or a worker of one, in a process of its own, by the Python package, which else has both in one. Arguments: `server`
# and its folder; or `worker`, the folder of the server, and a folder for itself. Says when it is there, and ends with its standard input.

import os
import sys

# The package prints on standard output.
said = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

from hyperqueue.cluster import LocalCluster, WorkerConfig

CURRENT = "hq-current"

what, server = sys.argv[1:3]
if what == "server":
    cluster = LocalCluster(server)
else:
    # A worker looks for its server in the folder of the one of its own process: that one has nothing to do.
    own = sys.argv[3]
    cluster = LocalCluster(own)
    current = os.path.join(own, CURRENT)
    os.remove(current)
    os.symlink(os.path.realpath(os.path.join(server, CURRENT)), current)
    cluster.start_worker(WorkerConfig(cores=1))
print("there", file=said, flush=True)
sys.stdin.read()
