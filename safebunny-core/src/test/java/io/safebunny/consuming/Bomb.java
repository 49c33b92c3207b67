// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** 10 GB of zeros in 10 MB, which nobody has ever held. */
final class Bomb {

    private static final int PART = 100_000_000;
    private static final int PARTS = 100;
    private static final byte[] HEADER = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, 0};

    private Bomb() {}

    /** @param members into which it is divided; must divide the number of parts */
    static byte[] ofGzip(int members) throws IOException {
        byte[] part = part();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(11_000_000);
        for (int member = 0; member < members; member++) {
            bytes.write(HEADER);
            for (int i = 0; i < PARTS / members; i++) {
                bytes.write(part);
            }
            bytes.write(new byte[] {3, 0}); // an empty last block
            bytes.write(trailer((long) PART * PARTS / members));
        }
        return bytes.toByteArray();
    }

    /** Zeros as a block that others like it may follow. */
    private static byte[] part() {
        Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, true);
        byte[] zeros = new byte[1_000_000];
        byte[] deflated = new byte[200_000];
        int used = 0;
        for (int i = 0; i < PART / zeros.length; i++) {
            deflater.setInput(zeros);
            boolean isLast = i == PART / zeros.length - 1;
            used += deflater.deflate(
                    deflated, used, deflated.length - used, isLast ? Deflater.FULL_FLUSH : Deflater.NO_FLUSH);
        }
        deflater.end();
        return Arrays.copyOf(deflated, used);
    }

    private static byte[] trailer(long length) {
        CRC32 checksum = new CRC32();
        byte[] zeros = new byte[1_000_000];
        for (long done = 0; done < length; done += zeros.length) {
            checksum.update(zeros);
        }
        return ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt((int) checksum.getValue())
                .putInt((int) length)
                .array();
    }
}
