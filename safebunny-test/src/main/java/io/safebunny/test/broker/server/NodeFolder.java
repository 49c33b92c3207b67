// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The private temporary folder of one node: configuration, data, cookie and log. It survives a kill; {@link #delete()} removes it. */
public final class NodeFolder {

    // quorum queues use much disk and memory, and an alarm would block every publisher of the suite
    private static final String CONFIGURATION = """
            listeners.tcp.1 = 127.0.0.1:%s
            management.tcp.ip = 127.0.0.1
            management.tcp.port = %s
            disk_free_limit.absolute = 50MB
            vm_memory_high_watermark.absolute = %s
            """;

    // for the distribution ports of the server and its tools
    private static final String LOOPBACK_ONLY = "-kernel inet_dist_use_interface {127,0,0,1}";

    public static final String MEMORY_LIMIT = "1GB";

    private static final int TAIL_LINES = 40;

    private final Path path;

    private NodeFolder(Path path) {
        this.path = path;
    }

    public static NodeFolder create(NodePlan plan) {
        try {
            Path path = Files.createTempDirectory("safebunny-node-");
            NodePorts ports = plan.ports();
            Files.writeString(
                    path.resolve("rabbitmq.conf"),
                    CONFIGURATION.formatted(ports.amqp(), ports.management(), MEMORY_LIMIT));
            Files.writeString(path.resolve("enabled_plugins"), "[rabbitmq_management].\n");
            Files.writeString(path.resolve(Scripts.SERVE), Scripts.serve(plan.hasOwnEpmd()));
            Files.writeString(path.resolve(Scripts.CONTROL), Scripts.control());
            Path cookie = Files.writeString(path.resolve(".erlang.cookie"), plan.cookie());
            Files.setPosixFilePermissions(cookie, PosixFilePermissions.fromString("r--------"));
            NodeFolder folder = new NodeFolder(path);
            folder.configure(List.of("default_pass = " + plan.password()));
            folder.configure(plan.settings());
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Path path() {
        return path;
    }

    /** Adds lines to the node's configuration, which it reads when it starts. */
    public void configure(List<String> lines) {
        try {
            Files.write(path.resolve("rabbitmq.conf"), lines, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Path log() {
        return path.resolve("node.log");
    }

    /** The node's complete environment. {@code seen} is the path of this folder as the node sees it, inside the chroot if there is one. */
    public static Map<String, String> environment(String nodeName, NodePorts ports, Path seen) {
        Map<String, String> environment = new HashMap<>(Epmd.environment(ports.epmd()));
        environment.put("LC_ALL", "C.UTF-8");
        environment.put("HOME", seen.toString());
        environment.put("RABBITMQ_NODENAME", nodeName);
        environment.put("RABBITMQ_DIST_PORT", Integer.toString(ports.distribution()));
        environment.put(
                "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS",
                "+S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none " + LOOPBACK_ONLY);
        environment.put("RABBITMQ_CTL_ERL_ARGS", LOOPBACK_ONLY);
        environment.put("ERL_CRASH_DUMP", seen.resolve("erl_crash.dump").toString()); // not in the project
        environment.put("RABBITMQ_LOGS", "-");
        environment.put("RABBITMQ_LOG_BASE", seen.resolve("log").toString());
        environment.put("RABBITMQ_MNESIA_BASE", seen.resolve("data").toString());
        environment.put("RABBITMQ_PID_FILE", seen.resolve("pid").toString());
        environment.put(
                "RABBITMQ_ENABLED_PLUGINS_FILE", seen.resolve("enabled_plugins").toString());
        environment.put(
                "RABBITMQ_GENERATED_CONFIG_DIR", seen.resolve("generated").toString());
        // overrides every file that a broker installed on the machine would read
        environment.put("RABBITMQ_CONF_ENV_FILE", "/dev/null");
        environment.put("RABBITMQ_CONFIG_FILE", seen.resolve("rabbitmq.conf").toString());
        environment.put("RABBITMQ_CONFIG_FILES", seen.resolve("conf.d").toString());
        environment.put(
                "RABBITMQ_ADVANCED_CONFIG_FILE", seen.resolve("advanced.config").toString());
        return environment;
    }

    /** Whether the Raft library's registry file, which is written lazily, contains the entry. */
    public boolean registers(String nodeName, String entry) throws IOException {
        Path names = data(nodeName).resolve("quorum").resolve(nodeName).resolve("names.dets");
        return Files.exists(names)
                && new String(Files.readAllBytes(names), StandardCharsets.ISO_8859_1)
                        .contains(new String(entry.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1));
    }

    public boolean hasMnesia(String nodeName) {
        return Files.exists(data(nodeName).resolve("schema.DAT"));
    }

    /** Lets a node of a Mnesia cluster start without waiting for the nodes that went down after it. */
    public void forceBoot(String nodeName) {
        try {
            // does the same as rabbitmqctl force_boot, which takes a second to start
            Files.write(data(nodeName).resolve("force_load"), new byte[0]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path data(String nodeName) {
        return path.resolve("data").resolve(nodeName);
    }

    /** The last lines of the log, or those from the one on which the server tells why it does not start. */
    public String logTail() {
        try {
            String text = new String(Files.readAllBytes(log()), StandardCharsets.UTF_8);
            List<String> lines = text.lines().toList();
            int from = Math.max(0, lines.size() - TAIL_LINES);
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).endsWith("BOOT FAILED")) {
                    from = i;
                }
            }
            return String.join("\n", lines.subList(from, Math.min(from + TAIL_LINES, lines.size())));
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }

    /** Deletes the folder and all in it; a repeat is harmless. */
    public void delete() {
        delete(path);
    }

    static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (NoSuchFileException alreadyGone) {
            return;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
