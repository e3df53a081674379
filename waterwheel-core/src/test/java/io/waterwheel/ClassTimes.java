package io.waterwheel;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Notes what each test class costs: the processor time of its JVM and of the processes that ended meanwhile. The gate
 * prints the dearest. A line is "SECONDS CLASS", in the file that the system property {@code waterwheel.class-times}
 * names; without it nothing is noted. What classes of one JVM share is counted for the one in which it begins and ends.
 * JUnit finds this class by its name in {@code META-INF/services}.
 */
public final class ClassTimes implements BeforeAllCallback, AfterAllCallback {
    private static final String FILE = System.getProperty("waterwheel.class-times", "");
    private static final Path OWN = Path.of("/proc/self/stat");
    /** Linux counts in hundredths of a second, whatever the kernel's own clock is. */
    private static final double TICKS = 100;

    private static final Map<String, Double> BEGUN = new ConcurrentHashMap<>();

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        if (isNoted(context)) {
            BEGUN.put(context.getUniqueId(), processorSeconds());
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        Double begun = BEGUN.remove(context.getUniqueId());
        if (begun == null) {
            return;
        }
        String line = String.format(
                Locale.ROOT,
                "%.1f %s%n",
                processorSeconds() - begun,
                context.getRequiredTestClass().getName());
        Path file = Path.of(FILE);
        Files.createDirectories(file.toAbsolutePath().getParent());
        // One write each: several JVMs of a stage share the file.
        Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** A nested class is part of the one around it. */
    private static boolean isNoted(ExtensionContext context) {
        return !FILE.isEmpty() && context.getRequiredTestClass().getEnclosingClass() == null;
    }

    private static double processorSeconds() throws IOException {
        double own = ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                        .getProcessCpuTime()
                / 1e9;
        try {
            String stat = Files.readString(OWN);
            // The name of the process may hold blanks; it ends with the last bracket. proc(5): cutime, cstime.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return own + (Long.parseLong(fields[13]) + Long.parseLong(fields[14])) / TICKS;
        } catch (NoSuchFileException e) {
            // Not on Linux: other processes are not counted.
            return own;
        }
    }
}
