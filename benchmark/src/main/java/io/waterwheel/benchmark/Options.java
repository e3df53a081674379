package io.waterwheel.benchmark;

import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A benchmark's {@code name=value} arguments. A name that the benchmark does not know ends it. */
public final class Options {
    private final Map<String, String> values = new LinkedHashMap<>();

    /**
     * Reads arguments.
     *
     * @param defaults every name there is, with its default: name, value, name, value
     */
    public Options(String[] arguments, String... defaults) {
        for (int i = 0; i < defaults.length; i += 2) {
            values.put(defaults[i], defaults[i + 1]);
        }
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            String name = equals < 0 ? argument : argument.substring(0, equals);
            if (equals < 0 || !values.containsKey(name)) {
                throw new IllegalArgumentException(
                        "argument '" + argument + "': expected name=value with a name of " + values.keySet());
            }
            values.put(name, argument.substring(equals + 1));
        }
    }

    /** The value as it was given. */
    public String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalStateException("option " + name + " has no default");
        }
        return value;
    }

    /** The value as a number; underscores in it are skipped. */
    public int integer(String name) {
        return Integer.parseInt(text(name).replace("_", ""));
    }

    /** The value as a number; underscores in it are skipped. */
    public long number(String name) {
        return Long.parseLong(text(name).replace("_", ""));
    }

    /** Prints what the figures that follow are made on: the machine, its load, the JVM, and these options. */
    public void printMachine() {
        System.out.printf(
                Locale.ROOT,
                "machine: %d cores, load %.2f, Java %s, flags %s%noptions: %s%n",
                Runtime.getRuntime().availableProcessors(),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(),
                System.getProperty("java.version"),
                ManagementFactory.getRuntimeMXBean().getInputArguments(),
                this);
    }

    /** All of them. */
    @Override
    public String toString() {
        return values.toString();
    }
}
