package io.waterwheel.embedded.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A file system in memory of a few megabytes, so that a disk can really be full. Needs the right to mount one. */
public final class SmallDisk implements AutoCloseable {
    private final Path folder;

    private SmallDisk(Path folder) {
        this.folder = folder;
    }

    /**
     * Mounts one.
     *
     * @return null, with a word on standard error, where that is not allowed
     */
    public static @Nullable SmallDisk mount(Path folder, int megabytes) throws IOException, InterruptedException {
        return mount(folder, "size=" + megabytes + "m");
    }

    /** The same, of a disk that has place for this number of files only, folders included. */
    public static @Nullable SmallDisk mountForFiles(Path folder, int files) throws IOException, InterruptedException {
        return mount(folder, "nr_inodes=" + files);
    }

    private static @Nullable SmallDisk mount(Path folder, String option) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        try {
            run(List.of("mount", "-t", "tmpfs", "-o", option, "tmpfs", folder.toString()));
            return new SmallDisk(folder);
        } catch (IOException e) {
            System.err.println("SKIPPED: a full disk, because no small one can be mounted here: " + e.getMessage());
            return null;
        }
    }

    public Path folder() {
        return folder;
    }

    /**
     * Mounts a folder over itself, so that files in it can be read and none can be opened for writing. Files that are
     * open are written as before: the system refuses to mount those read-only. Ends when it is closed.
     *
     * @return null, with a word on standard error, where that is not allowed
     */
    public static @Nullable AutoCloseable readOnly(Path folder) throws IOException, InterruptedException {
        String path = folder.toString();
        try {
            run(List.of("mount", "--bind", path, path));
        } catch (IOException e) {
            System.err.println("SKIPPED: a read-only disk, because nothing can be mounted here: " + e.getMessage());
            return null;
        }
        run(List.of("mount", "-o", "remount,bind,ro", path));
        return () -> run(List.of("umount", "-l", path));
    }

    /** Writes a file until there is no room; returns its size. */
    public static long fill(Path file) throws IOException {
        byte[] some = new byte[64 << 10];
        long written = 0;
        try (OutputStream out = Files.newOutputStream(file)) {
            while (true) {
                out.write(some);
                written += some.length;
            }
        } catch (IOException e) {
            if (written == 0 && !String.valueOf(e.getMessage()).contains("space")) {
                throw e;
            }
            return written;
        }
    }

    private static void run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + said);
        }
    }

    @Override
    public void close() throws IOException, InterruptedException {
        run(List.of("umount", "-l", folder.toString()));
    }
}
