package io.waterwheel.schema;

/** What the value of a Kafka record of a stream's topic is. */
public enum RecordFormat {
    /** One line of comma-separated values in the order of the schema's fields, RFC 4180 quoting; one tuple. */
    CSV,
    /** One JSON object with the schema's fields as members; one tuple, or one for each element of an array of it. */
    JSON,
    /** One value in Avro's binary encoding, a record with the schema's fields; tuples as of JSON. */
    AVRO,
    /** One message of a type of Protocol Buffers; tuples as of JSON. */
    PROTOBUF,
    /** One tuple block as {@code docs/tuple-block-format.md} describes; any number of tuples. */
    BLOCK;

    /** Whether a record is text, which somebody can write by hand. */
    public boolean isText() {
        return this == CSV || this == JSON;
    }

    /** Whether rows of such a stream are appended as tuple blocks. */
    public boolean takesBlocks(Schema schema) {
        return this == BLOCK || schema.text().blocks();
    }
}
