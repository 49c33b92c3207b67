// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.guard;

import java.io.IOException;
import java.io.InputStream;

/** Passes everything that is read through a {@link HeaderGuard}. For one thread at a time, as the client reads. */
final class GuardedStream extends InputStream {

    private final InputStream stream;
    private final HeaderGuard guard = new HeaderGuard();

    GuardedStream(InputStream stream) {
        this.stream = stream;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int from, int count) throws IOException {
        int read = stream.read(bytes, from, count);
        if (read > 0) {
            guard.pass(bytes, from, read);
        }
        return read;
    }

    @Override
    public int available() throws IOException {
        return stream.available();
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }
}
