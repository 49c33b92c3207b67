// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.breaker.SharedOutcomes;
import io.safebunny.dedup.claim.Claim.Written;
import io.safebunny.dedup.claim.SharedClaims;
import io.safebunny.failure.policy.BreakerEffect;
import io.safebunny.failure.policy.BreakerEffect.Pause;
import io.safebunny.failure.policy.Halving;
import io.safebunny.handler.Grouping;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handling.Handling;
import io.safebunny.handling.MessageScope.Beans;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.observation.LogContext;
import io.safebunny.poison.queue.Settlement;
import io.safebunny.store.record.RecordKey;
import io.safebunny.transport.Delivery;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
        Halving<Delivery> parts = new Halving<>(List.copyOf(deliveries));
        for (boolean isAll = true; isOn && parts.hasNext(); isAll = false) {
            Group group = new Group(parts.next(), ended);
            group.process();
            if (isAll) { // halves say nothing of those that come next
                outcomes.ended(group.isHandled, group.isBroken || group.pause() != null);
            }
            planHalves(group, parts);
        }
    }

    private void planHalves(Group group, Halving<Delivery> parts) {
        Throwable failure = group.failure;
        if (failure == null) {
            if (group.isHandled) {
                parts.handled();
            } else {
                parts.stop(); // where nothing can be claimed, or completed, each try may be a wait
            }
            return;
        }
        List<Delivery> undone =
                group.undone.stream().map(member -> member.message().delivery).toList();
        boolean inHalves = parts.failed(undone, failure) && isOn;
        node.log()
                .tell(
                        FAILED_BATCHES,
                        handler.type(),
                        () -> LOG.warn(
                                "The call for a batch of {} messages has failed, and is undone where that is possible; they are handled {}, at no cost of an attempt [handler={}]",
                                undone.size(),
                                inHalves ? "in halves" : "one by one",
                                handler.description(),
                                node.details().of(handler.type()).logged(failure)));
        Pause pause = group.pause();
        if (pause != null) {
            group.undone.get(0).pauses(failure, pause);
        }
    }

    /** {@code null} if it is to be handled on its own. */
    private @Nullable HandledMessage fresh(Delivery delivery) {
        if (!delivery.isOpen()) {
            return null;
        }
        try {
            HandledMessage message = single.check(delivery, true);
            return message.isFresh() && message.unreadable() == null && !message.isOverdue(node.timeline())
                    ? message
                    : null;
        } catch (InvalidMessageException e) { // becomes poison on its own
            return null;
        }
    }

    private final class Group {

        private final List<GroupMember> members;
        private final BiConsumer<Delivery, Settlement> ended;
        /** Of the one call, or of the commit. */
        private final Beans beans = new Beans();
        /** The members of a batch that has failed, or whose completions have. */
        private List<GroupMember> undone = List.of();
        /** Why these are undone. */
        private @Nullable Throwable failure;

        private boolean isHandled;
        private boolean isBroken;

        Group(List<Delivery> deliveries, BiConsumer<Delivery, Settlement> ended) {
            this.ended = ended;
            this.members = new ArrayList<>(deliveries.size());
            Set<RecordKey> keys = new HashSet<>();
            for (Delivery delivery : deliveries) {
                HandledMessage message = fresh(delivery);
                if (message != null && keys.add(message.handling.key())) {
                    members.add(new GroupMember(single, handling, message, node));
                }
            }
        }

        void process() throws Exception {
            Map<Handling, Written> handled = Map.of();
            try {
                handled = members.size() < 2 ? Map.of() : within(this::commit);
            } finally {
                isHandled = !handled.isEmpty();
                boolean sends = true;
                for (GroupMember member : members) {
                    Written written = handled.get(member.message().handling);
                    if (written == null) {
                        member.leave();
                    } else if (member.isEnded(written, sends)) {
                        ended.accept(member.message().delivery, Settlement.ACKNOWLEDGE);
                    } else if (grouping.isBatch()) {
                        sends = false; // each of so many would wait as long, one after the other
                    }
                }
                beans.destroy();
            }
        }

        /** What is on the thread while none of the messages is: listeners of the commit use it, too. */
        private <T> T within(Callable<T> part) throws Exception {
            LogContext before = LogContext.replaceByBatch(handler.type(), node.name());
            try {
                return node.parts().scope().callIn(beans, part);
            } finally {
                before.restore();
            }
        }

        private Map<Handling, Written> commit() throws Exception {
            SharedClaims shared = handling.claimTogether(handlings(members));
            if (shared == null) {
                outcomes.counts(members.size(), 0, false);
                return Map.of();
            }
            try (shared) {
                if (grouping.isBatch()) {
                    runTogether(shared);
                } else {
                    runEach(shared);
                }
                Map<Handling, Written> handled = shared.commit();
                isBroken = shared.failure() != null;
                outcomes.counts(members.size(), handled.size(), isBroken);
                failed(shared.failure(), handled);
                return handled;
            } finally {
                String unshareable = shared.unshareable();
                if (unshareable != null) {
                    off("the handler, or a middleware around it, " + unshareable + ". Set messagesPerTransaction to 1");
                }
            }
        }

        private void runEach(SharedClaims shared) throws Exception {
            for (GroupMember member : members) {
                if (shared.failure() == null && shared.isClaimed(member.message().handling) && member.begins()) {
                    member.run(shared);
                }
            }
        }

        private void runTogether(SharedClaims shared) {
            List<GroupMember> claimed = members.stream()
                    .filter(member -> shared.isClaimed(member.message().handling) && member.begins())
                    .toList();
            if (claimed.size() > 1) {
                undone = claimed;
                BatchCall call =
                        new BatchCall(handler, handling.step(), claimed, this::within, SharedPipeline.this::off);
                failed(shared.run(handlings(claimed), call::run), Map.of());
            }
        }

        private void failed(@Nullable Throwable cause, Map<Handling, ?> handled) {
            if (failure == null && cause != null && !undone.isEmpty()) {
                failure = cause;
                undone = undone.stream()
                        .filter(member -> !handled.containsKey(member.message().handling))
                        .toList();
                undone.forEach(member -> member.failed(cause));
            }
        }

        /** A batch may be what is throttled: alone its messages succeed, and the type would be paused once more by the next batch. */
        @Nullable
        Pause pause() {
            return failure != null && BreakerEffect.of(failure) instanceof Pause pause ? pause : null;
        }

        private static List<Handling> handlings(List<GroupMember> members) {
            return members.stream().map(member -> member.message().handling).toList();
        }
    }
}
