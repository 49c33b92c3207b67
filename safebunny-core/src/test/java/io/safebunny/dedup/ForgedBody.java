// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** A body with another content and the checksum that is asked for. Checksums are linear, so this takes no searching. */
final class ForgedBody {

    private static final String BEFORE = "{\"orderId\":\"forged\",\"padding\":\"";
    private static final int FREE_BITS = 96;

    private ForgedBody() {}

    /** One sum of some columns, and which of the free bits it is made of. */
    private record Sum(long value, BigInteger bits) {
        Sum plus(Sum other) {
            return new Sum(value ^ other.value, bits.xor(other.bits));
        }
    }

    /** @param checksum of 64 bits, linear in the bits of the body */
    static byte[] with(long wanted, ToLongFunction<byte[]> checksum) {
        long none = checksum.applyAsLong(body(BigInteger.ZERO));
        List<Sum> basis = new ArrayList<>();
        for (int bit = 0; bit < FREE_BITS; bit++) {
            BigInteger alone = BigInteger.ZERO.setBit(bit);
            Sum column = reduced(new Sum(checksum.applyAsLong(body(alone)) ^ none, alone), basis);
            if (column.value != 0) {
                basis.add(column);
            }
        }
        Sum rest = reduced(new Sum(wanted ^ none, BigInteger.ZERO), basis);
        if (rest.value != 0) {
            throw new IllegalStateException("too few free bits");
        }
        return body(rest.bits);
    }

    /** Each member of the basis has no highest bit of one before it. */
    private static Sum reduced(Sum sum, List<Sum> basis) {
        Sum rest = sum;
        for (Sum member : basis) {
            if ((rest.value & Long.highestOneBit(member.value)) != 0) {
                rest = rest.plus(member);
            }
        }
        return rest;
    }

    /** Four free bits in each letter from @ to O. */
    private static byte[] body(BigInteger bits) {
        StringBuilder padding = new StringBuilder();
        for (int at = 0; at < FREE_BITS; at += 4) {
            padding.append((char) ('@' + (bits.shiftRight(at).intValue() & 0xF)));
        }
        return (BEFORE + padding + "\"}").getBytes(StandardCharsets.UTF_8);
    }
}
