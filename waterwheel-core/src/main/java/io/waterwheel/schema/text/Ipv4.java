package io.waterwheel.schema.text;

/** IPv4 addresses: 32 bits, written as four decimal numbers from 0 to 255. Stateless. */
public final class Ipv4 {
    private Ipv4() {}

    /**
     * Reads an address from ASCII bytes [from, to).
     *
     * @return the address, 0 to 2^32 - 1; -1 when the bytes are none (numbers have no leading zeros: some read those as
     *     octal)
     */
    public static long parse(byte[] bytes, int from, int to) {
        long address = 0;
        int at = from;
        for (int part = 0; part < 4; part++) {
            if (part > 0 && (at >= to || bytes[at++] != '.')) {
                return -1;
            }
            int start = at;
            int number = 0;
            while (at < to && at - start < 3 && bytes[at] >= '0' && bytes[at] <= '9') {
                number = number * 10 + (bytes[at++] - '0');
            }
            if (at == start || number > 255 || (bytes[start] == '0' && at - start > 1)) {
                return -1;
            }
            address = address << 8 | number;
        }
        return at == to ? address : -1;
    }

    /** The address as text. */
    public static String text(int address) {
        return (address >>> 24) + "." + (address >>> 16 & 255) + "." + (address >>> 8 & 255) + "." + (address & 255);
    }
}
