package io.waterwheel.client.cli;

/** Names of fields made of what files call their columns. */
final class FieldNames {
    private static final int LONGEST = 64;

    private FieldNames() {}

    /** The name with what no field may have in its name made underscores: {@code Start date} is {@code Start_date}. */
    static String of(String column) {
        String name = column.strip().replaceAll("[^A-Za-z0-9_]+", "_");
        if (name.isEmpty() || Character.isDigit(name.charAt(0))) {
            name = "_" + name;
        }
        return name.length() > LONGEST ? name.substring(0, LONGEST) : name;
    }
}
