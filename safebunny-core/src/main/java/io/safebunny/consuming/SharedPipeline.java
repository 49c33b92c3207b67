// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.micrometer.observation.Observation;
import io.safebunny.breaker.SharedOutcomes;
import io.safebunny.breaker.TypeBreaker.Admission;
import io.safebunny.dedup.claim.Claim.Written;
import io.safebunny.dedup.claim.SharedClaims;
import io.safebunny.handler.Grouping;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handling.Handling;
import io.safebunny.handling.MessageScope.Beans;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.observation.LogContext;
import io.safebunny.observation.Observations;
import io.safebunny.poison.queue.Settlement;
import io.safebunny.recovery.BreakerEffect;
import io.safebunny.recovery.Ending;
import io.safebunny.store.record.RecordKey;
import io.safebunny.transport.Delivery;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
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
 * Waiting deliveries of one queue together: claim all → run each behind a savepoint of one transaction, or all in one call of a batch
 * handler → commit → end each, read downwards. It is optimistic: whatever does not end as handled leaves no trace, and is left to the
 * pipeline of single messages, which decides and counts attempts. A batch that fails is tried in halves before. Thread-safe.
 */
final class SharedPipeline {

    private static final Logger LOG = LoggerFactory.getLogger(SharedPipeline.class);

    private static final Subject FAILED_BATCHES = Subject.warn(LOG, "Calls for batches have failed");

    private final Node node;
    private final HandlerDefinition handler;
    private final ConsumePipeline single;
    private final MessageHandling handling;
    private final Grouping grouping;
    private final SharedOutcomes outcomes;
    /** Cleared for good once a handler did what needs a transaction of its own: everything would be run twice. */
    private volatile boolean isOn;

    SharedPipeline(Node node, HandlerDefinition handler, ConsumePipeline single, MessageHandling handling) {
        this.node = node;
        this.handler = handler;
        this.single = single;
        this.handling = handling;
        this.grouping = handler.grouping();
        this.outcomes = new SharedOutcomes(node.metrics(), node.timeline(), handler.type(), handler.description());
        this.isOn = grouping.most() > 1;
        String whyNot = isOn ? handling.whyNotTogether() : null;
        if (whyNot != null) {
            off(whyNot);
        } else if (isOn && !grouping.isBatch() && handler.prefetch() < 2 * grouping.most()) {
            LOG.warn(
                    "Messages of {} are handled by one thread [handler={}, prefetch={}, messagesPerTransaction={}]: only prefetch / messagesPerTransaction groups are handled at the same time. Set a higher prefetch, or lower messagesPerTransaction",
                    handler.type(),
                    handler.description(),
                    handler.prefetch(),
                    grouping.most());
        }
        if (isOn) {
            outcomes.register();
        }
    }

    private void off(String why) {
        isOn = false;
        LOG.warn(
                grouping.isBatch()
                        ? "Each message of {} is a batch of its own, although {} may be handled together [handler={}]: {}"
                        : "Each message of {} has a transaction of its own, although {} may share one [handler={}]: {}",
                handler.type(),
                grouping.most(),
                handler.description(),
                why);
    }

    int most() {
        return isOn && !outcomes.isResting() && handling.admitsTogether() ? grouping.most() : 1;
    }

    /** @param ended told of those that were handled, and how they are to be settled; all others are still to be handled */
    void process(List<? extends Delivery> deliveries, BiConsumer<Delivery, Settlement> ended) throws Exception {
        // enough to find two messages that fail, wherever they are; in an outage everything fails, and splitting only
        // repeats the calls
        int most = 2 * (Integer.SIZE - Integer.numberOfLeadingZeros(deliveries.size()));
        int inVain = 0;
        Deque<List<? extends Delivery>> next = new ArrayDeque<>(List.of(deliveries));
        while (!next.isEmpty()) {
            Group group = new Group(next.remove(), ended);
            group.process();
            inVain = group.isHandled ? 0 : inVain;
            if (group.failure != null) {
                inVain++;
                splits(
                        group,
                        inVain <= most && !(BreakerEffect.of(group.failure) instanceof BreakerEffect.Pause),
                        next);
            }
        }
    }

