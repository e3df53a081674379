package io.waterwheel.decode.typed;

/** The schemas by which records were written, by the numbers that a registry has given them. */
@FunctionalInterface
public interface WriterSchemas {
    /** For streams whose records bring no number along. */
    WriterSchemas NONE = id -> {
        throw new MalformedException("the record names schema " + id + ", and the stream has no registry");
    };

    /**
     * A schema as the registry has it. Two calls for one number return the same.
     *
     * @param id of the registry
     * @throws MalformedException when the registry has said that there is none of this number
     * @throws SchemaAwaitedException when it has not answered
     */
    RegisteredSchema get(int id) throws MalformedException;

    /**
     * Has a schema asked for that {@link #get} will be called for soon; does nothing where it is known, or none may.
     */
    default void prefetch(int id) {}
}
