// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyMessage;
import io.safebunny.BunnyMessage.Expired;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.MessageExpiredException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.ShiftedTimeline;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.store.record.Trail;
import io.safebunny.time.Deadline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Many messages with short deadlines: duplicates, failures, and two instances of one node whose clocks are two seconds apart from the true
 * time in both directions and which are killed between two writes. Each message ends once: handled, told, dropped or set aside.
 */
@Tag("once")
class ManyDeadlinesTest {

    private static final int MESSAGES = 10_000;
    private static final Duration LEASE = Duration.ofSeconds(10);

    record Quote(String id) {}

    @BunnyMessage(expired = Expired.DROP)
    record Price(String id) {}

    record Offer(String id) {}

    /** What a handler publishes, once for each message that it has handled. */
    record Done(String id) {}

    /** What the method for expired messages publishes. */
    record Late(String id) {}

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final MemoryBroker broker = new MemoryBroker(timeline, tasks::add);
    private final MessageStore store = new MemoryMessageStore(timeline, Duration.ofDays(7));
    private final Random random = new Random(20);
    /** How each message has ended; a message that is published twice counts once. */
    private final Map<String, Set<String>> fates = new HashMap<>();

    /** By message id. */
    private final Map<String, String> correlations = new HashMap<>();

    private final List<Instance> instances = new ArrayList<>();
    private int kills;

    private final class Instance {

        private final Duration ahead;
        private final MemoryTransport link = new MemoryTransport(broker, TopologyOptions.defaults());
        private boolean dead;

