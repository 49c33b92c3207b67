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
 * The broker a test talks to: where it is and who may enter. Immutable and thread-safe.
 *
 * <p>Tests of one virtual machine share one broker ({@link #shared()}), so a test names its queues and exchanges for itself or
 * asks for a virtual host of its own; only a {@link #isPrivate() private} broker can give one.
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
     * <p>In this order: the broker {@code SAFEBUNNY_TEST_RABBIT} (an {@code amqp://} address) names; a private node of the server
     * under {@code SAFEBUNNY_RABBIT_ROOT}; a container, where a Docker engine answers; a private node of the machine's own server.
     *
     * @throws BrokerUnavailableException if there is none of them, or the chosen one does not start; the next call fails alike
     */
    public static TestBroker shared() {
        return SharedBroker.get();
    }

    /** A broker somebody else runs: tests may use it, but not assume that they are alone on it. */
    static TestBroker given(URI uri) {
        return new TestBroker(uri, null, false);
    }

    /** A broker that only these tests use, with the management plugin at the other address. */
    static TestBroker ownedBy(URI uri, URI managementUri) {
        return new TestBroker(uri, managementUri, true);
    }

    /**
     * The address with user and password, as {@code ConnectionFactory.setUri} and {@code spring.rabbitmq.addresses} take it; without a
     * path it means the virtual host {@code /}.
     */
    public URI uri() {
        return uri;
    }

    /** A new one of the RabbitMQ client, for connections that are not recovered. */
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

    /** The server's version as it tells it when a connection is opened, {@code 3.10.8} for example. */
    public String version() {
        return Amqp.serverVersion(uri);
    }

    /** Where the management plugin listens, without user and password, if that is known. */
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
     * Deletes a virtual host that {@link #createVirtualHost} made, with all that is in it; a repeat is harmless.
     *
     * @throws UnsupportedOperationException if the broker is not private
     */
    public void deleteVirtualHost(String name) {
        management().deleteVirtualHost(name);
    }

    /**
     * The names that clients gave their open connections to this virtual host, in no order. A connection appears and disappears up to
     * 5 s late, which is how often the management plugin gathers them.
     *
     * @throws UnsupportedOperationException if the broker is not private
     */
    public List<String> connectionNames() {
        return List.copyOf(management().connections(virtualHost()).values());
    }

    /**
     * How many connections to this virtual host are open, whether or not their clients named them; up to 5 s late.
     *
     * @throws UnsupportedOperationException if the broker is not private
     */
    public int connections() {
        return management().count(virtualHost(), "connections");
    }

    /**
     * How many channels those connections have, up to 5 s late.
     *
     * @throws UnsupportedOperationException if the broker is not private
     */
    public int channels() {
        return management().count(virtualHost(), "channels");
    }

    /**
     * Has the broker close every connection to this virtual host to which its client gave the name, as an operator would; waits up to
     * 15 s for the first to appear.
     *
     * @throws UnsupportedOperationException if the broker is not private
     * @throws BrokerUnavailableException if there is none
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
     * Sets the one policy of a queue, which need not exist yet; a repeat replaces it. The queue follows a moment later.
     *
     * @param definition what the policy sets, {@code max-length} for example
     * @throws UnsupportedOperationException if the broker is not private
     */
    public void setPolicy(String queue, Map<String, Object> definition) {
        management().putPolicy(virtualHost(), queue, definition);
    }

    /**
     * Deletes what {@link #setPolicy} set; a repeat is harmless.
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

    /** Host, port and virtual host; never the password. */
    @Override
    public String toString() {
        return host() + ":" + port() + " " + virtualHost();
    }
}
