"""Clusters of Ray on this machine, also on a busy one."""

TRIES = 10
LATE = "timed out during startup"


def add_node(cluster, n_cpus):
    """A further node, which is a process of its own."""
    return patiently(lambda: cluster.add_node(num_cpus=n_cpus))


def raylet(node):
    """The process of a node from which its workers descend."""
    (started,) = node.all_processes["raylet"]
    return started.process.pid


def patiently(start, tries=TRIES):
    """Start a node, again if that took longer than the 30 seconds that Ray allows it."""
    for _ in range(tries - 1):
        try:
            return start()
        except Exception as error:
            if LATE not in str(error):
                raise
    return start()


def small_cluster(n_cpus, **head):
    """A cluster of one node; nodes can be added."""
    from ray.cluster_utils import Cluster

    head = {"num_cpus": n_cpus, "include_dashboard": False, **head}
    return patiently(lambda: Cluster(initialize_head=True, head_node_args=head))
