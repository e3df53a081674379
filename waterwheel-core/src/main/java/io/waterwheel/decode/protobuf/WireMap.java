package io.waterwheel.decode.protobuf;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.Descriptors.FieldDescriptor;
import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.MemberTree;
import io.waterwheel.decode.typed.ValueSink;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads the entries of a map whose keys are texts: of each key the last. One thread. */
final class WireMap implements WireField {
    private static final int KEY = 1 << 3 | WireInput.LENGTH;

    private final List<byte[]> names = new ArrayList<>();
    private final List<WireMessage> values = new ArrayList<>();
    private final List<int[]> fields = new ArrayList<>();

    WireMap(ProtobufPlan plan, FieldDescriptor value, int wire, MemberTree place, String path)
            throws MalformedException {
        for (String name : place.names()) {
            MemberTree member = place.member(name);
            if (member != null && plan.fields(member).length > 0) {
                WireMessage entry = new WireMessage(2);
                entry.add(2, plan.value(value, member, path + "." + name), wire, false, new int[0]);
                names.add(name.getBytes(UTF_8));
                values.add(entry);
                fields.add(plan.fields(member));
            }
        }
    }

    @Override
    public void read(WireInput in, ValueSink sink) throws MalformedException {
        int end = in.length() + in.at;
        int before = in.to;
        int begin = in.at;
        in.to = end;
        // The key may stand behind the value.
        int keyFrom = begin;
        int keyLength = 0;
        while (in.hasMore()) {
            int tag = in.tag();
            if (tag == KEY) {
                keyLength = in.length();
                keyFrom = in.at;
                in.at += keyLength;
            } else {
                in.skip(tag);
            }
        }
        for (int n = 0; n < names.size(); n++) {
            byte[] name = names.get(n);
            if (Arrays.equals(in.bytes, keyFrom, keyFrom + keyLength, name, 0, name.length)) {
                for (int field : fields.get(n)) {
                    sink.nothing(field);
                }
                in.at = begin;
                values.get(n).members(in, sink);
            }
        }
        in.at = end;
        in.to = before;
    }
}
