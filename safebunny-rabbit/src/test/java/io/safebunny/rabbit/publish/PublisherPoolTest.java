// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.publish;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.PublishException.Publication;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.rabbit.connection.ConnectionKeeper;
import io.safebunny.rabbit.publish.PublisherPool.Outgoing;
import io.safebunny.time.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class PublisherPoolTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Publication PUBLICATION = new Publication("OrderPlaced", "orders-OrderPlaced", "id");
    private static final WireMessage MESSAGE = FakeBroker.ORDER_PLACED;
    private static final Outgoing OUTGOING = new Outgoing(
            new Destination("safebunny", "orders-OrderPlaced", true, Map.of()), MESSAGE, MESSAGE.headers(), null);

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final FakeBroker broker = new FakeBroker();
    private final List<Duration> repairs = new ArrayList<>();
    private final ConnectionKeeper keeper =
            new ConnectionKeeper("publish", broker.factory(), timeline, Runnable::run, connection -> {});

    private PublisherPool started(int maxConcurrency) {
        keeper.start("node");
        PublisherPool pool =
                new PublisherPool(keeper, connection -> repairs.add(timeline.elapsed()), timeline, maxConcurrency);
        pool.start();
        return pool;
    }

    @AfterEach
    void close() {
        keeper.close();
    }

    private CompletableFuture<Void> publish(PublisherPool pool) {
        return publish(pool, TIMEOUT);
    }

    private CompletableFuture<Void> publish(PublisherPool pool, Duration timeout) {
        return pool.publish(PUBLICATION, () -> OUTGOING, Deadline.after(timeout, timeline));
    }

    private static void assertFailed(CompletableFuture<Void> sent, Class<? extends Throwable> type, String part) {
        assertThat(sent).isCompletedExceptionally();
        assertThat(sent.handle((none, failure) -> failure).join())
                .isInstanceOf(type)
                .hasMessageContaining(part);
    }

    @Test
    void writesOnTheChannelThatWasUsedLast() {
        PublisherPool pool = started(4);
        CompletableFuture<Void> first = publish(pool);
        CompletableFuture<Void> second = publish(pool);

        assertThat(broker.connection().channels).hasSize(1);
        assertThat(first).isNotDone();
        broker.connection().channel().ack(2, true);
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
    }

    @Test
    void opensAnotherChannelWhileOneIsWrittenTo() {
        PublisherPool pool = started(2);
        List<CompletableFuture<Void>> within = new ArrayList<>();
        CompletableFuture<Void> unused = pool.publish(
                PUBLICATION,
                () -> {
                    within.add(publish(pool));
                    return OUTGOING;
                },
                Deadline.after(TIMEOUT, timeline));

        assertThat(broker.connection().channels).hasSize(2).allSatisfy(channel -> assertThat(channel.published)
                .hasSize(1));
        assertThat(within.get(0)).isNotDone();
    }

    /** Whatever else is written meanwhile. */
    @Test
    void writesWhatHasOneOrderKeyOnOneChannel() {
        PublisherPool pool = started(4);
        for (String key : List.of("a", "b", "c", "d", "e")) {
            publishWithin(pool, null, () -> send(pool, key));
            publishWithin(pool, "z", () -> send(pool, null));
        }
        for (String key : List.of("e", "d", "c", "b", "a")) {
            send(pool, key);
        }

        Map<String, Set<Integer>> channels = new HashMap<>();
        List<FakeBroker.FakeChannel> opened = broker.connection().channels;
        for (int i = 0; i < opened.size(); i++) {
            int channel = i;
            opened.get(i).published.forEach(message -> channels.computeIfAbsent(
                            String.valueOf(message.properties().getHeaders().get(Headers.ORDER_KEY)),
                            key -> new HashSet<>())
                    .add(channel));
        }
        assertThat(channels).containsKeys("a", "b", "c", "d", "e", "z", "null");
        channels.remove("null");
        assertThat(channels).allSatisfy((key, of) -> assertThat(of).as(key).hasSize(1));
        assertThat(opened).hasSizeBetween(2, 4);
    }

    /** What one thread publishes without a key stays on one channel, although other messages have taken others. */
    @Test
    void keysDoNotMoveWhatHasNone() {
        PublisherPool pool = started(4);
        send(pool, null);
        FakeBroker.FakeChannel first = broker.connection().channel();
        for (int i = 0; i < 10; i++) {
            send(pool, "key-" + i);
            send(pool, null);
        }

        assertThat(broker.connection().channels).hasSizeGreaterThan(1);
        assertThat(first.published.stream()
                        .filter(message -> !message.properties().getHeaders().containsKey(Headers.ORDER_KEY)))
                .hasSize(11);
    }

    @Test
    void onlyWhatHasTheSameChannelWaitsForIt() {
        PublisherPool pool = started(2);
        List<CompletableFuture<Void>> within = new ArrayList<>();
        publishWithin(pool, "hot", () -> {
            within.add(pool.publish(
                    PUBLICATION, "hot", () -> keyed("hot"), Deadline.after(Duration.ofSeconds(1), timeline)));
            within.add(publish(pool));
        });

        assertFailed(within.get(0), PublishTimeoutException.class, "the one for its order key of 2 publisher channels");
        assertThat(timeline.elapsed()).isEqualTo(Duration.ofSeconds(1));
        assertThat(within.get(1)).isNotDone();
        assertThat(publishKeyed(pool, "hot")).isNotDone();
    }

    private void send(PublisherPool pool, @Nullable String key) {
        CompletableFuture<Void> unused = publishKeyed(pool, key);
    }

    private CompletableFuture<Void> publishKeyed(PublisherPool pool, @Nullable String key) {
        return pool.publish(PUBLICATION, key, () -> keyed(key), Deadline.after(TIMEOUT, timeline));
    }

    /** Does something else while the channel is lent. */
    private void publishWithin(PublisherPool pool, @Nullable String key, Runnable meanwhile) {
        CompletableFuture<Void> unused = pool.publish(
                PUBLICATION,
                key,
                () -> {
                    meanwhile.run();
                    return keyed(key);
                },
                Deadline.after(TIMEOUT, timeline));
    }

    private static Outgoing keyed(@Nullable String key) {
        return key == null
                ? OUTGOING
                : new Outgoing(OUTGOING.destination(), MESSAGE, Map.of(Headers.ORDER_KEY, key), null);
    }

    @Test
    void waitsForAChannelUntilTheDeadline() {
        PublisherPool pool = started(1);
        List<CompletableFuture<Void>> within = new ArrayList<>();
        CompletableFuture<Void> outer = pool.publish(
                PUBLICATION,
                () -> {
                    within.add(publish(pool, Duration.ofSeconds(1)));
                    return OUTGOING;
                },
                Deadline.after(TIMEOUT, timeline));

        assertFailed(within.get(0), PublishTimeoutException.class, "safebunny.publisher.max-concurrency");
        assertThat(timeline.elapsed()).isEqualTo(Duration.ofSeconds(1));
        assertThat(outer).isNotDone();
        assertThat(publish(pool)).isNotDone();
        assertThat(broker.connection().channel().published).hasSize(2);
    }

    @Test
    void waitsWhileTheBrokerHasAnAlarm() throws IOException {
        PublisherPool pool = started(1);
        broker.connection().block();
        timeline.schedule(Duration.ofSeconds(2), broker.connection()::unblock);
        CompletableFuture<Void> sent = publish(pool);

        assertThat(timeline.elapsed()).isEqualTo(Duration.ofSeconds(2));
        assertThat(broker.connection().channel().published).hasSize(1);
        assertThat(sent).isNotDone();
    }

    @Test
    void failsWhenTheAlarmOutlastsTheDeadline() throws IOException {
        PublisherPool pool = started(1);
        broker.connection().block();

        assertFailed(publish(pool), PublishTimeoutException.class, "to unblock the connection");
        assertThat(timeline.elapsed()).isEqualTo(TIMEOUT);
        assertThat(broker.connection().channels).isEmpty();
    }

    @Test
    void doesNotWaitForTheAlarmOfAConnectionThatIsGone() throws IOException {
        PublisherPool pool = started(1);
        broker.connection().block();
        timeline.schedule(Duration.ofSeconds(1), broker.connection()::lose);

        assertFailed(publish(pool), ConnectionLostException.class, "not connected");
        assertThat(timeline.elapsed()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void failsWhatIsInFlightWhenTheConnectionIsLostAndGoesOnWithTheNext() {
        PublisherPool pool = started(1);
        CompletableFuture<Void> inFlight = publish(pool);
        broker.connection().lose();

        assertFailed(inFlight, ConnectionLostException.class, "OrderPlaced");
        assertFailed(publish(pool), ConnectionLostException.class, "not connected");
        timeline.advance(Duration.ofSeconds(1));
        CompletableFuture<Void> next = publish(pool);
        assertThat(broker.connections).hasSize(2);
        broker.connection().channel().ack(1, false);
        assertThat(next).isCompleted();
    }

    @Test
    void declaresAgainWhatIsMissingBeforeTheNextChannel() {
        PublisherPool pool = started(1);
        CompletableFuture<Void> unused = publish(pool);
        broker.connection()
                .channel()
                .close(FakeBroker.channelClosed(AMQP.NOT_FOUND, "NOT_FOUND - no exchange 'safebunny' in vhost '/'"));
        assertThat(repairs).isEmpty();
        CompletableFuture<Void> next = publish(pool);

        assertThat(repairs).hasSize(1);
        assertThat(broker.connection().channels).hasSize(2);
        assertThat(next).isNotDone();
    }

    @Test
    void endsWhatIsNotConfirmedByItsDeadline() {
        PublisherPool pool = started(1);
        CompletableFuture<Void> sent = publish(pool);
        timeline.advance(TIMEOUT.minusNanos(1));
        assertThat(sent).isNotDone();
        timeline.advance(Duration.ofMillis(200));

        assertFailed(sent, PublishTimeoutException.class, "confirm");
    }

    @Test
    void cutsAConnectionThatTakesNoBytesAtTheDeadline() throws InterruptedException {
        PublisherPool pool = started(1);
        CompletableFuture<Void> unused = publish(pool); // opens the channel
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch cut = broker.connection().aborted;
        broker.connection().channel().instead = () -> {
            writing.countDown();
            cut.await();
            throw new IOException("socket closed");
        };
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        Thread stuck = new Thread(() -> sent.add(publish(pool)));
        stuck.start();
        assertThat(writing.await(10, TimeUnit.SECONDS)).isTrue();
        timeline.advance(TIMEOUT.minusNanos(1));
        assertThat(cut.getCount()).isOne();
        timeline.advance(Duration.ofMillis(200));

        assertThat(cut.await(10, TimeUnit.SECONDS)).isTrue();
        stuck.join();
        assertFailed(sent.get(0), PublishTimeoutException.class, "confirm");
    }

    @Test
    void doesNotCutAConnectionOnWhichOthersGetThrough() throws InterruptedException {
        PublisherPool pool = started(2);
        CompletableFuture<Void> unused = publish(pool);
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        broker.connection().channel().instead = () -> {
            writing.countDown();
            released.await();
        };
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        Thread slow = new Thread(() -> sent.add(publish(pool)));
        slow.start();
        assertThat(writing.await(10, TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < 60; i++) { // past the deadline by twice as long
            CompletableFuture<Void> other = publish(pool);
            timeline.advance(Duration.ofMillis(200));
            assertThat(other).isNotDone();
            broker.connection().channel().ack(i + 1, true);
        }
        released.countDown();
        slow.join();

        assertThat(broker.connection().aborted.getCount()).isOne();
        assertThat(sent.get(0)).isCompletedExceptionally();
    }

    @Test
    void writesNothingAfterItWasClosed() {
        PublisherPool pool = started(1);
        CompletableFuture<Void> inFlight = publish(pool);
        pool.close();

        assertFailed(publish(pool), ConnectionLostException.class, "closed");
        assertThat(broker.connection().channel().published).hasSize(1);
        broker.connection().channel().ack(1, false);
        assertThat(inFlight).isCompleted();
    }
}