    /** @param further whether the halves are batches; otherwise these messages, and all that would have followed, are handled one by one */
    private void splits(Group group, boolean further, Deque<List<? extends Delivery>> next) {
        List<Delivery> undone =
                group.batch.stream().map(member -> member.message.delivery).toList();
        node.log()
                .tell(
                        FAILED_BATCHES,
                        handler.type(),
                        () -> LOG.warn(
                                "The call for a batch of {} messages has failed, and is undone where that is possible; they are handled {}, at no cost of an attempt [handler={}]",
                                undone.size(),
                                further ? "in halves" : "one by one",
                                handler.description(),
                                node.log().tellable(Objects.requireNonNull(group.failure))));
        if (!further) {
            next.clear();
            return;
        }
        int half = undone.size() / 2;
        for (List<Delivery> part : List.of(undone.subList(half, undone.size()), undone.subList(0, half))) {
            if (part.size() > 1) {
                next.addFirst(part);
            }
        }
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

    private final class Group {

        private final List<Member> members;
        private final BiConsumer<Delivery, Settlement> ended;
        /** The members that one call of the handler has taken. */
        private List<Member> batch = List.of();
        /** Why all of these are undone. */
        private @Nullable Throwable failure;

        private boolean isHandled;

        Group(List<? extends Delivery> deliveries, BiConsumer<Delivery, Settlement> ended) {
            this.ended = ended;
            this.members = new ArrayList<>(deliveries.size());
            Set<RecordKey> keys = new HashSet<>();
            for (Delivery delivery : deliveries) {
                HandledMessage message = fresh(delivery);
                if (message != null && keys.add(message.handling.key())) {
                    members.add(new Member(message, node.timeline().now()));
                }
            }
        }

        void process() throws Exception {
            Map<Handling, Written> handled = Map.of();
            try {
                handled = members.size() < 2 ? Map.of() : commit();
            } finally {
                isHandled = !handled.isEmpty();
                boolean sends = true;
                for (Member member : members) {
                    Written written = handled.get(member.message.handling);
                    if (written == null) {
                        member.leave();
                    } else if (member.isEnded(written, sends)) {
                        ended.accept(member.message.delivery, Settlement.ACKNOWLEDGE);
                    } else if (grouping.isBatch()) {
                        sends = false; // each of so many would wait as long, one after the other
                    }
                }
            }
        }

        private Map<Handling, Written> commit() throws Exception {
            SharedClaims shared = handling.claimTogether(handlings(members));
            if (shared == null) {
                outcomes.ended(members.size(), 0, false);
                return Map.of();
            }
            try (shared) {
                if (grouping.isBatch()) {
                    runTogether(shared);
                } else {
                    runEach(shared);
                }
                Map<Handling, Written> handled = shared.commit();
                if (grouping.isBatch() && failure == null) {
                    failure = shared.failure();
                }
                outcomes.ended(members.size(), handled.size(), shared.isBroken());
                return handled;
            } finally {
                String unshareable = shared.unshareable();
                if (unshareable != null) {
                    off("the handler, or a middleware around it, " + unshareable + ". Set messagesPerTransaction to 1");
                }
            }
        }

        private void runEach(SharedClaims shared) throws Exception {
            for (Member member : members) {
                if (!shared.isBroken() && shared.isClaimed(member.message.handling) && member.begins()) {
                    member.run(shared);
                }
            }
        }

        private void runTogether(SharedClaims shared) {
            List<Member> claimed = members.stream()
                    .filter(member -> shared.isClaimed(member.message.handling) && member.begins())
                    .toList();
            if (claimed.size() > 1) {
                batch = claimed;
                failure = shared.run(handlings(batch), new BatchCall(node, handler, handling.step(), batch)::run);
                batch.forEach(member -> member.failure = failure);
            }
        }

        private static List<Handling> handlings(List<Member> members) {
            return members.stream().map(member -> member.message.handling).toList();
        }
    }

    /** A message that takes part. It is run and ended in two parts, each with its own surroundings on the thread. */
    private final class Member implements BatchCall.Part {

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
        boolean begins() {
            admission = message.delivery.isOpen() ? handling.admitTogether() : null;
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

        @Override
        public HandledMessage message() {
            return message;
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
                node.observations().stop(observation, null, outcome, cause);
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
}
