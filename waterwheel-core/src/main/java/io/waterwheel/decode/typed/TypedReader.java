package io.waterwheel.decode.typed;

/** Goes through the bytes of records of one stream and hands over the values that its fields take. One thread. */
public interface TypedReader {
    /**
     * Reads a record. In pass {@link Pass#OUTER} the sink is told of the array whose elements are tuples when it is
     * met, in pass {@link Pass#ROWS} of each of the elements.
     *
     * @param to one after the record's last byte
     * @throws MalformedException when the bytes are no record, or the sink refuses a value
     * @throws SchemaAwaitedException when the schema by which the record was written is not known yet
     */
    void read(byte[] bytes, int from, int to, Pass pass, ValueSink sink) throws MalformedException;

    /**
     * Has the schema asked for by which a later record was written.
     *
     * @param to one after the record's last byte
     */
    default void prefetch(byte[] bytes, int from, int to) {}
}
