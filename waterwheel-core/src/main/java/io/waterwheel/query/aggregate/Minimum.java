package io.waterwheel.query.aggregate;

/** The least value. */
final class Minimum extends Extreme {
    Minimum() {
        super(false);
    }

    @Override
    public String name() {
        return "min";
    }
}
