package io.waterwheel.key;

/**
 * The time and memory for making a shape ready. Each step first says how much it needs, and ends when that throws. One
 * thread.
 */
public interface Allowance {
    /** One that bounds nothing. */
    Allowance UNLIMITED = new Allowance() {
        @Override
        public void work(long nanos) {}

        @Override
        public void memory(long bytes) {}
    };

    /** Is told of work of a processor, in about nanoseconds; after some microseconds at most. */
    void work(long nanos);

    /** Is told of bytes of the heap, about; they are held until the shape is ready, and some of them longer. */
    void memory(long bytes);
}
