// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import com.rabbitmq.client.ConnectionFactory;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The broker a test talks to: where it is and who may enter. Immutable and thread-safe.
 *
 * <p>Tests of one virtual machine share one broker ({@link #shared()}), so a test names its queues and exchanges for itself or
 * asks for a virtual host of its own; only a {@link #isPrivate() private} broker can give one.
 */
public final class TestBroker {

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
        URI management = managementUri;
        if (management == null || !isPrivate) {
            throw new UnsupportedOperationException("Cannot create a virtual host [name=" + name + ", broker=" + this
                    + "]: the broker was given by " + SharedBroker.GIVEN
                    + ", its virtual hosts are not the tests' to change. Ask isPrivate() first.");
        }
        new ManagementApi(management, username(), password()).createVirtualHost(name);
        return new TestBroker(withPath(name), management, true);
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
