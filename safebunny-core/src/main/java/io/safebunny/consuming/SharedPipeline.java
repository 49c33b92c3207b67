// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.micrometer.observation.Observation;
import io.safebunny.breaker.SharedOutcomes;
import io.safebunny.breaker.TypeBreaker.Admission;
import io.safebunny.dedup.claim.SharedClaims;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handling.Handling;
import io.safebunny.handling.MessageScope.Beans;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.node.Node;
import io.safebunny.observation.Observations;
import io.safebunny.poison.queue.Settlement;
import io.safebunny.recovery.Ending;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.transport.Delivery;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waiting deliveries of one queue in one transaction: claim all → run each behind a savepoint → commit → end each, read downwards. It is
 * optimistic: whatever does not end as handled leaves no trace, and is left to the pipeline of single messages, which decides and counts
 * attempts. Thread-safe.
 */
final class SharedPipeline {

    private static final Logger LOG = LoggerFactory.getLogger(SharedPipeline.class);

    private final Node node;
    private final HandlerDefinition handler;
    private final ConsumePipeline single;
    private final MessageHandling handling;
    private final SharedOutcomes outcomes;
    /** Cleared for good once a handler did what needs a transaction of its own: everything would be run twice. */
    private volatile boolean isOn;

    SharedPipeline(Node node, HandlerDefinition handler, ConsumePipeline single, MessageHandling handling) {
        this.node = node;
        this.handler = handler;
        this.single = single;
        this.handling = handling;
        this.outcomes = new SharedOutcomes(node.metrics(), node.timeline(), handler.type(), handler.description());
        this.isOn = handler.messagesPerTransaction() > 1;
        String whyNot = isOn ? handling.whyNotShared() : null;
        if (whyNot != null) {
            off(whyNot);
        } else if (isOn && handler.prefetch() < 2 * handler.messagesPerTransaction()) {
            LOG.warn(
                    "Messages of {} are handled by one thread [handler={}, prefetch={}, messagesPerTransaction={}]: only prefetch / messagesPerTransaction groups are handled at the same time. Set a higher prefetch, or lower messagesPerTransaction",
                    handler.type(),
                    handler.description(),
                    handler.prefetch(),
                    handler.messagesPerTransaction());
        }
        if (isOn) {
            outcomes.register();
        }
    }

    private void off(String why) {
        isOn = false;
        LOG.warn(
                "Each message of {} has a transaction of its own, although {} may share one [handler={}]: {}",
                handler.type(),
                handler.messagesPerTransaction(),
                handler.description(),
                why);
    }

    int most() {
        return isOn && !outcomes.isResting() && handling.admitsShared() ? handler.messagesPerTransaction() : 1;
    }

    /** @param ended told of those that were handled, and how they are to be settled; all others are still to be handled */
    void process(List<? extends Delivery> deliveries, BiConsumer<Delivery, Settlement> ended) throws Exception {
        List<Member> members = members(deliveries);
        Map<Handling, MessageRecord> handled = Map.of();
        try {
            handled = members.size() < 2 ? Map.of() : commit(members);
        } finally {
            for (Member member : members) {
                MessageRecord record = handled.get(member.message.handling);
                if (record == null) {
                    member.leave();
                } else if (member.isEnded(record)) {
                    ended.accept(member.message.delivery, Settlement.ACKNOWLEDGE);
                }
            }
        }
    }

    private List<Member> members(List<? extends Delivery> deliveries) {
        List<Member> members = new ArrayList<>(deliveries.size());
        Set<RecordKey> keys = new HashSet<>();
        for (Delivery delivery : deliveries) {
            HandledMessage message = fresh(delivery);
            if (message != null && keys.add(message.handling.key())) {
                members.add(new Member(message, node.timeline().now()));
            }
        }
        return members;
    }

    /** {@code null} if it is to be handled on its own. */
    private @Nullable HandledMessage fresh(Delivery delivery) {
        if (!delivery.isOpen()) {
            return null;
        }
        try {
            HandledMessage message = single.check(delivery, true);
            return message.isFresh() ? message : null;
        } catch (InvalidMessageException e) { // becomes poison on its own
            return null;
        }
    }

    private Map<Handling, MessageRecord> commit(List<Member> members) throws Exception {
        SharedClaims shared = handling.claimTogether(
                members.stream().map(member -> member.message.handling).toList());
        if (shared == null) {
            outcomes.ended(members.size(), 0, false);
            return Map.of();
        }
        try (shared) {
            for (Member member : members) {
                if (!shared.isBroken() && shared.isClaimed(member.message.handling)) {
                    member.run(shared);
                }
            }
            Map<Handling, MessageRecord> handled = shared.commit();
            outcomes.ended(members.size(), handled.size(), shared.isBroken());
            return handled;
        } finally {
            String unshareable = shared.unshareable();
            if (unshareable != null) {
                off("the handler, or a middleware around it, " + unshareable + ". Set messagesPerTransaction to 1");
            }
        }
    }

    /** A message that takes part. It is run and ended in two parts, each with its own surroundings on the thread. */
    private final class Member {

        private final HandledMessage message;
        private final Instant deliveredAt;
        private final Beans beans = new Beans();
        private @Nullable Admission admission;
        private @Nullable Observation observation;
        private @Nullable Throwable failure;

        Member(HandledMessage message, Instant deliveredAt) {
            this.message = message;
            this.deliveredAt = deliveredAt;
        }

        /** Not if the type is paused by now, or the delivery is gone: then it leaves. */
        void run(SharedClaims shared) throws Exception {
            admission = message.delivery.isOpen() ? handling.admitShared() : null;
            if (admission != null) {
                observation = single.startObserving(message);
                boolean unused = surrounded(() -> {
                    failure = handling.run(message, shared);
                    return true;
                });
            }
        }

        /** @return whether that is all: otherwise something is not sent or failed, and on its own it will be a duplicate */
        boolean isEnded(MessageRecord record) {
            String outcome = Observations.RETURNED;
            try {
                Ending ending = surrounded(() -> {
                    Ending committed = handling.committed(message, record, Objects.requireNonNull(admission));
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
                node.observations().stop(observation, null, outcome, cause);
            }
            beans.destroy();
        }

        private <T> T surrounded(Callable<T> part) throws Exception {
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
}
