/**
 * Protocol Buffers' wire format, driven by descriptors: {@link io.waterwheel.decode.protobuf.MessageDescriptors} reads
 * a descriptor set, {@link io.waterwheel.decode.protobuf.ProtobufReader} compiles a message type to steps by field
 * number that go through records and hand over the values that fields take, without an object per record. The tests
 * compare with the library's dynamic messages (docs/decisions/0039).
 */
@NullMarked
package io.waterwheel.decode.protobuf;

import org.jspecify.annotations.NullMarked;
