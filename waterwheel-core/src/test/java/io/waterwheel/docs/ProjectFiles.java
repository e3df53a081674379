package io.waterwheel.docs;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The sources and pages of the whole project, for tests that hold them to a rule. */
public final class ProjectFiles {
    /** The project's folder, from any module of the first level. */
    public static final Path ROOT = Path.of("..");

    private static final Set<String> SKIPPED = Set.of("target", ".git", "node_modules");

    private ProjectFiles() {}

    /** Files whose path below the project's folder, with slashes, is wanted; in the order of their paths. */
    public static List<Path> all(Predicate<String> wanted) throws IOException {
        TreeMap<String, Path> files = new TreeMap<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                boolean skipped = !folder.equals(ROOT)
                        && SKIPPED.contains(folder.getFileName().toString());
                return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (wanted.test(name(file))) {
                    files.put(name(file), file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return new ArrayList<>(files.values());
    }

    /** The path below the project's folder, with slashes. */
    public static String name(Path file) {
        return ROOT.relativize(file).toString().replace('\\', '/');
    }

    /** The text on one line: a sentence may go over the end of a line, in a comment of Java too. */
    public static String oneLine(Path file) throws IOException {
        return Files.readString(file).replaceAll("\\s*\\R\\s*(\\*(?!/) ?|//)?\\s*", " ");
    }
}
