// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.ledger;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Records what really happened, outside all processes that may die. Thread-safe. */
public final class Ledger implements AutoCloseable {

    private final ServerSocket server;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "ledger");
        thread.setDaemon(true);
        return thread;
    });
    private final List<Entry> entries = new CopyOnWriteArrayList<>();
    private final Map<String, CountDownLatch> gates = new ConcurrentHashMap<>();
    private volatile long lastEntryAt = System.nanoTime();

    public Ledger() {
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.execute(this::accept);
    }

    public int port() {
        return server.getLocalPort();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                threads.execute(() -> serve(socket));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            String line = lines.readLine();
            if (line == null) {
                return;
            }
            Entry entry = Entry.parse(line);
            write(entry);
            CountDownLatch gate = gates.get(gateOf(entry.process(), entry.kind()));
            if (gate != null) {
                gate.await();
            }
            socket.getOutputStream().write('\n');
        } catch (IOException writerEnded) {
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public void write(Entry entry) {
        entries.add(entry);
        lastEntryAt = System.nanoTime();
    }

    /** Makes the process wait when it writes such an entry, until {@link #letGo}. */
    public void hold(String process, Entry.Kind kind) {
        gates.put(gateOf(process, kind), new CountDownLatch(1));
    }

    /** A repeat is harmless. */
    public void letGo(String process, Entry.Kind kind) {
        CountDownLatch gate = gates.remove(gateOf(process, kind));
        if (gate != null) {
            gate.countDown();
        }
    }

    private static String gateOf(String process, Entry.Kind kind) {
        return process + ' ' + kind;
    }

    /** Entries of this kind, in the order in which they were written. */
    public List<Entry> entries(Entry.Kind kind) {
        return entries.stream().filter(entry -> entry.kind() == kind).toList();
    }

    /** Entries of this kind that were written before the first one of the other. */
    public List<Entry> entriesBefore(Entry.Kind first, Entry.Kind kind) {
        return entries.stream()
                .takeWhile(entry -> entry.kind() != first)
                .filter(entry -> entry.kind() == kind)
                .toList();
    }

    public List<Entry> entries(String process, Entry.Kind kind) {
        return entries.stream()
                .filter(entry -> entry.kind() == kind && entry.process().equals(process))
                .toList();
    }

    /** The whole ledger, for humans. */
    public String describe() {
        return String.join("\n", entries.stream().map(Entry::toLine).toList());
    }

    /** Time since the last entry. */
    public long idleMillis() {
        return (System.nanoTime() - lastEntryAt) / 1_000_000;
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.shutdownNow();
    }
}
