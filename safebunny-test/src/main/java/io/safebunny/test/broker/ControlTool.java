// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import io.safebunny.test.broker.server.NodeProcess;
import io.safebunny.test.broker.server.Scripts;
import io.safebunny.test.broker.server.ServerRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** Runs {@code rabbitmqctl} for one running node; thread-safe. */
final class ControlTool {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ServerRoot root;
    private final Path folder;
    private final Map<String, String> environment;

    ControlTool(ServerRoot root, Path folder, Map<String, String> environment) {
        this.root = root;
        this.folder = folder;
        this.environment = environment;
    }

    String run(String... arguments) {
        try {
            Path output = Files.createTempFile(folder, "control-", ".out");
            Path errors = Files.createTempFile(folder, "control-", ".err");
            try {
                return run(arguments, output, errors);
            } finally {
                Files.deleteIfExists(output);
                Files.deleteIfExists(errors);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String run(String[] arguments, Path output, Path errors) throws IOException {
        NodeProcess process =
                NodeProcess.start(root.command(folder, Scripts.CONTROL, arguments), environment, output, errors);
        boolean ended = process.endsWithin(PATIENCE);
        if (!ended) {
            process.signal("KILL");
        }
        if (!ended || !process.hasSucceeded()) {
            // names only the command, because arguments may contain a password
            throw new BrokerUnavailableException("rabbitmqctl failed [command="
                    + (arguments.length == 0 ? "" : arguments[0]) + "]: "
                    + (ended ? "see its output below." : "it did not end within " + PATIENCE.toSeconds() + " s.")
                    + " See that the node runs and knows the command.\n" + Files.readString(output)
                    + Files.readString(errors));
        }
        return Files.readString(output);
    }
}
