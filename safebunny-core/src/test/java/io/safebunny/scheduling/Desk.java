// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.ScheduledMessages;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.saga.execution.SagaWorld;
import io.safebunny.store.JointWrite;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Node {@code desk}, which schedules, and node {@code post}, which notes what it gets and when. */
final class Desk {

    static final Duration RETENTION = Duration.ofDays(7);
    static final Instant START = VirtualTimeline.START;

    /** What arrived. */
    record Arrival(String order, Instant at, MessageContext context) {}

    final SagaWorld world = new SagaWorld();
    final Faults store = new Faults(new MemoryMessageStore(world.timeline, RETENTION));
    final List<Arrival> arrivals = new ArrayList<>();
    /** Messages by which the node keeps or wakes what it has scheduled. */
    int own;

    boolean losesAlarms;
    /** Those that are late, too. */
    boolean losesAllAlarms;

    Desk() {
        world.schedules = true;
        world.arrivals = message -> {
            boolean isOwn = "BunnyScheduled".equals(message.message().type());
            own += isOwn ? 1 : 0;
            boolean isLost = losesAllAlarms || (losesAlarms && !message.delay().isZero());
            return isOwn && isLost ? 0 : 1;
        };
        world.start("desk", store, List.of());
        world.schedules = false;
        world.start(
                "post",
                List.of(SagaWorld.handler(
                        "desk",
                        PaymentCaptured.class,
                        (payload, context) -> arrivals.add(
                                new Arrival(((PaymentCaptured) payload).orderId(), world.timeline.now(), context)))));
    }

    ScheduledMessages messages() {
        return world.engine("desk").get(ScheduledMessages.class);
    }

    /** Without letting the node take it. */
    String scheduleOnly(String order, Duration delay) {
        return messages()
                .schedule(new PaymentCaptured(order), PublishOptions.none().withDelay(delay));
    }

    String schedule(String order, Duration delay) {
        String handle = scheduleOnly(order, delay);
        world.settle();
        return handle;
    }

    List<Instant> arrivalsOf(String order) {
        return arrivals.stream()
                .filter(arrival -> arrival.order.equals(order))
                .map(Arrival::at)
                .toList();
    }

    /** A store whose answers get lost, and that others use just before a write. */
    static final class Faults extends ForwardingMessageStore {
        boolean isAway;
        /** How many answers to writes of documents get lost. */
        int lostAnswers;

        /** How often was listed, and how many records. */
        int lists;

        int listed;

        /** Runs once, before the next write of several records. */
        Consumer<Faults> before = self -> {};

        Faults(MessageStore store) {
            super(store);
        }

        private void loseAnswer(RecordKey key) {
            if (key.isShared() && lostAnswers > 0) {
                lostAnswers--;
                throw new StoreUnavailableException("test: the answer is lost", null, null);
            }
        }

        private void requireThere() {
            if (isAway) {
                throw new StoreUnavailableException("test: away", null, null);
            }
        }

        @Override
        public MessageRecord create(MessageRecord record) {
            requireThere();
            MessageRecord created = super.create(record);
            loseAnswer(record.key());
            return created;
        }

        @Override
        public @Nullable MessageRecord replace(MessageRecord record) {
            requireThere();
            MessageRecord replaced = super.replace(record);
            loseAnswer(record.key());
            return replaced;
        }

        @Override
        public List<MessageRecord> findListed(ListingQuery query) {
            List<MessageRecord> found = super.findListed(query);
            lists++;
            listed += found.size();
            return found;
        }

        @Override
        public JointWrite writeTogether(List<MessageRecord> records) {
            requireThere();
            Consumer<Faults> once = before;
            before = self -> {};
            once.accept(this);
            return super.writeTogether(records);
        }

        @Override
        public @Nullable MessageRecord find(RecordKey key) {
            requireThere();
            return super.find(key);
        }
    }
}
