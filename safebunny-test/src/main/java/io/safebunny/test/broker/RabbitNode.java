// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import io.safebunny.test.broker.server.NodeFolder;
import io.safebunny.test.broker.server.NodePlan;
import io.safebunny.test.broker.server.NodeProcess;
import io.safebunny.test.broker.server.Scripts;
import io.safebunny.test.broker.server.ServerRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A private RabbitMQ node, run from an installed server without Docker: on 127.0.0.1 and free ports, in a temporary folder, with the
 * management plugin. Thread-safe. The caller must close it; it also ends with the JVM, however that ends.
 *
 * <p>Its folder, its cookie and the password of its user {@code guest} are private, so no other user of the machine has access.
 *
 * <p>A server under {@code /} runs directly. Any other root folder, as {@code bin/broker} creates it, is entered by chroot in a separate
 * mount namespace, whose mounts vanish with the node; that requires root, or a kernel with user namespaces.
 */
public final class RabbitNode implements AutoCloseable {

    static final String ROOT = "SAFEBUNNY_RABBIT_ROOT";

    private static final Duration START = Duration.ofSeconds(90);
    private static final Duration STOP = Duration.ofSeconds(30);

    private static final AtomicLong ENDS = new AtomicLong();

    private static final int MOST_CHOICES = 3;
    private static final Pattern PORT_IN_USE = Pattern.compile("could not bind to distribution port|eaddrinuse");
    private final NodePlan plan;
    private final BooleanSupplier startsAlone;
    private final NodeFolder folder;
    private final Map<String, String> environment;
    private final TestBroker broker;
    private final @Nullable TlsListener tls;
    private final Thread hook = new Thread(this::end, "end-rabbit-node");
    private volatile @Nullable NodeProcess process;
    private volatile long lastEnd;

