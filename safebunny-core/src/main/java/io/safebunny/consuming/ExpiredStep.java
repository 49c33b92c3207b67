// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.BunnyMessage.Expired;
import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.Ending.Poisoned;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.Validity;
import io.safebunny.saga.execution.Correlation;
import io.safebunny.transport.OutboundMessage;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What runs in place of a handler when the deadline of a message has passed, or its person was erased: the method for expired messages, or, for
 * those that are dropped, only the notice to sagas. That is a run like any other, so what it publishes and that the message is done are one write. Thread-safe.
 */
final class ExpiredStep {

    private final HandlerStep step;
    private final Recoverer recoverer;
    private final @Nullable Correlation correlation;
    private final boolean isTold;
    private final boolean isDropped;

    /**
     * @param step runs the method, if there is one
     * @param correlation {@code null} if the messages belong to no saga
     */
    ExpiredStep(HandlerDefinition handler, HandlerStep step, Recoverer recoverer, @Nullable Correlation correlation) {
        this.step = step;
        this.recoverer = recoverer;
        this.correlation = correlation;
        this.isTold = handler.onExpired() != null;
        this.isDropped = !isTold && Validity.ofPayload(handler.payloadType()).expired() == Expired.DROP;
    }

    /** Whether nothing runs, because expired messages are set aside. */
    boolean isSetAside(HandledMessage message) {
        return !isTold && !isDropped && !message.isShredded();
    }

    /** @throws Exception the failure of the method; or that the message has expired, if expired messages are set aside */
    void run(HandledMessage message) throws Exception {
        if (message.isShredded()) {
            message.handling.attempt(() -> drop(message));
        } else if (isTold) {
            step.run(message);
        } else if (correlation != null && correlation.ignoresLate(message)) {
            message.ignored();
        } else if (isDropped) {
            message.handling.attempt(() -> drop(message));
        } else {
            throw (Exception) expired(message).failure();
        }
    }

    private void drop(HandledMessage message) {
        OutboundMessage notice =
                recoverer.noticeOfDropped(message, expired(message).reason());
        if (notice != null) {
            message.handling.collect(notice);
        }
    }

    /** How the message has ended, once that is written. */
    Ending ended(HandledMessage message) {
        Poisoned expired = message.expired();
        if (expired == null || message.isIgnored()) {
            return Ending.HANDLED;
        }
        if (message.isShredded()) {
            recoverer.toldOfShredded(message, expired);
            return new Ending.Handled(expired);
        }
        recoverer.toldOfExpired(message, expired, isDropped);
        return new Ending.Handled(expired);
    }

    private static Poisoned expired(HandledMessage message) {
        return Objects.requireNonNull(message.expired());
    }
}
