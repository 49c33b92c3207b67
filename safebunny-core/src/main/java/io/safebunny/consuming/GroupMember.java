// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.micrometer.observation.Observation;
import io.safebunny.breaker.TypeBreaker.Admission;
import io.safebunny.dedup.claim.Claim.Written;
import io.safebunny.dedup.claim.SharedClaims;
import io.safebunny.failure.policy.BreakerEffect.Pause;
import io.safebunny.failure.policy.Ending;
import io.safebunny.handling.MessageScope.Beans;
import io.safebunny.node.Node;
import io.safebunny.observation.LogContext;
import io.safebunny.observation.Observations;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A message that is handled with others. It is run and ended in two parts, each with its own surroundings on the thread. Confined to one
 * thread.
 */
final class GroupMember implements BatchCall.Part {

    private final Node node;
    private final ConsumePipeline single;
    private final MessageHandling handling;
    private final HandledMessage message;
    private final Instant deliveredAt;
    private final Beans beans = new Beans();
    private @Nullable Admission admission;
    private @Nullable Observation observation;
    private @Nullable Throwable failure;

    GroupMember(ConsumePipeline single, MessageHandling handling, HandledMessage message, Node node) {
        this.node = node;
        this.single = single;
        this.handling = handling;
        this.message = message;
        this.deliveredAt = node.timeline().now();
    }

    @Override
    public HandledMessage message() {
        return message;
    }

    /** Not if the type is paused by now, the deadline has passed, or the delivery is gone: then it leaves. */
    boolean begins() {
        admission = message.delivery.isOpen() && !message.isOverdue(node.timeline()) ? handling.admitTogether() : null;
        if (admission == null) {
            return false;
        }
        observation = single.startObserving(message);
        return true;
    }

    void run(SharedClaims shared) throws Exception {
        boolean unused = within(() -> {
            failure = handling.run(message, shared);
            return true;
        });
    }

    /** @param why the call for all of a batch has failed; {@code null} if it has not */
    void failed(@Nullable Throwable why) {
        failure = why;
    }

    /** Before any of them is given back: handled alone, all at once would call what has asked for a pause. */
    void pauses(Throwable why, Pause pause) {
        handling.ended(Objects.requireNonNull(admission), message, new Ending.Returned(Duration.ZERO, why, pause));
    }

    /** @return whether that is all: otherwise something is not sent or failed, and on its own it will be a duplicate */
    boolean isEnded(Written written, boolean sends) {
        String outcome = Observations.RETURNED;
        try {
            Ending ending = within(() -> {
                Ending committed = handling.committed(message, written, sends, Objects.requireNonNull(admission));
                single.told(message, committed);
                return committed;
            });
            single.ended(message, deliveredAt);
            if (ending instanceof Ending.Handled) {
                outcome = Observations.HANDLED;
                return true;
            }
        } catch (Throwable e) {
            single.failed(message, e);
        } finally {
            over(outcome, null);
        }
        return false;
    }

    /** Nothing of it has happened. */
    void leave() {
        try {
            message.publicationsDropped(failure);
        } catch (Throwable e) {
            single.failed(message, e);
        } finally {
            over(Observations.RETURNED, failure);
        }
    }

    private void over(String outcome, @Nullable Throwable cause) {
        if (observation != null) {
            node.observations().stop(observation, null, outcome, cause, message.handling.details());
        }
        beans.destroy();
    }

    @Override
    public <T> T within(Callable<T> part) throws Exception {
        LogContext before = LogContext.replaceBy(message, node.name());
        try {
            return observed(() -> node.parts().scope().callIn(beans, part));
        } finally {
            before.restore();
        }
    }

    private <T> T observed(Callable<T> part) throws Exception {
        if (observation == null) {
            return part.call();
        }
        Observation.Scope scope = node.observations().open(observation);
        try {
            return part.call();
        } finally {
            node.observations().close(observation, scope);
        }
    }
}