        Instance(Duration ahead) {
            this.ahead = ahead;
            SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                            SafeBunnyOptions.of("billing").withLease(LEASE),
                            new ForwardingTransport(link) {
                                @Override
                                public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                                    mayDie();
                                    return dead ? new CompletableFuture<>() : super.send(message, deadline);
                                }
                            },
                            new ShiftedTimeline(timeline, ahead))
                    .store(new Mortal())
                    .callbacks(tasks::add)
                    .build());
            engine.start(List.of(
                    handler(Quote.class, engine),
                    handler(Price.class, engine),
                    handler(Offer.class, engine).withOnExpired((payload, context) -> {
                        Published unused = engine.bunny().publish(new Late(context.messageId()));
                        mayFail();
                    })));
        }

        private HandlerDefinition handler(Class<?> type, SafeBunnyEngine engine) {
            return new HandlerDefinition(
                    "shop.on(" + type.getSimpleName() + ")",
                    type.getSimpleName(),
                    type,
                    List.of("orders"),
                    10,
                    RecoveryPolicy.of(
                            RetryStrategy.of(1, Duration.ofMillis(200)), RetryStrategy.of(20, Duration.ofSeconds(3))),
                    (payload, context) -> {
                        Published unused = engine.bunny().publish(new Done(context.messageId()));
                        mayFail();
                    });
        }

        private void mayFail() throws IOException {
            if (random.nextInt(3) == 0) {
                throw new IOException("as the test wants");
            }
        }

        private void mayDie() {
            if (!dead && random.nextInt(700) == 0) {
                dead = true;
                kills++;
                link.close(); // the broker delivers again what it had
                tasks.add(() -> instances.set(instances.indexOf(this), new Instance(ahead)));
            }
        }

        /** Writes nothing any more once its process has ended, which may be before or after a write. */
        private final class Mortal extends ForwardingMessageStore {

            Mortal() {
                super(store);
            }

            private <T extends @Nullable Object> T alive(Supplier<T> action) {
                mayDie();
                requireAlive();
                T result = action.get();
                mayDie();
                requireAlive();
                return result;
            }

            private void requireAlive() {
                if (dead) {
                    throw new StoreUnavailableException("this process has ended", null, null);
                }
            }

            @Override
            public MessageRecord create(MessageRecord record) {
                return alive(() -> super.create(record));
            }

            @Override
            public @Nullable MessageRecord replace(MessageRecord record) {
                return alive(() -> super.replace(record));
            }
        }
    }

    private void settle() {
        for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
            next.run();
        }
    }

    private void send(OutboundMessage message, MemoryTransport link) {
        var unused = link.send(message, Deadline.after(Duration.ofSeconds(5), timeline))
                .join();
    }

    /** Publishes, some of it twice, while time passes. */
    private Map<String, String> publish() {
        Map<String, String> types = new HashMap<>();
        MemoryTransport link = new MemoryTransport(broker, TopologyOptions.defaults());
        List<OutboundMessage> made = new ArrayList<>();
        SafeBunnyEngine orders = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of("orders"),
                        new ForwardingTransport(link) {
                            @Override
                            public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                                made.add(message);
                                return CompletableFuture.completedFuture(null);
                            }
                        },
                        timeline)
                .callbacks(tasks::add)
                .build());
        orders.start(List.of());
        for (int i = 0; i < MESSAGES; i++) {
            PublishOptions options =
                    PublishOptions.none().withDeadline(timeline.now().plusMillis(1 + random.nextInt(8_000)));
            String id = String.valueOf(i);
            Object payload = i % 3 == 0 ? new Quote(id) : i % 3 == 1 ? new Price(id) : new Offer(id);
            Published published = orders.bunny().publish(payload, options);
            String messageId = String.valueOf(published.messageId());
            types.put(messageId, payload.getClass().getSimpleName());
            correlations.put(messageId, String.valueOf(published.correlationId()));
            OutboundMessage message = made.remove(0);
            for (int copies = random.nextInt(4) == 0 ? 2 : 1; copies > 0; copies--) {
                send(message, link);
            }
            if (i % 40 == 0) {
                settle();
                timeline.advance(Duration.ofMillis(random.nextInt(1_000)));
            }
        }
        orders.stop(Duration.ofSeconds(1));
        return types;
    }

    private void ended(String id, String fate) {
        fates.computeIfAbsent(id, unused -> new HashSet<>()).add(fate);
    }

    /** Listens to what the node publishes, and recognises repeats by their ids. */
    private void listen() {
        SafeBunnyEngine audit = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of("audit"), new MemoryTransport(broker, TopologyOptions.defaults()), timeline)
                .callbacks(tasks::add)
                .build());
        audit.start(List.of(listener(Done.class, "handled"), listener(Late.class, "told")));
    }

    private HandlerDefinition listener(Class<?> type, String fate) {
        return new HandlerDefinition(
                "audit.on(" + type.getSimpleName() + ")",
                type.getSimpleName(),
                type,
                List.of("billing"),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (payload, context) -> ended(String.valueOf(context.causationId()), fate));
    }

    private void readTheRest() {
        // also if an instance was killed before it had sent the copy that its record announces: another delivery did
        // then
        broker.messages("billing-poison").forEach(copy -> ended(String.valueOf(copy.messageId()), "set aside"));
        correlations.forEach((id, correlation) -> {
            MessageRecord record = store.find(new RecordKey(correlation, id));
            List<Trail.Failure> failures =
                    record == null ? List.of() : record.trail().failures();
            if (record != null
                    && record.state() == RecordState.DISPATCHED
                    && !failures.isEmpty()
                    && failures.get(failures.size() - 1).nextAt() == null
                    && failures.get(failures.size() - 1).exception().equals(MessageExpiredException.class.getName())) {
                ended(id, "dropped");
            }
        });
    }

    @Test
    void eachEndsOnce() {
        listen();
        instances.add(new Instance(Duration.ofSeconds(2)));
        instances.add(new Instance(Duration.ofSeconds(-2)));
        Map<String, String> types = publish();
        for (int second = 0; second < 600; second++) {
            settle();
            timeline.advance(Duration.ofSeconds(1));
        }
        settle();

        readTheRest();

        Map<String, Integer> counts = new HashMap<>();
        types.forEach((id, type) -> counts.merge(type + ' ' + fates.getOrDefault(id, Set.of()), 1, Integer::sum));
        assertThat(fates.keySet()).as("%s", counts).isEqualTo(types.keySet());
        assertThat(fates.values()).as("%s", counts).allSatisfy(fate -> assertThat(fate)
                .hasSize(1));
        assertThat(counts.keySet())
                .contains(
                        "Quote [handled]",
                        "Quote [set aside]",
                        "Price [handled]",
                        "Price [dropped]",
                        "Offer [handled]",
                        "Offer [told]");
        assertThat(kills).as("kills").isGreaterThan(20);
        assertThat(broker.messages("billing-Quote")).isEmpty();
    }
}
