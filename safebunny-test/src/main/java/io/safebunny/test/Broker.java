// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Through which broker the messages of a {@link BunnyTest} go. */
public enum Broker {

    /**
     * What the system property {@code safebunny.test.broker} says, {@code memory} or {@code real}; without it, in memory. So the same tests
     * run on both.
     */
    AS_CONFIGURED,

    /** A broker in memory. */
    MEMORY,

    /**
     * A RabbitMQ, as {@link io.safebunny.test.broker.TestBroker#shared()} finds or starts it: where there is none, the tests fail. Each
     * application context has a virtual host of its own, or on a broker that others run, exchanges and queues with a prefix of its own; they
     * are deleted with it.
     */
    REAL;

    static final String PROPERTY = "safebunny.test.broker";

    /** This, or what is configured. */
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
                                "Unknown broker for tests [%s=%s]. Set the system property to %s, or not at all."
                                        .formatted(PROPERTY, text, known())));
    }

    private static String known() {
        return Arrays.stream(values())
                .filter(broker -> broker != AS_CONFIGURED)
                .map(broker -> broker.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(" or "));
    }
}
