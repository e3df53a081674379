package io.waterwheel.embedded.faults;

import io.waterwheel.embedded.LiveFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** What is done to an installation; each leaves it able to go on. */
enum Fault {
    /** The server dies; it is started again. */
    KILL_SERVER {
        @Override
        String strike(Installation installation, Random random) throws Exception {
            return kill(installation, Installation.Part.SERVER, random);
        }
    },
    /** The broker dies with what it has not answered yet. */
    KILL_KAFKA {
        @Override
        String strike(Installation installation, Random random) throws Exception {
            return kill(installation, Installation.Part.KAFKA, random);
        }
    },
    KILL_ZOOKEEPER {
        @Override
        String strike(Installation installation, Random random) throws Exception {
            return kill(installation, Installation.Part.ZOOKEEPER, random);
        }
    },
    /** All at once, as when the power fails. */
    KILL_ALL {
        @Override
        String strike(Installation installation, Random random) throws Exception {
            for (Installation.Part part : installation.parts()) {
                installation.part(part).kill();
            }
            installation.startAll();
            return "all";
        }
    },
    /** The broker stands still; requests to it run into their time-outs. */
    PAUSE_KAFKA {
        @Override
        String strike(Installation installation, Random random) throws Exception {
            return pause(installation, Installation.Part.KAFKA, 1_000 + random.nextInt(9_000));
        }
    },
    /** ZooKeeper stands still for longer than a session lasts: all sessions are expired when it wakes. */
    EXPIRE_SESSIONS {
        @Override
        String strike(Installation installation, Random random) throws Exception {
            return pause(installation, Installation.Part.ZOOKEEPER, SESSION_MILLIS + 2_000 + random.nextInt(3_000));
        }
    },
    /** The server stands still for longer than its session lasts, and wakes as one whose leases are gone. */
    PAUSE_SERVER {
        @Override
        String strike(Installation installation, Random random) throws Exception {
            return pause(installation, Installation.Part.SERVER, 500 + random.nextInt(SESSION_MILLIS + 5_000));
        }
    },
    /** The chunks' disk has no room for a while; only where it is one that can be filled. */
    FILL_DISK {
        @Override
        String strike(Installation installation, Random random) throws Exception {
            Path filler = installation.chunks().resolve("filler");
            long written = SmallDisk.fill(filler);
            rest(1_000 + random.nextInt(4_000));
            Files.delete(filler);
            return written + " bytes";
        }
    },
    /** A chunk file cannot be read for a while: what lies there is a folder. */
    UNREADABLE_CHUNK {
        @Override
        String strike(Installation installation, Random random) throws Exception {
            Path chunk = anyChunk(installation, random);
            if (chunk == null) {
                return "none there";
            }
            Path away = chunk.resolveSibling(chunk.getFileName() + ".away");
            Files.move(chunk, away);
            Files.createDirectory(chunk);
            rest(500 + random.nextInt(1_500));
            Files.delete(chunk);
            Files.move(away, chunk);
            return chunk.getFileName().toString();
        }
    },
    /** A bit of a chunk file is wrong for a while. */
    FLIPPED_BIT {
        @Override
        String strike(Installation installation, Random random) throws Exception {
            Path chunk = anyChunk(installation, random);
            if (chunk == null) {
                return "none there";
            }
            byte[] right = Files.readAllBytes(chunk);
            byte[] wrong = right.clone();
            int at = random.nextInt(wrong.length);
            wrong[at] ^= (byte) (1 << random.nextInt(8));
            Files.write(chunk, wrong);
            rest(500 + random.nextInt(1_500));
            Files.write(chunk, right);
            return chunk.getFileName() + " at " + at;
        }
    };

    /** The server's {@code zookeeper.session-timeout}. */
    static final int SESSION_MILLIS = 4_000;

    /**
     * Strikes, and mends what it did: returns when all processes are up again.
     *
     * @return what exactly, for the trace
     */
    abstract String strike(Installation installation, Random random) throws Exception;

    /** Whether this can be done where these parts are processes of their own, and the disk is small or not. */
    boolean fits(List<Installation.Part> parts, boolean smallDisk) {
        return switch (this) {
            case KILL_SERVER, PAUSE_SERVER, UNREADABLE_CHUNK, FLIPPED_BIT -> true;
            case KILL_KAFKA, PAUSE_KAFKA -> parts.contains(Installation.Part.KAFKA);
            case KILL_ZOOKEEPER, EXPIRE_SESSIONS -> parts.contains(Installation.Part.ZOOKEEPER);
            case KILL_ALL -> parts.size() > 1;
            case FILL_DISK -> smallDisk;
        };
    }

    boolean isKill() {
        return name().startsWith("KILL");
    }

    private static String kill(Installation installation, Installation.Part part, Random random) throws Exception {
        installation.part(part).kill();
        int away = random.nextInt(1_500);
        rest(away);
        installation.start(part);
        return "back after " + away + " ms and its start";
    }

    private static String pause(Installation installation, Installation.Part part, int millis) throws Exception {
        installation.part(part).pause();
        rest(millis);
        installation.part(part).wake();
        return "for " + millis + " ms";
    }

    /** A fault lasts for a time: this is not a wait for something to happen. */
    private static void rest(int millis) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(millis);
    }

    private static @org.jspecify.annotations.Nullable Path anyChunk(Installation installation, Random random)
            throws IOException {
        List<Path> chunks = LiveFiles.chunks(installation.chunks());
        return chunks.isEmpty() ? null : chunks.get(random.nextInt(chunks.size()));
    }
}
