// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A RabbitMQ node of one's own, run from an installed server without Docker: on 127.0.0.1 and free ports, in a temporary folder,
 * with the management plugin. Thread-safe. Whoever starts it closes it; it also ends with the virtual machine, however that ends.
 *
 * <p>A server under {@code /} runs as it is. Any other root folder, as {@code bin/broker} makes it, is entered by chroot in a mount
 * namespace of the node, so that its mounts vanish with it; that takes root, or a kernel that lets users have namespaces.
 */
public final class RabbitNode implements AutoCloseable {

    static final String ROOT = "SAFEBUNNY_RABBIT_ROOT";
    static final String SERVER = "usr/lib/rabbitmq/bin/rabbitmq-server";

    private static final Path THE_MACHINE = Path.of("/");
    private static final Path FOLDER_UNDER_CHROOT = Path.of("/srv");
    private static final Duration START = Duration.ofSeconds(90);
    private static final Duration STOP = Duration.ofSeconds(30);

    /**
     * Its standard input is a pipe whose other end dies with the virtual machine: then the group kills itself. An epmd started here
     * belongs to the group, while one the server starts would detach itself and stay.
     */
    private static final String SERVE = """
            exec 3<&0 </dev/null
            ( cat <&3 >/dev/null; kill -s KILL 0 ) &
            exec 3<&-
            epmd &
            exec /%s
            """.formatted(SERVER);

    private static final String ENTER = """
            mount --rbind /proc "$1/proc"
            mount --rbind /dev "$1/dev"
            mount --bind "$2" "$1%s"
            exec chroot "$1" sh %s/serve.sh
            """.formatted(FOLDER_UNDER_CHROOT, FOLDER_UNDER_CHROOT);

    private final Path root;
    private final NodePorts ports;
    private final String name;
    private final NodeFolder folder;
    private final TestBroker broker;
    private final Thread hook = new Thread(this::end, "end-rabbit-node");
    private @Nullable NodeProcess process;

    private RabbitNode(Path root) {
        this.root = root;
        this.ports = NodePorts.free();
        this.name = "safebunny-" + ports.amqp() + "-" + ProcessHandle.current().pid() + "@localhost";
        this.folder = NodeFolder.create(ports, SERVE);
        this.broker = TestBroker.ownedBy(
                URI.create("amqp://guest:guest@127.0.0.1:" + ports.amqp()),
                URI.create("http://127.0.0.1:" + ports.management()));
    }

    /** The root folder of the server that nodes are started from, {@code /} for the machine's own; empty if there is none. */
    public static Optional<Path> installedRoot() {
        return namedRoot().or(() -> Optional.of(THE_MACHINE).filter(RabbitNode::hasServer));
    }

    /** The root folder that the environment names; once named it is used or the tests fail, never passed over. */
    static Optional<Path> namedRoot() {
        return Optional.ofNullable(System.getenv(ROOT))
                .filter(text -> !text.isBlank())
                .map(Path::of);
    }

    /** Starts a node of the {@link #installedRoot() installed} server. */
    public static RabbitNode start() {
        return start(installedRoot()
                .orElseThrow(() -> new BrokerUnavailableException("Cannot start a private node: " + ROOT
                        + " is not set and there is no /" + SERVER + ". Run bin/test, or bin/broker install 3.10.")));
    }

