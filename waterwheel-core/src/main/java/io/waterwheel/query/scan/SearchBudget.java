package io.waterwheel.query.scan;

/**
 * What a scan may search of a chunk's dictionaries and text indexes for parts of text, whatever its condition: some
 * milliseconds, in which it does not look whether it is still wanted. Beyond that they rule nothing out. One thread.
 */
final class SearchBudget {
    private long left = 4 << 20;

    /** Whether as many bytes may be searched; takes them. */
    boolean take(long bytes) {
        if (bytes > left) {
            return false;
        }
        left -= bytes;
        return true;
    }
}
