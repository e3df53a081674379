package io.waterwheel.key;

/** Takes the rows whose key cannot be made. */
@FunctionalInterface
public interface RowRejects {
    /**
     * Called once for each refused row, in row order.
     *
     * @param indexWithinRecord row number counted from the first row of the record
     * @param reason what is wrong with the row, for people
     */
    void reject(int indexWithinRecord, String reason);
}