    /** Starts a node of the server under the root folder and returns once it accepts connections. */
    public static RabbitNode start(Path root) {
        if (!hasServer(root)) {
            throw new BrokerUnavailableException("Cannot start a private node [root=" + root + "]: there is no "
                    + SERVER + " in it. Set " + ROOT + " to what bin/broker install prints, or unset it.");
        }
        RabbitNode node = new RabbitNode(root.toAbsolutePath().normalize());
        Runtime.getRuntime().addShutdownHook(node.hook);
        try {
            node.launch();
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
        return node;
    }

    private static boolean hasServer(Path root) {
        return Files.exists(root.resolve(SERVER));
    }

    /** This node as a broker for tests; its ports stay the same after {@link #restart()}. */
    public TestBroker broker() {
        return broker;
    }

    /**
     * Ends the node with SIGKILL; what it had written stays.
     *
     * <p>A node writes the registration of a new quorum queue up to a second after it confirmed the declaration. Killed before that,
     * 3.10 and 4.0 bring the queue back without a leader and 4.3 brings it back empty, confirmed messages gone: first call
     * {@link #awaitRegistered}.
     */
    public synchronized void kill() {
        if (process != null) {
            process.signal("KILL");
            if (!process.endsWithin(STOP)) {
                throw new BrokerUnavailableException("Cannot end the node [name=" + name + "]: its processes outlived"
                        + " SIGKILL by " + STOP.toSeconds() + " s. See the kernel's log for a disk that hangs.");
            }
            process = null;
        }
    }

    /** Waits until the node has written down that it is a member of the quorum queue, so that the queue survives {@link #kill()}. */
    public void awaitRegistered(String virtualHost, String quorumQueue) {
        String entry = (virtualHost.equals("/") ? "%2F" : virtualHost) + "_" + quorumQueue;
        try {
            Awaitility.await().dontCatchUncaughtExceptions().atMost(STOP).until(() -> folder.registers(name, entry));
        } catch (ConditionTimeoutException e) {
            throw new BrokerUnavailableException("No quorum queue on disk [virtualHost=" + virtualHost + ", queue="
                    + quorumQueue + "]: waited " + STOP.toSeconds()
                    + " s. See that it is declared with x-queue-type=quorum on this node.");
        }
    }

    /** Freezes the node: connections stay open and nobody answers on them. */
    public synchronized void pause() {
        running().signal("STOP");
    }

    /** Lets a frozen node go on. */
    public synchronized void resume() {
        running().signal("CONT");
    }

    /** Starts the node again on the same ports and data, after an orderly stop if it is still running. */
    public synchronized void restart() {
        if (process != null) {
            process.signal("CONT");
            process.signal("TERM");
            boolean orderly = process.endsWithin(STOP);
            if (!orderly) {
                kill();
            }
        }
        launch();
    }

    /** Ends the node and deletes its folder; a repeat is harmless. */
    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException alreadyShuttingDown) {
            return;
        }
    }

    /** The Erlang node's name. */
    String name() {
        return name;
    }

    Path folder() {
        return folder.path();
    }

    private synchronized void end() {
        kill();
        folder.delete();
    }

    private NodeProcess running() {
        if (process == null) {
            throw new IllegalStateException(
                    "The node does not run [name=" + name + "]: it was killed or closed. Call restart() first.");
        }
        return process;
    }

    private synchronized void launch() {
        boolean chroot = !root.equals(THE_MACHINE);
        Path seen = chroot ? FOLDER_UNDER_CHROOT : folder.path();
        List<String> command = chroot ? chrootCommand() : List.of("setsid", "sh", folder.path() + "/serve.sh");
        NodeProcess started = NodeProcess.start(command, NodeFolder.environment(name, ports, seen), folder.log());
        process = started;
        try {
            Awaitility.await()
                    .dontCatchUncaughtExceptions()
                    .pollInterval(Duration.ofMillis(100))
                    .atMost(START)
                    .until(() -> !started.isAlive() || Amqp.answers(broker.uri()));
        } catch (ConditionTimeoutException e) {
            throw notStarted("it did not accept a connection within " + START.toSeconds() + " s");
        }
        if (!started.isAlive()) {
            throw notStarted("its process ended");
        }
    }

    private List<String> chrootCommand() {
        // a plain user becomes root in a user namespace, which is enough to mount and chroot in it
        String namespaces = isSuperuser() ? "--mount" : "--mount --map-root-user";
        String script = "exec unshare " + namespaces + " sh -ec '" + ENTER + "' sh \"$1\" \"$2\"";
        return List.of(
                "setsid",
                "sh",
                "-c",
                script,
                "sh",
                root.toString(),
                folder.path().toString());
    }

    private static boolean isSuperuser() {
        try {
            return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private BrokerUnavailableException notStarted(String why) {
        return new BrokerUnavailableException("Cannot start a private node [root=" + root + "]: " + why
                + ". Read the end of its log below; a root other than / needs root's rights, /etc/hosts in it and"
                + " unshare. " + SharedBroker.GIVEN + " or Docker do without.\n" + folder.logTail());
    }
}
