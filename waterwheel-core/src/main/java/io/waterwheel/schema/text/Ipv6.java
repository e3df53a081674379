package io.waterwheel.schema.text;

import java.util.Arrays;

/**
 * IPv6 addresses: 16 bytes, read in every form of RFC 4291, section 2.2, and written in that of RFC 5952. Stateless.
 */
public final class Ipv6 {
    private static final int GROUPS = 8;
    /** ::ffff:0:0/96, addresses that stand for IPv4's; RFC 4291, section 2.5.5.2. */
    private static final int MAPPED = 12;

    private Ipv6() {}

    /**
     * Reads an address from ASCII bytes [from, to) into the first 16 bytes of {@code out}. The last four bytes may be
     * written as an IPv4 address. A zone ({@code %eth0}) and a length of a prefix ({@code /64}) are no part of one.
     *
     * @return whether the bytes are one; when not, what {@code out} holds is undefined
     */
    public static boolean parse(byte[] text, int from, int to, byte[] out) {
        int groups = 0;
        int gap = -1; // groups before "::"
        int at = from;
        if (to - from >= 2 && text[from] == ':' && text[from + 1] == ':') {
            gap = 0;
            at += 2;
        }
        while (at < to) {
            if (groups == GROUPS) {
                return false;
            }
            int end = at;
            int value = 0;
            while (end < to && end - at < 5 && Uuid.hexDigit(text[end]) >= 0) {
                value = value << 4 | Uuid.hexDigit(text[end++]);
            }
            if (end < to && text[end] == '.') {
                long ipv4 = groups > GROUPS - 2 ? -1 : Ipv4.parse(text, at, to);
                if (ipv4 < 0) {
                    return false;
                }
                put(out, groups++, (int) (ipv4 >>> 16));
                put(out, groups++, (int) ipv4);
                at = to;
                break;
            }
            if (end == at || end - at > 4) {
                return false;
            }
            put(out, groups++, value);
            at = end;
            if (at == to) {
                break;
            }
            if (text[at++] != ':' || at == to) {
                return false;
            }
            if (text[at] == ':') {
                if (gap >= 0) {
                    return false;
                }
                gap = groups;
                at++;
            }
        }
        // "::" stands for one group at least.
        if (gap < 0 ? groups != GROUPS : groups >= GROUPS) {
            return false;
        }
        if (gap >= 0) {
            int behind = groups - gap;
            System.arraycopy(out, 2 * gap, out, 16 - 2 * behind, 2 * behind);
            Arrays.fill(out, 2 * gap, 16 - 2 * behind, (byte) 0);
        }
        return true;
    }

    private static void put(byte[] out, int group, int value) {
        out[2 * group] = (byte) (value >>> 8);
        out[2 * group + 1] = (byte) value;
    }

    /**
     * The address in 16 bytes from {@code at} on as text: lower case, no leading zeros, the first of the longest runs
     * of two or more groups of zeros as {@code ::}, an IPv4 address behind {@code ::ffff:} with dots.
     */
    public static String text(byte[] bytes, int at) {
        if (isMapped(bytes, at)) {
            return "::ffff:" + Ipv4.text(group(bytes, at, 6) << 16 | group(bytes, at, 7));
        }
        int start = -1;
        int length = 1;
        for (int group = 0; group < GROUPS; group++) {
            int end = group;
            while (end < GROUPS && group(bytes, at, end) == 0) {
                end++;
            }
            if (end - group > length) {
                start = group;
                length = end - group;
            }
            group = Math.max(group, end - 1);
        }
        StringBuilder out = new StringBuilder(39);
        for (int group = 0; group < GROUPS; group++) {
            if (group == start) {
                out.append("::");
                group += length - 1;
            } else {
                if (!out.isEmpty() && out.charAt(out.length() - 1) != ':') {
                    out.append(':');
                }
                out.append(Integer.toHexString(group(bytes, at, group)));
            }
        }
        return out.toString();
    }

    private static boolean isMapped(byte[] bytes, int at) {
        for (int b = 0; b < MAPPED; b++) {
            if (bytes[at + b] != (b < 10 ? 0 : -1)) {
                return false;
            }
        }
        return true;
    }

    private static int group(byte[] bytes, int at, int group) {
        return (bytes[at + 2 * group] & 255) << 8 | (bytes[at + 2 * group + 1] & 255);
    }
}
