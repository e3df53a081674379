package io.waterwheel.cli;

import io.waterwheel.client.Appender;
import io.waterwheel.client.NamedAppender;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.TupleBlock;
import org.jspecify.annotations.Nullable;

/** Where a file's lines go: an appender of either kind. */
interface AppendTarget {
    StreamDefinition stream();

    void appendRecord(byte[] record);

    void append(TupleBlock block);

    void append(@Nullable Object[] values);

    static AppendTarget of(Appender appender) {
        return new AppendTarget() {
            @Override
            public StreamDefinition stream() {
                return appender.stream();
            }

            @Override
            public void appendRecord(byte[] record) {
                appender.appendRecord(record);
            }

            @Override
            public void append(TupleBlock block) {
                appender.append(block);
            }

            @Override
            public void append(@Nullable Object[] values) {
                appender.append(values);
            }
        };
    }

    static AppendTarget of(NamedAppender appender) {
        return new AppendTarget() {
            @Override
            public StreamDefinition stream() {
                return appender.stream();
            }

            @Override
            public void appendRecord(byte[] record) {
                appender.appendRecord(record);
            }

            @Override
            public void append(TupleBlock block) {
                appender.append(block);
            }

            @Override
            public void append(@Nullable Object[] values) {
                appender.append(values);
            }
        };
    }

    /** The same. The notice reports when a call stands still. */
    static AppendTarget watched(AppendTarget target, StallNotice notice) {
        return new AppendTarget() {
            @Override
            public StreamDefinition stream() {
                return target.stream();
            }

            @Override
            public void appendRecord(byte[] record) {
                notice.during(() -> target.appendRecord(record));
            }

            @Override
            public void append(TupleBlock block) {
                notice.during(() -> target.append(block));
            }

            @Override
            public void append(@Nullable Object[] values) {
                notice.during(() -> target.append(values));
            }
        };
    }
}
