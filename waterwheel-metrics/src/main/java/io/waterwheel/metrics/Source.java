package io.waterwheel.metrics;

/** Tells the present values of a metric, whenever it is scraped. Called by one thread at a time, of any name. */
@FunctionalInterface
public interface Source {
    /** Takes values. */
    @FunctionalInterface
    interface Values {
        /**
         * One value. Those of equal labels are added up.
         *
         * @param labels as many as the metric has, in its order
         */
        void add(double value, String... labels);

        /** The same of a whole number. */
        default void add(long value, String... labels) {
            add((double) value, labels);
        }
    }

    /** Must be quick, and neither wait nor call another process. */
    void read(Values values);
}