    /** @param startsAlone asked at a restart: whether no other member of the cluster is running */
    RabbitNode(NodePlan plan, BooleanSupplier startsAlone) {
        this.plan = plan;
        this.startsAlone = startsAlone;
        this.folder = NodeFolder.create(plan);
        Path seen = plan.root().seen(folder.path());
        this.environment = NodeFolder.environment(plan.nodeName(), plan.ports(), seen);
        this.broker = TestBroker.ownedBy(
                URI.create("amqp://guest:%s@127.0.0.1:%s"
                        .formatted(plan.password(), plan.ports().amqp())),
                URI.create("http://127.0.0.1:" + plan.ports().management()));
        this.tls = plan.hasTls() ? TlsListener.configure(plan.ports().tls(), folder, seen) : null;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** The root folder of the server that nodes are started from, {@code /} for the machine's own; empty if there is none. */
    public static Optional<Path> installedRoot() {
        return namedRoot()
                .or(() -> Optional.of(ServerRoot.THE_MACHINE).filter(root -> new ServerRoot(root).hasServer()));
    }

    /** The root folder that the environment names. If it cannot be used, tests fail rather than use another one. */
    static Optional<Path> namedRoot() {
        return Optional.ofNullable(System.getenv(ROOT))
                .filter(text -> !text.isBlank())
                .map(Path::of);
    }

    /** Starts a node of the {@link #installedRoot() installed} server. */
    public static RabbitNode start() {
        return start(() -> NodePlan.alone(installedServer(), false));
    }

    /** Starts a node of the server under the root folder and returns once it accepts connections. */
    public static RabbitNode start(Path root) {
        return start(() -> NodePlan.alone(serverUnder(root), false));
    }

    /** Starts a node of the {@link #installedRoot() installed} server that also listens for {@link #tls() TLS}. */
    public static RabbitNode startTls() {
        return start(() -> NodePlan.alone(installedServer(), true));
    }

    static ServerRoot installedServer() {
        return serverUnder(installedRoot()
                .orElseThrow(() -> new BrokerUnavailableException("Cannot start a private node: " + ROOT
                        + " is not set and there is no /" + ServerRoot.SERVER
                        + ". Run bin/test, or bin/broker install 3.10.")));
    }

    static ServerRoot serverUnder(Path folder) {
        ServerRoot root = new ServerRoot(folder);
        if (!root.hasServer()) {
            throw new BrokerUnavailableException("Cannot start a private node [root=" + root.path() + "]: there is no "
                    + ServerRoot.SERVER + " in it. Set " + ROOT + " to what bin/broker install prints, or unset it.");
        }
        return root;
    }

    /** Starts a node. Tries again with other ports if another process has taken one between the choice of the ports and the start. */
    static RabbitNode start(Supplier<NodePlan> plans) {
        for (int choices = 1; ; choices++) {
            RabbitNode node = new RabbitNode(plans.get(), () -> false);
            try {
                node.launch();
                return node;
            } catch (RuntimeException e) {
                boolean lostAPort = PORT_IN_USE.matcher(node.folder.logTail()).find();
                node.close();
                if (!lostAPort || choices == MOST_CHOICES) {
                    throw e;
                }
            }
        }
    }

    /** This node as a broker for tests; its ports stay the same after {@link #restart()}. */
    public TestBroker broker() {
        return broker;
    }

    /** The TLS listener of a node that was started with {@link #startTls()}; such a node also has the plain listener. */
    public TlsListener tls() {
        if (tls == null) {
            throw new IllegalStateException(
                    "The node has no TLS listener [name=" + name() + "]. Start it with RabbitNode.startTls().");
        }
        return tls;
    }

    /**
     * Runs {@code rabbitmqctl} for this node, which must run; takes a second or two.
     *
     * @return what the tool wrote to its standard output
     * @throws BrokerUnavailableException with its output, if it fails or takes longer than 60 s
     */
    public String control(String... arguments) {
        running();
        return new ControlTool(plan.root(), folder.path(), environment).run(arguments);
    }

    /** Has {@code rabbitmqctl} import a file of definitions, as an administrator would. */
    public void importDefinitions(Path file) {
        String name = "definitions.json";
        try {
            Files.copy(file, folder.path().resolve(name), StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        control(
                "import_definitions",
                plan.root().seen(folder.path()).resolve(name).toString());
    }

    /** Raises or clears the node's memory alarm; while it is raised, connections that publish are blocked. */
    public void memoryAlarm(boolean on) {
        if (on) {
            control("set_vm_memory_high_watermark", "0.00001");
        } else {
            control("set_vm_memory_high_watermark", "absolute", NodeFolder.MEMORY_LIMIT);
        }
    }

    /**
     * Ends the node with SIGKILL; what it had written stays.
     *
     * <p>A node writes the registration of a new quorum queue to disk up to a second after it confirmed the declaration. If it is killed
     * before that, 3.10 and 4.0 restore the queue without a leader, and 4.3 restores it without its confirmed messages; call {@link
     * #awaitRegistered} first.
     */
    public synchronized void kill() {
        NodeProcess running = process;
        if (running != null) {
            running.signal("KILL");
            if (!running.endsWithin(STOP)) {
                throw new BrokerUnavailableException("Cannot end the node [name=" + name() + "]: its processes outlived"
                        + " SIGKILL by " + STOP.toSeconds() + " s. See the kernel's log for a disk that hangs.");
            }
            ended();
        }
    }

    /** Waits until the node's membership of the quorum queue is on disk, so that the queue survives {@link #kill()}. */
    public void awaitRegistered(String virtualHost, String quorumQueue) {
        String entry = (virtualHost.equals("/") ? "%2F" : virtualHost) + "_" + quorumQueue;
        try {
            Awaitility.await().dontCatchUncaughtExceptions().atMost(STOP).until(() -> folder.registers(name(), entry));
        } catch (ConditionTimeoutException e) {
            throw new BrokerUnavailableException("No quorum queue on disk [virtualHost=" + virtualHost + ", queue="
                    + quorumQueue + "]: waited " + STOP.toSeconds()
                    + " s. See that it is declared with x-queue-type=quorum on this node.");
        }
    }

    /** Freezes the node: connections stay open but get no answers. */
    public synchronized void pause() {
        running().freeze();
    }

    /** Resumes a frozen node. */
    public synchronized void resume() {
        running().signal("CONT");
    }

    /** Starts the node again on the same ports and data, after an orderly stop if it is still running. */
    public synchronized void restart() {
        stop();
        if (hasMnesia() && startsAlone.getAsBoolean()) {
            forceBoot();
        }
        launch();
    }

    /** Stops the node gracefully, if it is running. */
    synchronized void stop() {
        NodeProcess running = process;
        if (running != null) {
            running.signal("CONT");
            running.signal("TERM");
            if (!running.endsWithin(STOP)) {
                kill();
            }
            ended();
        }
    }

    private void ended() {
        process = null;
        lastEnd = ENDS.incrementAndGet();
    }

    /** A number that orders stopped nodes: the larger it is, the later the node ended. */
    long lastEnd() {
        return lastEnd;
    }

    /** Whether the node has started and keeps its metadata in Mnesia. */
    boolean hasMnesia() {
        return folder.hasMnesia(name());
    }

    /** For a node with Mnesia: makes its next start not wait for other members of the cluster. */
    void forceBoot() {
        folder.forceBoot(name());
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

    /** The node's log file, which continues over restarts and is deleted when the node is closed. */
    public Path log() {
        return folder.log();
    }

    /** The Erlang node's name. */
    String name() {
        return plan.nodeName();
    }

    boolean isRunning() {
        return process != null;
    }

    String logTail() {
        return folder.logTail();
    }

    Path folder() {
        return folder.path();
    }

    private synchronized void end() {
        kill();
        folder.delete();
    }

    private NodeProcess running() {
        NodeProcess running = process;
        if (running == null) {
            throw new IllegalStateException(
                    "The node does not run [name=" + name() + "]: it was killed or closed. Call restart() first.");
        }
        return running;
    }

    synchronized void launch() {
        List<String> command = plan.root().command(folder.path(), Scripts.SERVE);
        NodeProcess started = NodeProcess.start(command, environment, folder.log());
        process = started;
        try {
            Awaitility.await()
                    .dontCatchUncaughtExceptions()
                    .pollInterval(Duration.ofMillis(100))
                    .atMost(START)
                    .until(() -> !started.isAlive() || listens());
        } catch (ConditionTimeoutException e) {
            throw notStarted("it did not accept a connection within " + START.toSeconds() + " s");
        }
        if (!started.isAlive()) {
            throw notStarted("its process ended");
        }
    }

    /** Whether the node accepts connections, including TLS: the broker opens the plain listener first. */
    private boolean listens() {
        return Amqp.answers(broker.uri()) && (tls == null || tls.isOpen());
    }

    private BrokerUnavailableException notStarted(String why) {
        return new BrokerUnavailableException(
                "Cannot start a private node [root=" + plan.root().path() + "]: " + why
                        + ". Read the end of its log below; a root other than / needs root's rights, /etc/hosts in it and"
                        + " unshare. " + SharedBroker.GIVEN + " or Docker do without.\n" + folder.logTail());
    }
}
