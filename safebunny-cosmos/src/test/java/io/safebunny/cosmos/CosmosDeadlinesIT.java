// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import com.azure.cosmos.CosmosAsyncContainer;
import io.safebunny.BunnyMessage;
import io.safebunny.BunnyMessage.Expired;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.MessageExpiredException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.WireMessage;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.store.record.Trail;
import io.safebunny.time.Deadline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages whose deadline passes: one fate each, which their records tell, also to a duplicate. */
@Tag("once")
@Timeout(120)
class CosmosDeadlinesIT {

    record Offer(String id) {}

    record Quote(String id) {}

    @BunnyMessage(expired = Expired.DROP)
    record Price(String id) {}

    record Told(String id) {}

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final MemoryBroker broker = new MemoryBroker(timeline, tasks::add);
    private final CosmosAsyncContainer container = CosmosAccount.newContainer();
    private final MessageStore store = CosmosAccount.store(container);
    private final List<SafeBunnyEngine> engines = new ArrayList<>();
    /** What ran, in order. */
    private final List<String> runs = new ArrayList<>();

    @BeforeEach
    void start() {
        SafeBunnyEngine shop = engine("shop", store);
        shop.start(List.of(
                handler(Quote.class), handler(Price.class), handler(Offer.class).withOnExpired((payload, context) -> {
                    runs.add("told");
                    Published unused = shop.bunny().publish(new Told(context.messageId()));
                })));
        engine("desk", null).start(List.of());
    }

    @AfterEach
    void stop() {
        engines.forEach(engine -> engine.stop(Duration.ofSeconds(5)));
        container.delete().block();
    }

    private SafeBunnyEngine engine(String node, @Nullable MessageStore kept) {
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of(node), new MemoryTransport(broker, TopologyOptions.defaults()), timeline)
                .store(kept)
                .callbacks(tasks::add)
                .build());
        engines.add(engine);
        return engine;
    }

    /** The second attempt would be 10 s after the first. */
    private HandlerDefinition handler(Class<?> type) {
        return new HandlerDefinition(
                "shop.on(%s)".formatted(type.getSimpleName()),
                type.getSimpleName(),
                type,
                List.of("desk"),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.after(Duration.ofSeconds(10))),
                (payload, context) -> {
                    runs.add("handled");
                    throw new IOException("no courier");
                });
    }

    private void settle() {
        for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
            next.run();
        }
    }

    /** Sends it so that it expires, and once more. */
    private MessageRecord expires(Object payload, boolean fails) {
        Published published = engines.get(1)
                .bunny()
                .publish(
                        payload,
                        PublishOptions.none().withDeadline(timeline.now().plusSeconds(5)));
        if (!fails) {
            timeline.advance(Duration.ofSeconds(5));
        }
        String queue = "shop-" + payload.getClass().getSimpleName();
        List<WireMessage> sent = Stream.concat(
                        broker.messages(queue).stream(),
                        broker.unsettled().stream().map(delivered -> delivered.message()))
                .toList();
        assertThat(sent).hasSize(1);
        settle();
        var unused = new MemoryTransport(broker, TopologyOptions.defaults())
                .send(
                        new OutboundMessage(sent.get(0), new Route.ToQueue(queue), Duration.ZERO),
                        Deadline.after(Duration.ofSeconds(5), timeline))
                .join();
        settle();
        return Objects.requireNonNull(store.find(
                new RecordKey(String.valueOf(published.correlationId()), String.valueOf(published.messageId()))));
    }

    private static String lastFailure(MessageRecord record) {
        List<Trail.Failure> failures = record.trail().failures();
        return failures.get(failures.size() - 1).exception();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theMethodRunsOnceInPlaceOfTheHandler(boolean fails) {
        MessageRecord record = expires(new Offer("1"), fails);

        assertThat(runs).isEqualTo(fails ? List.of("handled", "told") : List.of("told"));
        assertThat(record.state()).isIn(RecordState.COMPLETED, RecordState.DISPATCHED);
        assertThat(lastFailure(record)).isEqualTo(MessageExpiredException.class.getName());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsDroppedIsDone(boolean fails) {
        MessageRecord record = expires(new Price("1"), fails);

        assertThat(runs).hasSize(fails ? 1 : 0);
        assertThat(record.state()).isIn(RecordState.COMPLETED, RecordState.DISPATCHED);
        assertThat(lastFailure(record)).isEqualTo(MessageExpiredException.class.getName());
        assertThat(broker.messages("shop-poison")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsSetAsideStaysSo(boolean fails) {
        MessageRecord record = expires(new Quote("1"), fails);

        assertThat(runs).hasSize(fails ? 1 : 0);
        assertThat(record.state()).isEqualTo(RecordState.POISONED);
        assertThat(lastFailure(record)).isEqualTo(MessageExpiredException.class.getName());
        assertThat(broker.messages("shop-poison"))
                .extracting(copy -> copy.headers().get("sb-poison-reason"))
                .containsExactlyInAnyOrder("expired", "set-aside-before");
    }
}
