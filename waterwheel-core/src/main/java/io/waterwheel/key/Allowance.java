package io.waterwheel.key;

/**
 * What making a shape ready may take. Each step says what it is about to take, and is ended when that throws. One
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
