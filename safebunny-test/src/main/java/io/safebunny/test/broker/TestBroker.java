// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import com.rabbitmq.client.ConnectionFactory;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The broker that a test talks to: its address and credentials. Immutable and thread-safe.
 *
 * <p>Tests of one virtual machine share one broker ({@link #shared()}), so a test uses names of its own for queues and exchanges, or
 * creates a virtual host of its own, which only a {@link #isPrivate() private} broker allows.
 */
public final class TestBroker {

    private static final Duration CONNECTION_APPEARS = Duration.ofSeconds(15);

    private final URI uri;
    private final @Nullable URI managementUri;
    private final boolean isPrivate;
    private final ConnectionFactory coordinates;

    private TestBroker(URI uri, @Nullable URI managementUri, boolean isPrivate) {
        this.uri = uri;
        this.managementUri = managementUri;
        this.isPrivate = isPrivate;
        this.coordinates = Amqp.factory(uri);
    }

    /**
     * The one broker of this virtual machine, started by the first call and stopped with the machine.
     *
     * <p>The first of these that exists: the broker that {@code SAFEBUNNY_TEST_RABBIT} names (an {@code amqp://} address); a private node
     * of the server under {@code SAFEBUNNY_RABBIT_ROOT}; a container, if a Docker engine answers; a private node of the server installed on
     * this machine.
     *
     * @throws BrokerUnavailableException if none of them exists, or the chosen one does not start; later calls then fail in the same way
     */
    public static TestBroker shared() {
        return SharedBroker.get();
    }

    /** A broker that somebody else runs: tests may use it, but must not assume that they are alone on it. */
    static TestBroker given(URI uri) {
        return new TestBroker(uri, null, false);
    }

    /** A broker that only these tests use, with its management plugin at the second address. */
    static TestBroker ownedBy(URI uri, URI managementUri) {
        return new TestBroker(uri, managementUri, true);
    }

    /**
     * The address with user and password, in the form of {@code ConnectionFactory.setUri} and {@code spring.rabbitmq.addresses}. An address
     * without a path means the virtual host {@code /}.
     */
    public URI uri() {
        return uri;
    }

    /** A new connection factory of the RabbitMQ client, without automatic recovery. */
    public ConnectionFactory connectionFactory() {
        return Amqp.factory(uri);
    }

    public String host() {
        return coordinates.getHost();
    }

    public int port() {
        return coordinates.getPort();
    }

    public String username() {
        return coordinates.getUsername();
    }

    public String password() {
        return coordinates.getPassword();
    }

    public String virtualHost() {
        return coordinates.getVirtualHost();
    }

    /** The version that the server reports when a connection is opened, such as {@code 3.10.8}. */
    public String version() {
        return Amqp.serverVersion(uri);
    }

    /** The address of the management plugin, without user and password; empty if unknown. */
    public Optional<URI> managementUri() {
        return Optional.ofNullable(managementUri);
    }

    /** Whether nobody else uses this broker, so that a test may create virtual hosts on it. */
    public boolean isPrivate() {
        return isPrivate;
    }

    /**
     * Creates a virtual host on a private broker and gives this broker's user all rights in it; a repeat is harmless.
     *
     * @return the same broker, seen through that virtual host
     * @throws UnsupportedOperationException if the broker is not private
     */
    public TestBroker createVirtualHost(String name) {
        management().createVirtualHost(name);
        return new TestBroker(withPath(name), managementUri, true);
    }

    /**
     * Deletes a virtual host that {@link #createVirtualHost} has created, with all its content; a repeat is harmless.
     *
     * @throws UnsupportedOperationException if the broker is not private
     */
    public void deleteVirtualHost(String name) {
        management().deleteVirtualHost(name);
    }

    /**
     * The names that clients gave their open connections to this virtual host, in no particular order. A connection appears and disappears
     * up to 5 s late, because the management plugin collects them only that often.
     *
     * @throws UnsupportedOperationException if the broker is not private
     */
    public List<String> connectionNames() {
        return List.copyOf(management().connections(virtualHost()).values());
    }

    /**
     * Number of open connections to this virtual host, including those that their clients have not named; up to 5 s late.
     *
     * @throws UnsupportedOperationException if the broker is not private
     */
    public int connections() {
        return management().count(virtualHost(), "connections");
    }

    /**
     * Number of channels of these connections; up to 5 s late.
     *
     * @throws UnsupportedOperationException if the broker is not private
     */
    public int channels() {
        return management().count(virtualHost(), "channels");
    }

    /**
     * Makes the broker close every connection to this virtual host whose client gave it this name, as an operator would. Waits up to 15 s
     * for the first one to appear.
     *
     * @throws UnsupportedOperationException if the broker is not private
     * @throws BrokerUnavailableException if there is no such connection
     */
    public void closeConnection(String name) {
        ManagementApi management = management();
        try {
            Awaitility.await()
                    .dontCatchUncaughtExceptions()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(100))
                    .atMost(CONNECTION_APPEARS)
                    .until(() -> management.closeConnections(virtualHost(), name) > 0);
        } catch (ConditionTimeoutException e) {
            throw new BrokerUnavailableException(
                    "No connection to close [name=" + name + ", broker=" + this + "]: waited "
                            + CONNECTION_APPEARS.toSeconds() + " s. See that a client gives its connection the name.");
        }
    }

    /**
     * Sets the one policy of a queue, which need not exist yet; a repeat replaces it. It takes effect a moment later.
     *
     * @param definition the settings of the policy, such as {@code max-length}
     * @throws UnsupportedOperationException if the broker is not private
     */
    public void setPolicy(String queue, Map<String, Object> definition) {
        management().putPolicy(virtualHost(), queue, definition);
    }

    /**
     * Deletes the policy that {@link #setPolicy} has set; a repeat is harmless.
     *
     * @throws UnsupportedOperationException if the broker is not private
     */
    public void deletePolicy(String queue) {
        management().deletePolicy(virtualHost(), queue);
    }

    ManagementApi management() {
        URI management = managementUri;
        if (management == null || !isPrivate) {
            throw new UnsupportedOperationException(
                    "Cannot administer the broker [broker=" + this + "]: it was given by " + SharedBroker.GIVEN
                            + " and is not the tests' to change. Ask isPrivate() first.");
        }
        return new ManagementApi(management, username(), password());
    }

    private URI withPath(String virtualHost) {
        String path = URLEncoder.encode(virtualHost, StandardCharsets.UTF_8).replace("+", "%20");
        return URI.create(uri.getScheme() + "://" + uri.getRawAuthority() + "/" + path);
    }

    /** Shows host, port and virtual host, never the password. */
    @Override
    public String toString() {
        return host() + ":" + port() + " " + virtualHost();
    }
}
