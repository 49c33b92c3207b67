// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.ledger;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Writes to the ledger in another process and returns once the entry is there, so that it outlives this process. Thread-safe;
 * uses one connection per entry, so that an entry that is held up does not delay others.
 */
public final class LedgerClient {

    private final int port;
    private final String process;

    public LedgerClient(int port, String process) {
        this.port = port;
        this.process = process;
    }

    /** Returns when the ledger has the entry and does not hold the writer. */
    public void write(Entry.Kind kind, String subject, String detail) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            String line = new Entry(kind, process, subject, detail).toLine() + '\n';
            socket.getOutputStream().write(line.getBytes(StandardCharsets.UTF_8));
            socket.getOutputStream().flush();
            BufferedReader answer =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            if (answer.readLine() == null) {
                throw new IOException("The ledger is closed. Check that the process that keeps it still runs.");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
