package io.waterwheel.decode.typed;

/** What a value is where it comes from, whatever bytes it has there. */
public enum ValueKind {
    /** A whole number of at most 64 bits. */
    INTEGER("a whole number"),
    /** A float or a double. */
    NUMBER("a number"),
    BOOLEAN("a boolean"),
    /** Text in UTF-8, or one of the names of an enumeration. */
    TEXT("text"),
    /** A name that an enumeration gives to a number. */
    ENUMERATION("a name of an enumeration"),
    BYTES("bytes"),
    /** A count since 1970 UTC. */
    INSTANT("a time"),
    /** A count since 1970 of what clocks show in a zone that is not said. */
    LOCAL_TIME("a local time"),
    /** Days since 1970. */
    DATE("a date"),
    /** A count since midnight. */
    TIME_OF_DAY("a time of day"),
    /** A whole number of any size, and how many of its digits are behind the point. */
    DECIMAL("a decimal number"),
    /** Members, elements, or one of several kinds. */
    STRUCTURE("a structure of several values");

    private final String words;

    ValueKind(String words) {
        this.words = words;
    }

    /** For messages. */
    public String words() {
        return words;
    }
}
