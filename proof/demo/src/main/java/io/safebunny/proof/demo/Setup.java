// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import io.safebunny.proof.demo.accounts.Storage;
import io.safebunny.proof.demo.command.Options;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/**
 * What nodes need in order to run, in this process or another. Immutable.
 *
 * @param embedded whether they use the in-process broker
 * @param properties Spring Boot properties for all of them
 * @param http port of the first node, 0 for any free one; {@code null} if they serve no HTTP
 * @param orchestrated whether a saga with state tells the nodes what to do
 */
public record Setup(
        boolean chaos,
        long seed,
        boolean embedded,
        Map<String, String> properties,
        @Nullable Integer http,
        boolean orchestrated) {

    /** Logs each failed attempt, by the hundred here, and would push the address of the page out of sight. */
    private static final String FAILURES = "io.safebunny.poison.queue.FailureLog";

    private static final String PAY_WITHIN = "shop.pay-within";
    private static final Duration LONGEST_PAYMENT = Duration.ofMinutes(1);
    private static final Duration PAYMENT_WHILE_SOMEBODY_LOOKS = Duration.ofSeconds(5);

    public static Setup of(Options options, Storage storage) {
        Map<String, String> properties = new LinkedHashMap<>(storage.properties());
        properties.put("safebunny.transport", options.rabbit() == null ? "memory" : "rabbit");
        if (options.rabbit() == null) {
            properties.put(
                    "management.health.rabbit.enabled", "false"); // Spring Boot's own, of a broker that is not there
        } else {
            properties.putAll(options.rabbit().properties());
        }
        if (options.node() != null) {
            properties.put("logging.level.io.safebunny", "info");
        }
        properties.put("spring.profiles.active", options.http() == null ? "demo" : "demo,http");
        if (options.dashboard() && !options.serve()) { // the orders are made up, and the page tells what failed
            properties.put("management.endpoint.safebunny.show-states", "always");
            properties.put("management.endpoint.safebunny.show-audit", "always");
            properties.put("management.endpoint.safebunnypoison.show-bodies", "always");
            properties.put("logging.level." + FAILURES, "off");
        }
        if (options.kill()) {
            // nobody wants to watch a demo wait for the default half minute
            properties.put("safebunny.dedup.lease", InstanceProcess.LEASE.toSeconds() + "s");
        }
        if (options.orchestrated() && options.chaos()) {
            Duration patience = options.dashboard() ? PAYMENT_WHILE_SOMEBODY_LOOKS : patience(options.orders());
            properties.put(PAY_WITHIN, patience.toMillis() + "ms");
        }
        properties.putAll(options.settings());
        return new Setup(
                options.chaos(),
                options.seed(),
                options.rabbit() == null,
                properties,
                options.http(),
                options.orchestrated());
    }

    /** So long that most payments of so many orders come in time, and so short that the demo can wait for those that do not. */
    private static Duration patience(int orders) {
        Duration patience = Duration.ofMillis(2_000 + 25L * orders);
        return patience.compareTo(LONGEST_PAYMENT) < 0 ? patience : LONGEST_PAYMENT;
    }

    /** How long a saga waits for a payment, which chaos makes too short for some; {@code null} if it is long enough for all. */
    @Nullable
    Duration payWithin() {
        String millis = properties.get(PAY_WITHIN);
        return millis == null ? null : DurationStyle.SIMPLE.parse(millis);
    }

    /** Leaves out the properties, which contain passwords. */
    @Override
    public String toString() {
        return "Setup[chaos=%s, seed=%s, embedded=%s]".formatted(chaos, seed, embedded);
    }
}
