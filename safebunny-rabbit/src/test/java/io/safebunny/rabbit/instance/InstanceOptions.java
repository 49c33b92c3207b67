// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.instance;

import io.safebunny.test.broker.TestBroker;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * @param node consumes and publishes
 * @param addresses of the broker, {@code host:port,…}
 * @param username of the broker
 * @param password of the user
 * @param handling how long a job takes
 * @param remembers whether handled messages are remembered, in memory
 * @param publishTimeout how long a publication may take
 */
public record InstanceOptions(
        String node,
        String addresses,
        String username,
        String password,
        int prefetch,
        int deliveryLimit,
        Duration handling,
        boolean remembers,
        Duration publishTimeout) {

    /** Of an instance's process: everybody on the machine sees its arguments. */
    static final String PASSWORD = "SAFEBUNNY_INSTANCE_PASSWORD";

    /** A minute to publish. */
    public InstanceOptions(
            String node, TestBroker broker, int prefetch, int deliveryLimit, Duration handling, boolean remembers) {
        this(
                node,
                broker.host() + ':' + broker.port(),
                broker.username(),
                broker.password(),
                prefetch,
                deliveryLimit,
                handling,
                remembers,
                Duration.ofMinutes(1));
    }

    /** The same broker, reached in another way. */
    public InstanceOptions withAddresses(String others) {
        return new InstanceOptions(
                node, others, username, password, prefetch, deliveryLimit, handling, remembers, publishTimeout);
    }

    public InstanceOptions withPublishTimeout(Duration other) {
        return new InstanceOptions(
                node, addresses, username, password, prefetch, deliveryLimit, handling, remembers, other);
    }

    /** Without the password. */
    List<String> toArguments() {
        return List.of(
                node,
                addresses,
                username,
                Integer.toString(prefetch),
                Integer.toString(deliveryLimit),
                handling.toString(),
                Boolean.toString(remembers),
                publishTimeout.toString());
    }

    /** What the arguments of an instance's process say. */
    public static InstanceOptions of(String... arguments) {
        return new InstanceOptions(
                arguments[0],
                arguments[1],
                arguments[2],
                Objects.requireNonNull(System.getenv(PASSWORD), PASSWORD),
                Integer.parseInt(arguments[3]),
                Integer.parseInt(arguments[4]),
                Duration.parse(arguments[5]),
                Boolean.parseBoolean(arguments[6]),
                Duration.parse(arguments[7]));
    }

    /** Without the password. */
    @Override
    public String toString() {
        return node + " at " + addresses;
    }
}
