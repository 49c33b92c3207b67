// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import io.safebunny.consuming.TrustedUsers;
import io.safebunny.dedup.DedupOptions;
import io.safebunny.failure.ExceptionDetails;
import io.safebunny.message.Names;
import io.safebunny.topology.TopologyOptions;
import java.time.Duration;

/**
 * Settings of a node. Immutable. Create it with {@link #of} and the {@code with} methods: the constructor grows with every
 * setting.
 *
 * @param node name of the node
 * @param topology names and arguments on the broker
 * @param publishTimeout how long a publication may take
 * @param maxInFlight maximum number of unconfirmed publications; further callers wait
 * @param maxMessageSize largest body in bytes, published or consumed
 * @param retention how long handled messages are remembered
 * @param lease how long a claim is respected unless it is renewed, see {@link DedupOptions}
 * @param exceptionDetails how much of an exception logs and poison messages show
 * @param trustedUsers the broker users that nodes publish as
 * @param sagaRetention how long sagas that have ended are kept
 */
public record SafeBunnyOptions(
        String node,
        TopologyOptions topology,
        Duration publishTimeout,
        int maxInFlight,
        long maxMessageSize,
        Duration retention,
        Duration lease,
        ExceptionDetails exceptionDetails,
        TrustedUsers trustedUsers,
        Duration sagaRetention) {

    public SafeBunnyOptions {
        Names.requireNode(node, "safebunny.node");
    }

    /**
     * The defaults: publications 30 s and 1,000 in flight, messages of 10 MiB, retention 7 days, lease 30 s, full exception
     * details, senders not checked, sagas that have ended 30 days.
     */
    public static SafeBunnyOptions of(String node) {
        return new SafeBunnyOptions(
                node,
                TopologyOptions.defaults(),
                Duration.ofSeconds(30),
                1000,
                10L * 1024 * 1024,
                Duration.ofDays(7),
                Duration.ofSeconds(30),
                ExceptionDetails.FULL,
                TrustedUsers.UNCHECKED,
                Duration.ofDays(30));
    }

    public SafeBunnyOptions withTopology(TopologyOptions other) {
        return new SafeBunnyOptions(
                node,
                other,
                publishTimeout,
                maxInFlight,
                maxMessageSize,
                retention,
                lease,
                exceptionDetails,
                trustedUsers,
                sagaRetention);
    }

    public SafeBunnyOptions withPublishTimeout(Duration other) {
        return new SafeBunnyOptions(
                node,
                topology,
                other,
                maxInFlight,
                maxMessageSize,
                retention,
                lease,
                exceptionDetails,
                trustedUsers,
                sagaRetention);
    }

    public SafeBunnyOptions withMaxInFlight(int other) {
        return new SafeBunnyOptions(
                node,
                topology,
                publishTimeout,
                other,
                maxMessageSize,
                retention,
                lease,
                exceptionDetails,
                trustedUsers,
                sagaRetention);
    }

    public SafeBunnyOptions withMaxMessageSize(long other) {
        return new SafeBunnyOptions(
                node,
                topology,
                publishTimeout,
                maxInFlight,
                other,
                retention,
                lease,
                exceptionDetails,
                trustedUsers,
                sagaRetention);
    }

    public SafeBunnyOptions withRetention(Duration other) {
        return new SafeBunnyOptions(
                node,
                topology,
                publishTimeout,
                maxInFlight,
                maxMessageSize,
                other,
                lease,
                exceptionDetails,
                trustedUsers,
                sagaRetention);
    }

    public SafeBunnyOptions withLease(Duration other) {
        return new SafeBunnyOptions(
                node,
                topology,
                publishTimeout,
                maxInFlight,
                maxMessageSize,
                retention,
                other,
                exceptionDetails,
                trustedUsers,
                sagaRetention);
    }

    public SafeBunnyOptions withExceptionDetails(ExceptionDetails other) {
        return new SafeBunnyOptions(
                node,
                topology,
                publishTimeout,
                maxInFlight,
                maxMessageSize,
                retention,
                lease,
                other,
                trustedUsers,
                sagaRetention);
    }

    public SafeBunnyOptions withTrustedUsers(TrustedUsers other) {
        return new SafeBunnyOptions(
                node,
                topology,
                publishTimeout,
                maxInFlight,
                maxMessageSize,
                retention,
                lease,
                exceptionDetails,
                other,
                sagaRetention);
    }

    public SafeBunnyOptions withSagaRetention(Duration other) {
        return new SafeBunnyOptions(
                node,
                topology,
                publishTimeout,
                maxInFlight,
                maxMessageSize,
                retention,
                lease,
                exceptionDetails,
                trustedUsers,
                other);
    }
}
