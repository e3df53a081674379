package io.waterwheel.query.aggregate;

/** The greatest value. */
final class Maximum extends Extreme {
    Maximum() {
        super(true);
    }

    @Override
    public String name() {
        return "max";
    }
}
