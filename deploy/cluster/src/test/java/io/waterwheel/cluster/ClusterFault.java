package io.waterwheel.cluster;

import io.waterwheel.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** What is done to a cluster; each leaves it able to go on. */
enum ClusterFault implements InjectedFault {
    /** One worker dies; its Supervisor starts another. */
    KILL_WORKER {
        @Override
        public String strike(RealCluster cluster, Random random) throws Exception {
            RealCluster.Worker victim = any(cluster.workers(), random);
            cluster.killWorker(victim);
            return "of " + cluster.host(victim.pair());
        }
    },
    KILL_ALL_WORKERS {
        @Override
        public String strike(RealCluster cluster, Random random) throws Exception {
            List<RealCluster.Worker> victims = cluster.workers();
            victims.forEach(cluster::killWorker);
            return victims.size() + " workers";
        }
    },
    /** A Supervisor dies, and then a worker that nobody is there to start again. */
    KILL_SUPERVISOR {
        @Override
        public String strike(RealCluster cluster, Random random) throws Exception {
            int pair = 1 + random.nextInt(cluster.pairs());
            cluster.daemon(RealCluster.supervisor(pair)).kill();
            boolean worker = random.nextBoolean();
            if (worker) {
                of(cluster, pair).forEach(cluster::killWorker);
            }
            int away = rest(random, 2_000, 6_000);
            cluster.restart(RealCluster.supervisor(pair));
            return "of " + cluster.host(pair) + (worker ? " and its workers, " : " alone, ") + away + " ms";
        }
    },
    KILL_NIMBUS {
        @Override
        public String strike(RealCluster cluster, Random random) throws Exception {
            return killDaemon(cluster, RealCluster.NIMBUS, random);
        }
    },
    /** A DataNode dies for so long that the NameNode notices, or for less; each chunk has a replica elsewhere. */
    KILL_DATANODE {
        @Override
        public String strike(RealCluster cluster, Random random) throws Exception {
            int pair = 1 + random.nextInt(cluster.pairs());
            cluster.daemon(RealCluster.dataNode(pair)).kill();
            int away = rest(random, 2_000, 25_000);
            cluster.restart(RealCluster.dataNode(pair));
            return cluster.host(pair) + " for " + away + " ms";
        }
    },
    /** A whole host: DataNode, Supervisor, workers. */
    KILL_HOST {
        @Override
        public String strike(RealCluster cluster, Random random) throws Exception {
            int pair = 1 + random.nextInt(cluster.pairs());
            cluster.daemon(RealCluster.supervisor(pair)).kill();
            of(cluster, pair).forEach(cluster::killWorker);
            cluster.daemon(RealCluster.dataNode(pair)).kill();
            int away = rest(random, 2_000, 30_000);
            cluster.restart(RealCluster.dataNode(pair));
            cluster.restart(RealCluster.supervisor(pair));
            return cluster.host(pair) + " for " + away + " ms";
        }
    },
    KILL_KAFKA {
        @Override
        public String strike(RealCluster cluster, Random random) throws Exception {
            return killDaemon(cluster, RealCluster.KAFKA, random);
        }
    },
    KILL_ZOOKEEPER {
        @Override
        public String strike(RealCluster cluster, Random random) throws Exception {
            return killDaemon(cluster, RealCluster.ZOOKEEPER, random);
        }
    },
    KILL_NAMENODE {
        @Override
        public String strike(RealCluster cluster, Random random) throws Exception {
            return killDaemon(cluster, RealCluster.NAMENODE, random);
        }
    },
    /** A worker stands still for longer than its session lasts, and wakes as one whose leases are gone. */
    PAUSE_WORKER {
        @Override
        public String strike(RealCluster cluster, Random random) throws Exception {
            RealCluster.Worker victim = any(cluster.workers(), random);
            cluster.pauseWorker(victim);
            try {
                return "of " + cluster.host(victim.pair()) + " for "
                        + rest(random, SharedCluster.SESSION_MILLIS + 2_000, SharedCluster.SESSION_MILLIS + 6_000)
                        + " ms";
            } finally {
                cluster.resumeWorker(victim);
            }
        }
    },
    /**
     * A host stands still until Storm has put its work elsewhere; then its workers wake, and work beside their
     * successors until their Supervisor, which wakes later, ends them.
     */
    PAUSE_HOST {
        @Override
        public String strike(RealCluster cluster, Random random) throws Exception {
            int pair = any(cluster.workers(), random).pair();
            List<RealCluster.Worker> zombies = of(cluster, pair);
            Set<Long> before =
                    cluster.workers().stream().map(RealCluster.Worker::pid).collect(Collectors.toSet());
            Daemon supervisor = cluster.daemon(RealCluster.supervisor(pair));
            supervisor.pause();
            long begun = System.nanoTime();
            boolean moved;
            try {
                for (RealCluster.Worker zombie : zombies) {
                    cluster.pauseWorker(zombie);
                }
                moved = Waiting.holds(MOVE_PATIENCE, () -> cluster.workers().stream()
                        .anyMatch(worker -> !before.contains(worker.pid())));
                // Its successor is on its way up, or works already.
                rest(random, 2_000, 10_000);
                for (RealCluster.Worker zombie : zombies) {
                    cluster.resumeWorker(zombie);
                }
                rest(random, 1_000, 5_000);
            } finally {
                for (RealCluster.Worker zombie : zombies) {
                    cluster.resumeWorker(zombie);
                }
                supervisor.resume();
            }
            return cluster.host(pair) + " with " + zombies.size() + " workers for "
                    + (System.nanoTime() - begun) / 1_000_000 + " ms, its work " + (moved ? "" : "not ")
                    + "moved meanwhile";
        }
    };

    private static final Duration MOVE_PATIENCE = Duration.ofMinutes(1);

    boolean isKill() {
        return name().startsWith("KILL");
    }

    @Override
    public boolean leavesHistory() {
        return switch (this) {
            case KILL_ZOOKEEPER, KILL_NAMENODE, KILL_ALL_WORKERS -> false;
            default -> true;
        };
    }

    private static RealCluster.Worker any(List<RealCluster.Worker> workers, Random random) {
        if (workers.isEmpty()) {
            throw new IllegalStateException("there is no worker");
        }
        return workers.get(random.nextInt(workers.size()));
    }

    private static List<RealCluster.Worker> of(RealCluster cluster, int pair) throws Exception {
        List<RealCluster.Worker> found = new ArrayList<>(cluster.workers());
        found.removeIf(worker -> worker.pair() != pair);
        return found;
    }

    private static String killDaemon(RealCluster cluster, String name, Random random) throws Exception {
        cluster.daemon(name).kill();
        int away = rest(random, 500, 5_000);
        cluster.restart(name);
        return "back after " + away + " ms and its start";
    }

    /** A fault lasts for a time: this is not a wait for something to happen. */
    static int rest(Random random, int least, int most) throws InterruptedException {
        int millis = least + random.nextInt(most - least + 1);
        TimeUnit.MILLISECONDS.sleep(millis);
        return millis;
    }
}
