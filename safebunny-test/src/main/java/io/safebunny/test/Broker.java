// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The broker that a {@link BunnyTest} runs on. */
public enum Broker {

    /**
     * The broker that the system property {@code safebunny.test.broker} names, {@code memory} (the default) or {@code real}, so that the
     * same tests run on both.
     */
    AS_CONFIGURED,

    /** An in-memory broker. */
    MEMORY,

    /**
     * RabbitMQ, found or started by {@link io.safebunny.test.broker.TestBroker#shared()}; without one, the tests fail. Each application
     * context gets its own virtual host or, on a broker that others run, exchanges and queues with its own prefix. They are deleted when
     * the context closes.
     */
    REAL;

    static final String PROPERTY = "safebunny.test.broker";

    /** This broker, or for {@link #AS_CONFIGURED} the one that the system property names. */
    Broker chosen() {
        return this == AS_CONFIGURED ? parse(System.getProperty(PROPERTY, "")) : this;
    }

    private static Broker parse(String text) {
        String name = text.strip().toUpperCase(Locale.ROOT);
        return name.isEmpty()
                ? MEMORY
                : Arrays.stream(values())
                        .filter(broker ->
                                broker != AS_CONFIGURED && broker.name().equals(name))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException(
                                "Unknown broker for tests [%s=%s]. Set the system property to %s, or remove it."
                                        .formatted(PROPERTY, text, known())));
    }

    private static String known() {
        return Arrays.stream(values())
                .filter(broker -> broker != AS_CONFIGURED)
                .map(broker -> broker.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(" or "));
    }
}
