package io.waterwheel.embedded.server;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** Keeps what a server's process writes besides its data, its log and temporary files, in its data folder. */
public final class ServerFolder {
    private ServerFolder() {}

    /**
     * Sends the process's log to {@code logs} of the data folder, unless it was started with a log configuration of its
     * own. What was logged before went where a command's log goes.
     *
     * @return the log file
     */
    public static Path settleLog(Path dataFolder) {
        Path folder = dataFolder.toAbsolutePath().normalize();
        Path logs = folder.resolve("logs");
        System.setProperty("waterwheel.log.folder", logs.toString());
        LogSettings.change("log4j2-server.xml");
        return logs.resolve("waterwheel.log");
    }

    /**
     * Sends the process's temporary files to {@code tmp} of the data folder, which is emptied: one that is killed
     * leaves its own behind. To be called by the one process that has the folder.
     */
    public static void settleTemporary(Path dataFolder) throws IOException {
        Path temporary = dataFolder.toAbsolutePath().normalize().resolve("tmp");
        delete(temporary);
        Files.createDirectories(temporary);
        System.setProperty("java.io.tmpdir", temporary.toString());
    }

    /** Makes a folder when absent; a link to one is one, which before Java 20 createDirectories takes for a file. */
    public static void make(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder);
        }
    }

    /** Removes a folder with all that is in it, if it is there. */
    public static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.deleteIfExists(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
