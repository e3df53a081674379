package io.waterwheel.cluster;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Removes folders; links in them are removed, not followed. Stateless. */
final class Folders {
    private Folders() {}

    static void delete(Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> children = Files.newDirectoryStream(path)) {
                for (Path child : children) {
                    delete(child);
                }
            }
        }
        Files.delete(path);
    }

    static void deleteQuietly(Path folder) {
        try {
            delete(folder);
        } catch (IOException e) {
            // Only disk space: the next start empties the folder.
        }
    }
}
