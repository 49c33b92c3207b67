// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.jdbc.fixture.TestDatabase;
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
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Messages whose deadline passes, and what is stored of them: one fate each, in the transaction of what ran. */
@Timeout(60)
abstract class DeadlineRules {

    record Offer(String id) {}

    record Quote(String id) {}

    @BunnyMessage(expired = Expired.DROP)
    record Price(String id) {}

    record Told(String id) {}

    private final JdbcTemplate sql = new JdbcTemplate(database().pool());
    private final String test = UUID.randomUUID().toString();
    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final MemoryBroker broker = new MemoryBroker(timeline, tasks::add);
    private final List<SafeBunnyEngine> engines = new ArrayList<>();
    private final MessageStore store = store(JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofHours(1)));
    private HandlerInvoker handler = (payload, context) -> {};

    abstract TestDatabase database();

    /** In the handlers' transactions, unless overridden. */
    MessageStore store(JdbcStoreOptions options) {
        return new TransactionalJdbcMessageStore(
                database().pool(), new JdbcTransactionManager(database().pool()), options);
    }

    /** Whether a handler's writes are undone with it. */
    boolean isTransactional() {
        return true;
    }

    @BeforeEach
    void start() {
        sql.execute(
                "create table if not exists deadline_effect (test varchar(100) not null, what varchar(20) not null)");
        SafeBunnyEngine shop = engine("shop", store);
        shop.start(List.of(
                handler(Quote.class), handler(Price.class), handler(Offer.class).withOnExpired((payload, context) -> {
                    effect("told");
                    Published unused = shop.bunny().publish(new Told(context.messageId()));
                })));
        engine("desk", null).start(List.of());
    }

    @AfterEach
    void stop() {
        engines.forEach(engine -> engine.stop(Duration.ofSeconds(5)));
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

    /** The second attempt is 10 s after the first. */
    private HandlerDefinition handler(Class<?> type) {
        return new HandlerDefinition(
                "shop.on(%s)".formatted(type.getSimpleName()),
                type.getSimpleName(),
                type,
                List.of("desk"),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.after(Duration.ofSeconds(10))),
                (payload, context) -> handler.invoke(payload, context));
    }

    private void effect(String what) {
        sql.update("insert into deadline_effect values (?, ?)", test, what);
    }

    private List<String> effects() {
        return sql.queryForList("select what from deadline_effect where test = ?", String.class, test);
    }

    private void settle() {
        for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
            next.run();
        }
    }

    /** Sends it twice: once so that it expires, and once more. */
    private MessageRecord expires(Object payload, boolean fails) {
        handler = (message, context) -> {
            effect("handled");
            throw new IOException("no courier");
        };
        Published published = engines.get(1)
                .bunny()
                .publish(
                        payload,
                        PublishOptions.none().withDeadline(timeline.now().plusSeconds(5)));
        if (!fails) {
            timeline.advance(Duration.ofSeconds(5));
        }
        List<WireMessage> sent = Stream.concat(
                        broker.messages("shop-" + payload.getClass().getSimpleName()).stream(),
                        broker.unsettled().stream().map(IncomingMessage::message))
                .toList();
        assertThat(sent).hasSize(1);
        settle();
        handler = (message, context) -> effect("handled");
        sent.forEach(this::sendAgain);
        settle();
        return Objects.requireNonNull(store.find(
                new RecordKey(String.valueOf(published.correlationId()), String.valueOf(published.messageId()))));
    }

    private void sendAgain(WireMessage message) {
        var unused = new MemoryTransport(broker, TopologyOptions.defaults())
                .send(
                        new OutboundMessage(message, new Route.ToQueue("shop-" + message.type()), Duration.ZERO),
                        Deadline.after(Duration.ofSeconds(5), timeline))
                .join();
    }

    private static List<String> failures(MessageRecord record) {
        return record.trail().failures().stream().map(Trail.Failure::exception).toList();
    }

    @Test
    void theMethodRunsInPlaceOfTheHandler() {
        MessageRecord record = expires(new Offer("1"), false);

        assertThat(effects()).containsExactly("told");
        assertThat(record.state()).isIn(RecordState.COMPLETED, RecordState.DISPATCHED);
        assertThat(failures(record)).containsExactly(MessageExpiredException.class.getName());
    }

    @Test
    void theMethodRunsAfterTheHandlerWhoseWritesAreUndone() {
        MessageRecord record = expires(new Offer("1"), true);

        assertThat(effects())
                .containsExactlyElementsOf(isTransactional() ? List.of("told") : List.of("handled", "told"));
        assertThat(failures(record))
                .containsExactly(IOException.class.getName(), MessageExpiredException.class.getName());
    }

    @Test
    void whatIsDroppedIsDone() {
        MessageRecord record = expires(new Price("1"), false);

        assertThat(effects()).isEmpty();
        assertThat(record.state()).isIn(RecordState.COMPLETED, RecordState.DISPATCHED);
        assertThat(failures(record)).containsExactly(MessageExpiredException.class.getName());
        assertThat(broker.messages("shop-poison")).isEmpty();
    }

    @Test
    void whatIsDroppedAfterAFailureIsDone() {
        MessageRecord record = expires(new Price("1"), true);

        assertThat(effects()).hasSize(isTransactional() ? 0 : 1);
        assertThat(record.state()).isIn(RecordState.COMPLETED, RecordState.DISPATCHED);
        assertThat(broker.messages("shop-poison")).isEmpty();
    }

    @Test
    void whatIsSetAsideStaysSo() {
        MessageRecord record = expires(new Quote("1"), false);

        assertThat(effects()).isEmpty();
        assertThat(record.state()).isEqualTo(RecordState.POISONED);
        assertThat(broker.messages("shop-poison"))
                .extracting(copy -> copy.headers().get("sb-poison-reason"))
                .containsExactlyInAnyOrder("expired", "set-aside-before");
    }

    @Test
    void whatIsSetAsideAfterAFailureStaysSo() {
        MessageRecord record = expires(new Quote("1"), true);

        assertThat(effects()).hasSize(isTransactional() ? 0 : 1);
        assertThat(record.state()).isEqualTo(RecordState.POISONED);
        assertThat(failures(record))
                .containsExactly(IOException.class.getName(), MessageExpiredException.class.getName());
    }
}
