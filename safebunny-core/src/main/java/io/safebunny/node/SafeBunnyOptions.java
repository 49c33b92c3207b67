// SPDX-License-Identifier: Apache-2.0
package io.safebunny.node;

import io.safebunny.failure.MisuseException;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.handler.TrustedUsers;
import io.safebunny.message.Names;
import io.safebunny.store.Retention;
import io.safebunny.topology.TopologyOptions;
import java.time.Duration;
import java.util.function.Consumer;

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
 * @param poisonRetention how long messages that were set aside are remembered; used by whoever creates the store
 * @param lease how long a claim is respected unless it is renewed
 * @param exceptionDetails how much of an exception logs and poison messages show
 * @param trustedUsers the broker users that nodes publish as
 * @param sagaRetention how long ended sagas are kept
 * @param autoStartup whether the node consumes when it has started; otherwise each type waits until it is resumed
 * @param answersTo whose questions about the node are answered
 */
public record SafeBunnyOptions(
        String node,
        TopologyOptions topology,
        Duration publishTimeout,
        int maxInFlight,
        long maxMessageSize,
        Duration retention,
        Duration poisonRetention,
        Duration lease,
        ExceptionDetails exceptionDetails,
        TrustedUsers trustedUsers,
        Duration sagaRetention,
        boolean autoStartup,
        AnswersTo answersTo) {

    public SafeBunnyOptions {
        Names.requireNode(node, "safebunny.node");
        if (lease.compareTo(Duration.ofMillis(1)) < 0 || retention.isNegative() || topology.deliveryLimit() < 1) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid settings of node %s [lease=%s, retention=%s, deliveryLimit=%s]: give a lease of at least 1 ms, a retention that is not negative, and a delivery limit of at least 1."
                            .formatted(node, lease, retention, topology.deliveryLimit()));
        }
    }

    /**
     * The defaults: publications take up to 30 s, 1,000 in flight; messages up to 10 MiB, remembered for 7 days, or 90 if set aside; lease
     * 30 s; full exception details; senders are not checked; ended sagas are kept for 30 days; the node consumes when it has started, and
     * answers everybody's questions.
     */
    public static SafeBunnyOptions of(String node) {
        return new SafeBunnyOptions(
                node,
                TopologyOptions.defaults(),
                Duration.ofSeconds(30),
                1000,
                10L * 1024 * 1024,
                Duration.ofDays(7),
                Retention.DEFAULT_POISONED,
                Duration.ofSeconds(30),
                ExceptionDetails.FULL,
                TrustedUsers.UNCHECKED,
                Duration.ofDays(30),
                true,
                AnswersTo.ALL);
    }

    public SafeBunnyOptions withTopology(TopologyOptions other) {
        return with(changed -> changed.topology = other);
    }

    public SafeBunnyOptions withPublishTimeout(Duration other) {
        return with(changed -> changed.publishTimeout = other);
    }

    public SafeBunnyOptions withMaxInFlight(int other) {
        return with(changed -> changed.maxInFlight = other);
    }

    public SafeBunnyOptions withMaxMessageSize(long other) {
        return with(changed -> changed.maxMessageSize = other);
    }

    public SafeBunnyOptions withRetention(Duration other) {
        return with(changed -> changed.retention = other);
    }

    public SafeBunnyOptions withPoisonRetention(Duration other) {
        return with(changed -> changed.poisonRetention = other);
    }

    public SafeBunnyOptions withLease(Duration other) {
        return with(changed -> changed.lease = other);
    }

    public SafeBunnyOptions withExceptionDetails(ExceptionDetails other) {
        return with(changed -> changed.exceptionDetails = other);
    }

    public SafeBunnyOptions withTrustedUsers(TrustedUsers other) {
        return with(changed -> changed.trustedUsers = other);
    }

    public SafeBunnyOptions withSagaRetention(Duration other) {
        return with(changed -> changed.sagaRetention = other);
    }

    public SafeBunnyOptions withAutoStartup(boolean other) {
        return with(changed -> changed.autoStartup = other);
    }

    public SafeBunnyOptions withAnswersTo(AnswersTo other) {
        return with(changed -> changed.answersTo = other);
    }

    private SafeBunnyOptions with(Consumer<Changed> change) {
        Changed changed = new Changed(this);
        change.accept(changed);
        return changed.options();
    }

    /** Mutable copy of the settings, from which changed options are made. */
    private static final class Changed {

        private final String node;
        private TopologyOptions topology;
        private Duration publishTimeout;
        private int maxInFlight;
        private long maxMessageSize;
        private Duration retention;
        private Duration poisonRetention;
        private Duration lease;
        private ExceptionDetails exceptionDetails;
        private TrustedUsers trustedUsers;
        private Duration sagaRetention;
        private boolean autoStartup;
        private AnswersTo answersTo;

        Changed(SafeBunnyOptions from) {
            node = from.node;
            topology = from.topology;
            publishTimeout = from.publishTimeout;
            maxInFlight = from.maxInFlight;
            maxMessageSize = from.maxMessageSize;
            retention = from.retention;
            poisonRetention = from.poisonRetention;
            lease = from.lease;
            exceptionDetails = from.exceptionDetails;
            trustedUsers = from.trustedUsers;
            sagaRetention = from.sagaRetention;
            autoStartup = from.autoStartup;
            answersTo = from.answersTo;
        }

        SafeBunnyOptions options() {
            return new SafeBunnyOptions(
                    node,
                    topology,
                    publishTimeout,
                    maxInFlight,
                    maxMessageSize,
                    retention,
                    poisonRetention,
                    lease,
                    exceptionDetails,
                    trustedUsers,
                    sagaRetention,
                    autoStartup,
                    answersTo);
        }
    }
}
