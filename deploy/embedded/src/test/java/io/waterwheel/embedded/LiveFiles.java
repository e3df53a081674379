package io.waterwheel.embedded;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/** The files in a folder of a server that works: some are written, renamed and deleted while they are listed. */
public final class LiveFiles {
    private LiveFiles() {}

    /** The chunks below a folder, in order of their names. */
    public static List<Path> chunks(Path folder) throws IOException {
        return below(folder).stream()
                .filter(file -> file.toString().endsWith(".chunk"))
                .toList();
    }

    /** All files below a folder, in order of their names. */
    public static List<Path> below(Path folder) throws IOException {
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                files.add(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE; // gone since its folder was listed
                }
                throw e;
            }
        });
        files.sort(null);
        return files;
    }
}
