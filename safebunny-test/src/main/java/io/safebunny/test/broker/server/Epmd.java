// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** An Erlang port mapper in its own process group, so that it outlives each of the nodes that share it. */
public final class Epmd implements AutoCloseable {

    private static final Duration STOP = Duration.ofSeconds(10);

    private final Path folder;
    private final NodeProcess process;

    private Epmd(Path folder, NodeProcess process) {
        this.folder = folder;
        this.process = process;
    }

    public static Epmd start(ServerRoot root, int port) {
        try {
            Path folder = Files.createTempDirectory("safebunny-epmd-");
            Files.writeString(folder.resolve(Scripts.EPMD), Scripts.epmd());
            return new Epmd(
                    folder,
                    NodeProcess.start(
                            root.command(folder, Scripts.EPMD), environment(port), folder.resolve("epmd.log")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Map<String, String> environment(int port) {
        return Map.of(
                "PATH", "/usr/sbin:/usr/bin:/sbin:/bin",
                "ERL_EPMD_ADDRESS", "127.0.0.1",
                "ERL_EPMD_PORT", Integer.toString(port));
    }

    @Override
    public void close() {
        process.signal("KILL");
        process.endsWithin(STOP);
        NodeFolder.delete(folder);
    }
}
